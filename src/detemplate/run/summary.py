"""The counts of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from detemplate.errors import abridged, counted
from detemplate.io.record import Skip, skipped_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from detemplate.run.limits import Rejects
    from detemplate.run.pagework import Cleaned
    from detemplate.run.progress import Meter
    from detemplate.run.reader import Reader

Made = TypeVar("Made")

_OF_PAGES: Final = ("chars", "template_chars", "segments", "template_segments", "recoded", "peerless")
_MOST_TEXTS: Final = 200_000  # different removed texts that are counted; beyond, the rarer half is dropped
_MOST_BROKEN: Final = 20  # truncated inputs that are listed
_NAMES: Final = (  # what is told, in this order
    "method", "passes", "pages", "sites", "chars", "template_chars", "template_share", "segments",
    "template_segments", "recoded", "skipped", "rejected", "broken", "nameless", "peerless", "site_by",
    "notes", "seconds", "removed",
)  # fmt: skip
_WIDTH: Final = 70  # characters of a removed text that a line shows


@dataclass(slots=True)
class Summary:
    """Counts of a run.

    ``method``, ``site_by``, ``seconds``: its method, what is one site, and the wall-clock time.
    ``passes``: 1: each page was cleaned as it arrived; 2: all pages were learned first.
    ``pages``, ``sites``: pages cleaned, and their sites.
    ``chars``, ``template_chars``, ``segments``, ``template_segments``: characters of text with white space
        collapsed, and text segments: all, and those removed.
    ``recoded``: pages that were read as UTF-8 although they, or their servers, declare another encoding.
    ``skipped``, ``rejected``: skips by reason; number of those that were, or should have been, pages.
    ``broken``: inputs that ended early, and why; the first 20.
    ``nameless``: pages without a URL: all of an input are one site.
    ``peerless``: pages that a method could not compare with another page, though it needs one.
    ``notes``: what else a person should know, a sentence each.
    ``removed``, ``show``: number of places that each text was removed from; number of texts that are listed;
        0: none is counted. Of more than 200,000 texts, the rarer half is dropped.
    """

    method: str
    passes: int
    pages: int = 0
    sites: int = 0
    chars: int = 0
    template_chars: int = 0
    segments: int = 0
    template_segments: int = 0
    recoded: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    rejected: int = 0
    broken: list[str] = field(default_factory=list)
    nameless: int = 0
    peerless: int = 0
    site_by: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    removed: Counter[str] = field(default_factory=Counter)
    show: int = 0

    def add(self, counts: Mapping[str, Any]) -> None:
        """Add the :attr:`state` of a part of the run."""
        for name in ("pages", "rejected", *_OF_PAGES):
            setattr(self, name, getattr(self, name) + counts[name])
        self.skipped += Counter(counts["skipped"])
        self.broken = (self.broken + counts["broken"])[:_MOST_BROKEN]

    def skip(self, skip: Skip) -> None:
        """Count a skip."""
        self.skipped[skip.reason] += 1
        self.rejected += skip.rejected
        if skip.reason == "truncated" and len(self.broken) < _MOST_BROKEN:
            self.broken.append(f"{skip.source.path if skip.source else skip.url}: {skip.detail}")

    def count(self, page: Cleaned) -> None:
        """Count a cleaned page."""
        self.pages += 1
        for name in _OF_PAGES:
            setattr(self, name, getattr(self, name) + getattr(page, name))
        if self.show:
            self.count_texts(page.removed)

    def count_texts(self, texts: Iterable[str]) -> None:
        """Count texts that were removed from a page."""
        self.removed.update(texts)
        if len(self.removed) > _MOST_TEXTS:
            self.removed = Counter(dict(self.removed.most_common(_MOST_TEXTS // 2)))

    @property
    def template_share(self) -> float:
        """Share of the characters that was removed, in [0, 1]."""
        return self.template_chars / self.chars if self.chars else 0.0

    @property
    def state(self) -> dict[str, Any]:
        """All counts as JSON holds them, for :meth:`of_state`."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the summary that a state was taken of."""
        counters = {
            each.name: Counter(state[each.name]) for each in fields(cls) if each.default_factory is Counter
        }
        return cls(**{**state, **counters})

    def as_dict(self) -> dict[str, object]:
        """Give the counts as a JSON object."""
        made = {
            "template_share": round(self.template_share, 6),
            "skipped": dict(self.skipped.most_common()),
            "seconds": round(self.seconds, 3),
            "removed": dict(self.removed.most_common(self.show)),
        }
        told = self.state | made
        return {name: told[name] for name in (_NAMES if self.show else _NAMES[:-1])}

    def lines(self) -> list[str]:
        """Give the summary as lines of text for a person."""
        lines = [
            self._told("cleaned", " in one pass" if self.passes == 1 else " in two passes"),
            f"removed {self.template_share:.1%} of the text: {self.template_chars:,} of "
            f"{counted(self.chars, 'character')}, {self.template_segments:,} of "
            f"{counted(self.segments, 'segment')}",
        ]
        if self.recoded:
            pages = "page declares" if self.recoded == 1 else "pages declare"
            lines.append(f"{self.recoded:,} {pages} another encoding than UTF-8, which the bytes are in")
        lines += self._warnings() + self.skip_lines()
        if self.show:
            lines.append("removed most often:")
            for text, places in self.removed.most_common(self.show):
                lines.append(f"{places:>9,} × {abridged(' '.join(text.split()), _WIDTH)}")
        return lines

    def _warnings(self) -> list[str]:
        """Give what may have gone wrong unseen as lines of text."""
        lines = list(self.notes)
        if self.nameless > 1:
            lines.append(
                f"no URL is known of {self.nameless:,} pages, so all pages of an input are one site: name "
                "the column or key with --url-column"
            )
        if self.peerless:
            pages = "page has" if self.peerless == 1 else "pages have"
            lines.append(
                f"{self.peerless:,} {pages} no other page of the site, which {self.method} "
                "compares them with: nothing was removed"
            )
        return lines

    def _told(self, done: str, how: str = "") -> str:
        """Tell how many pages were done, and how fast."""
        rate = self.pages / self.seconds if self.seconds else 0.0
        by = f" (by {self.site_by})" if self.site_by else ""
        return (
            f"{counted(self.pages, 'page')} of {counted(self.sites, 'site')}{by} {done} by "
            f"{self.method}{how}, {self.seconds:.1f} s ({rate:,.0f} pages/s)"
        )

    def skip_lines(self) -> list[str]:
        """Give what was skipped, and the inputs that ended early, as lines of text."""
        return skipped_lines(self.skipped) + self.broken


@dataclass(slots=True)
class LearningSummary(Summary):
    """Counts of a run that only learns: those of :class:`Summary` that it has, and one more.

    ``looks`` are pages that were scored after all were learned, for the histories of their sites.
    """

    looks: int = 0

    def as_dict(self) -> dict[str, object]:
        """Give the counts as a JSON object."""
        every = Summary.as_dict(self) | {"looks": self.looks}
        names = ("method", "pages", "sites", "looks", "skipped", "rejected", "broken", "nameless", "seconds")
        return {name: every[name] for name in names}

    def lines(self) -> list[str]:
        """Give the counts as lines of text for a person."""
        return [self._told("learned"), *self._warnings(), *self.skip_lines()]


def run_pass(
    reader: Reader[Made],
    work: Callable[[Made], Skip | None],
    *,
    summary: Summary,
    rejects: Rejects,
    meter: Meter,
) -> None:
    """Work through a reader's items; count, record and show what is done and what is lost.

    The work on an item adds it to the summary, or gives a skip if the page was lost. Raises UserError if too
    many records were bad.
    """
    for item in reader:
        skip = item if isinstance(item, Skip) else work(item)
        if skip is not None:
            if skip is not item:
                reader.losses.swap(skip)
            summary.skip(skip)
            rejects.write(skip)
        meter.advance(summary.pages, summary.sites)
