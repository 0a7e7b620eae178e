"""What a run did, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.io.record import Skip
    from detemplate.output.result import Result


_MOST_TEXTS = 200_000
_MOST_BROKEN = 20
_WIDTH = 70


@dataclass(slots=True)
class Summary:
    """Counts of a run.

    Attributes
    ----------
    method
        The method that judged.
    passes
        1 if each page was cleaned as it arrived, 2 if all were learnt first.
    pages, sites
        Pages cleaned, and the sites that they belong to.
    chars, template_chars
        Characters of their text, white space collapsed: all, and those removed.
    segments, template_segments
        Their text segments: all, and those removed.
    skipped
        What was no page to clean, by reason.
    rejected
        How many of these were, or should have been, pages.
    broken
        Where inputs ended before they were whole, and why; the first few.
    seconds
        Wall-clock time.
    removed
        Texts that were removed, and from how many places; only if asked for (``show``). Bounded: of
        more than 200,000 texts, the rarer half is dropped now and then.
    show
        How many of the most removed texts to tell; 0 for none.
    """

    method: str
    passes: int
    pages: int = 0
    sites: int = 0
    chars: int = 0
    template_chars: int = 0
    segments: int = 0
    template_segments: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    rejected: int = 0
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    removed: Counter[str] = field(default_factory=Counter)
    show: int = 0

    def skip(self, skip: Skip) -> None:
        """Add something that was no page to clean."""
        self.skipped[skip.reason] += 1
        self.rejected += skip.rejected
        if skip.reason == "truncated" and len(self.broken) < _MOST_BROKEN:
            self.broken.append(f"{skip.source.path if skip.source else skip.url}: {skip.detail}")

    def count(self, result: Result) -> None:
        """Add a cleaned page."""
        chars, template = result.chars
        self.pages += 1
        self.chars += chars
        self.template_chars += template
        self.segments += result.segments
        self.template_segments += result.template_segments
        if self.show:
            self.count_texts(result.removed_texts())

    def count_texts(self, texts: Iterable[str]) -> None:
        """Add texts that were removed from a page."""
        self.removed.update(texts)
        if len(self.removed) > _MOST_TEXTS:
            self.removed = Counter(dict(self.removed.most_common(_MOST_TEXTS // 2)))

    @property
    def template_share(self) -> float:
        """Share of the characters that was removed."""
        return self.template_chars / self.chars if self.chars else 0.0

    def as_dict(self) -> dict[str, object]:
        """Give everything as what JSON can hold."""
        return {
            "method": self.method,
            "passes": self.passes,
            "pages": self.pages,
            "sites": self.sites,
            "chars": self.chars,
            "template_chars": self.template_chars,
            "template_share": round(self.template_share, 6),
            "segments": self.segments,
            "template_segments": self.template_segments,
            "skipped": dict(self.skipped.most_common()),
            "rejected": self.rejected,
            "broken": self.broken,
            "seconds": round(self.seconds, 3),
            **({"removed": dict(self.removed.most_common(self.show))} if self.show else {}),
        }

    def lines(self) -> list[str]:
        """Give the summary as lines for a person."""
        rate = self.pages / self.seconds if self.seconds else 0.0
        passes = "one pass" if self.passes == 1 else "two passes"
        told = [
            f"{self.pages:,} pages of {self.sites:,} {'site' if self.sites == 1 else 'sites'} cleaned by "
            f"{self.method} in {passes}, {self.seconds:.1f} s ({rate:,.0f} pages/s)",
            f"removed {self.template_share:.1%} of the text: {self.template_chars:,} of {self.chars:,} "
            f"characters, {self.template_segments:,} of {self.segments:,} segments",
        ]
        if self.skipped:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped.most_common())
            told.append(f"skipped {sum(self.skipped.values()):,}: {reasons}")
        told += self.broken
        if self.show:
            told.append("removed most often:")
            for text, places in self.removed.most_common(self.show):
                told.append(f"{places:>9,} × {text if len(text) <= _WIDTH else text[: _WIDTH - 1] + '…'}")
        return told
