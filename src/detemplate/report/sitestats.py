"""What a report tells of one site, gathered page by page in bounded memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.page.address import directory
from detemplate.report.frequencies import Counted, frequency_bins

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table

    Keys = npt.NDArray[np.uint64]

BINS: Final = 20
"""Bars of a distribution of shares."""

_OUTLIERS: Final = 25  # pages of one kind that are listed
_DIRECTORIES: Final = 2000  # directories of a site that are told apart; the others are counted as one
_LISTED: Final = 20  # directories that are listed
_POINTS: Final = 128  # maximum number of points of the curve of growth
_KEYS: Final = 500_000  # different segments of a site that are counted; beyond, the rarest are forgotten
_OTHERS: Final = "(others)"  # name of the directories that are not told apart


@dataclass(slots=True)
class Seen:
    """What a report takes from one page.

    ``url``, ``site``: the page's URL and its site.
    ``share``: share of the text's characters that are template, in [0, 1].
    ``chars``: characters of text.
    ``keys``: keys of the page's segments, each once.
    ``template``, ``content``: those that are template, and those that are content; some may be both, at
        different places.
    """

    url: str
    site: str
    share: float
    chars: int
    keys: Keys
    template: Keys
    content: Keys


@dataclass(slots=True)
class SiteStats:
    """Counts of one site.

    ``pages``: number of pages.
    ``shares``: pages by share of template, in :data:`BINS` bins.
    ``total``: sum of the shares.
    ``none``, ``only``: pages without template, and pages with nothing else: how many, and the first URLs.
    ``directories``: pages, and the sum of their shares, by directory.
    ``growth``: pages; different segments seen on them; and those of them that were removed.
    """

    pages: int = 0
    shares: list[int] = field(default_factory=lambda: [0] * BINS)
    total: float = 0.0
    none: tuple[int, list[str]] = field(default_factory=lambda: (0, []))
    only: tuple[int, list[str]] = field(default_factory=lambda: (0, []))
    directories: dict[str, tuple[int, float]] = field(default_factory=dict)
    growth: list[tuple[int, int, int]] = field(default_factory=list)
    _stride: int = 1
    _every: Table = field(default_factory=lambda: recurrence_table([-1], _KEYS))
    _template: Table = field(default_factory=lambda: recurrence_table([-1], _KEYS))
    _content: Table = field(default_factory=lambda: recurrence_table([-1], _KEYS))

    def add(self, seen: Seen) -> None:
        """Count a page."""
        self.pages += 1
        self.shares[min(int(seen.share * BINS), BINS - 1)] += 1
        self.total += seen.share
        if seen.chars and seen.share == 0:
            self.none = _listed(self.none, seen.url)
        if not seen.chars or seen.share >= 1:
            self.only = _listed(self.only, seen.url)
        name = directory(seen.url)
        if name not in self.directories and len(self.directories) >= _DIRECTORIES:
            name = _OTHERS
        pages, total = self.directories.get(name, (0, 0.0))
        self.directories[name] = pages + 1, total + seen.share
        self._every.observe(seen.keys)
        self._template.observe(seen.template)
        self._content.observe(seen.content)
        if self.pages % self._stride == 0:
            self.growth.append((self.pages, len(self._every), len(self._template)))
            if len(self.growth) > _POINTS:
                self.growth, self._stride = self.growth[1::2], 2 * self._stride

    def frequencies(self) -> tuple[list[dict[str, int]], int | None]:
        """Count different segments by numbers of pages.

        Returns what :func:`~detemplate.report.frequencies.frequency_bins` does.
        """
        removed, kept = (Counted(table.dump()[1]) for table in (self._template, self._content))
        return frequency_bins(removed, kept, self.pages)

    def removed_pages(self, keys: Iterable[int]) -> dict[int, int]:
        """Return the number of pages from which each of some segments was removed."""
        listed = list(keys)
        return dict(zip(listed, self._template.counts(np.array(listed, np.uint64)).tolist(), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        bins, cut = self.frequencies()
        most = Counter({name: pages for name, (pages, _) in self.directories.items()}).most_common(_LISTED)
        return {
            "shares": self.shares,
            "frequencies": bins,
            "cut": cut,
            "growth": [*self.growth, (self.pages, len(self._every), len(self._template))],
            "directories": [
                {"name": name, "pages": pages, "share": round(self.directories[name][1] / pages, 3)}
                for name, pages in most
            ],
            "all_directories": len(self.directories),
            "none": {"pages": self.none[0], "urls": self.none[1]},
            "only": {"pages": self.only[0], "urls": self.only[1]},
        }


def _listed(seen: tuple[int, list[str]], url: str) -> tuple[int, list[str]]:
    """Count a page, and list it if there is room."""
    count, urls = seen
    return count + 1, [*urls, url] if len(urls) < _OUTLIERS else urls
