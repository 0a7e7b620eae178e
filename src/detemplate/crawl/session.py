"""A crawl apart from the network: what it has fetched, what it follows, what it writes."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from detemplate.crawl.frontier import Entry
from detemplate.io.record import Skip
from detemplate.run.summary import Summary
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.crawl.fetched import Fetched
    from detemplate.crawl.frontier import Frontier
    from detemplate.crawl.options import CrawlOptions
    from detemplate.crawl.visit import Visit, Visitor
    from detemplate.crawl.warcfile import WarcWriter, Written
    from detemplate.io.sinks.out import Sink
    from detemplate.run.progress import Progress
    from detemplate.run.rejects import Rejects
    from detemplate.run.watching import Watch
    from detemplate.sites.history import Histories

ROBOTS: Final = "robots.txt"
"""Reason of URLs that robots.txt forbids."""

UNREACHABLE: Final = "unreachable"
"""Reason of URLs whose server did not answer."""

PRIVATE: Final = "private address"
"""Reason of URLs whose host is in a private network."""

FAILURES: Final = frozenset({408, 429, 500, 502, 503, 504, 522, 524})
"""Statuses of servers that may answer otherwise later; a crawl that goes on asks again."""


@dataclass(slots=True)
class CrawlSummary(Summary):
    """Counts of a crawl; those of :class:`~detemplate.run.summary.Summary` are of its pages.

    Attributes
    ----------
    output
        Name of the WARC file.
    responses, size
        Answers in the WARC file, those of robots.txt not counted, and its size in bytes.
    resumed
        Answers that an earlier process of the crawl had fetched.
    refused
        Number of links that were not followed, by reason.
    waiting
        URLs that still waited at the end.
    starts_lost
        Given URLs that could not be fetched.
    cleaning
        Whether pages were cleaned.
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
        """Give the counts as a JSON object."""
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
        """Give the summary as lines of text for a person."""
        rate = (self.responses - self.resumed) / self.seconds if self.seconds else 0.0
        lines = [
            f"{self.pages:,} pages of {self.sites:,} {'site' if self.sites == 1 else 'sites'} crawled, "
            f"{self.seconds:.1f} s ({rate:,.1f} answers/s); {self.responses:,} answers, {self.size:,} bytes "
            f"in {self.output}"
        ]
        if self.resumed:
            lines.append(f"{self.resumed:,} of the answers were there before")
        lines += Summary.lines(self)[1 if self.cleaning else 2 :]
        if self.refused:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.refused.most_common())
            lines.append(f"links not followed: {reasons}")
        if self.waiting:
            lines.append(f"{self.waiting:,} URLs still waited")
        return lines


class Session:
    """What a crawl does with answers, wherever they come from.

    Parameters
    ----------
    options
        Options of the crawl.
    frontier
        Its URLs.
    visitor
        Works on answers.
    archive
        The WARC file.
    sink
        Takes the output records of cleaned pages; None: there is none.
    rejects
        Takes what was lost.
    watch
        Tells how the crawl goes.
    summary
        Counts.
    progress
        Shows how far it has come.
    histories
        Takes what a store keeps of the sites' histories; None: there is no store.

    Attributes
    ----------
    ended
        Whether it takes no more answers: it has as many pages as it should, or was stopped.
    """

    def __init__(  # noqa: PLR0917  # what one crawl is made of
        self,
        options: CrawlOptions,
        frontier: Frontier,
        visitor: Visitor,
        archive: WarcWriter,
        sink: Sink | None,
        rejects: Rejects,
        watch: Watch,
        summary: CrawlSummary,
        progress: Progress | None = None,
        histories: Histories | None = None,
    ) -> None:
        self._histories = histories
        self.options = options
        self.frontier = frontier
        self.archive = archive
        self.summary = summary
        self.ended = False
        self._visitor = visitor
        self._sink = sink
        self._rejects = rejects
        self._watch = watch
        self._progress = progress
        self._sites: set[int] = set()
        self._starts = {entry.key for entry in frontier.starts}

    def replay(self, answers: Iterable[tuple[Fetched, Written]]) -> list[Entry]:
        """Take answers that an earlier process has fetched; give all that is still to be fetched."""
        entries = {entry.key: entry for entry in self.frontier.starts}
        for fetched, written in answers:
            if fetched.status in FAILURES:
                continue
            entry = Entry(fetched.url, fetched.depth, fetched.redirects)
            self.frontier.claim(entry)
            entries.pop(entry.key, None)
            entries |= {found.key: found for found in self.take(fetched, written)}
            self.summary.resumed += 1
        return [entry for entry in entries.values() if not self.frontier.is_claimed(entry)]

    def take(self, fetched: Fetched, written: Written | None = None) -> list[Entry]:
        """Take an answer: write it, unless it is written, and all that follows from it.

        Returns
        -------
        list of Entry
            What is to be fetched in consequence.
        """
        if self.ended:
            return []
        began = time.perf_counter()
        if written is None:
            written = self.archive.write(fetched)
        visit = self._visitor.visit(fetched, written)
        self.summary.responses += 1
        self._hand_over(visit)
        entry = Entry(fetched.url)
        if entry.key in self._starts and (fetched.status >= 400 or (visit.skip and visit.skip.rejected)):
            self.summary.starts_lost.append(fetched.url)
        found = [
            self.frontier.offer(link.url, fetched.depth + 1, priority=link.priority) for link in visit.links
        ]
        if visit.redirect is not None:
            redirected = self.frontier.offer(visit.redirect, fetched.depth, redirects=fetched.redirects + 1)
            found.append(redirected)
            if redirected is not None and entry.key in self._starts:
                self._starts.add(redirected.key)
        self._watch.page(fetched.url, time.perf_counter() - began)
        self._advance()
        limit = self.options.max_pages
        self.ended = self.ended or (limit is not None and self.summary.pages >= limit)
        return [entry for entry in found if entry is not None]

    def _hand_over(self, visit: Visit) -> None:
        if visit.skip is not None:
            self._skip(visit.skip)
        if not visit.is_page or visit.record is None:
            return
        if visit.cleaned is not None:
            self.summary.count(visit.cleaned)
            if self._histories is not None and visit.cleaned.glance is not None:
                source = visit.record.source
                self._histories.add(visit.cleaned.site, visit.cleaned.glance, source.date if source else None)
            if self._sink is not None:
                self._sink.write(visit.cleaned.row, visit.record)
        else:
            self.summary.pages += 1
        self._sites.add(hash(site_of(visit.record.url)))
        self.summary.sites = len(self._sites)

    def lose(self, entry: Entry, reason: str, detail: str = "", *, rejected: bool = True) -> None:
        """Note that a URL could not be fetched, or must not be."""
        self._skip(Skip(entry.url, reason, detail, rejected=rejected))
        if entry.key in self._starts:
            self.summary.starts_lost.append(entry.url)
        self._advance()

    def _skip(self, skip: Skip) -> None:
        self.summary.skip(skip)
        self._rejects.write(skip)

    def _advance(self) -> None:
        pages, sites = self.summary.pages, self.summary.sites
        if self._progress is not None:
            self._progress.advance(pages, sites, pages)
        self._watch.advance(pages, sites, self.summary)

    def end(self) -> None:
        """Count what is known at the end."""
        self.summary.size = self.archive.size
        self.summary.waiting = len(self.frontier)
        self.summary.refused = self.frontier.refused
