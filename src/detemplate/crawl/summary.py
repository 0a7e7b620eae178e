"""The counts of a crawl."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from detemplate.errors import counted
from detemplate.run.summary import Summary


@dataclass(slots=True)
class CrawlSummary(Summary):
    """Counts of a crawl; those of :class:`~detemplate.run.summary.Summary` are of its pages.

    ``output``: name of the WARC file.
    ``responses``, ``size``: answers in the WARC file, those of robots.txt not counted, and its size in bytes.
    ``resumed``: answers that an earlier process of the crawl had fetched.
    ``refused``: number of links that were not followed, by reason. Links to known pages are not counted.
    ``waiting``: URLs that still wait.
    ``starts_lost``: given URLs that could not be fetched, each with the reason.
    ``cleaning``: whether pages were cleaned.
    """

    output: str = ""
    responses: int = 0
    size: int = 0
    resumed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    starts_lost: list[str] = field(default_factory=list)
    cleaning: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the counts as a JSON object."""
        shared = Summary.as_dict(self)
        if not self.cleaning:
            shared = {name: shared[name] for name in ("pages", "sites", "skipped", "rejected", "seconds")}
        return {
            "output": self.output,
            "responses": self.responses,
            "bytes": self.size,
            "resumed": self.resumed,
            **shared,
            "not_followed": dict(self.refused.most_common()),
            "waiting": self.waiting,
        }

    def lines(self) -> list[str]:
        """Return the summary as lines of text for a person."""
        rate = (self.responses - self.resumed) / self.seconds if self.seconds else 0.0
        lines = [
            f"{counted(self.pages, 'page')} of {counted(self.sites, 'site')} crawled, "
            f"{self.seconds:.1f} s ({rate:,.1f} answers/s); {counted(self.responses, 'answer')}, "
            f"{self.size:,} bytes in {self.output}"
        ]
        if self.resumed:
            lines.append(f"{self.resumed:,} of the answers were there before")
        lines += Summary.lines(self)[1 if self.cleaning else 2 :]
        if self.refused:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.refused.most_common())
            lines.append(f"links not followed: {reasons}")
        if self.waiting:
            lines.append(f"{counted(self.waiting, 'URL')} still waited")
        return lines
