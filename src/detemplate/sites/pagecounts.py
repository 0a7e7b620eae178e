"""What a site's history keeps of its pages together: counts that a report shows. No page is kept by itself.

All is bounded, and counts of two runs add up: :meth:`PageCounts.merge`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from detemplate.algorithms.keysample import KeySample
from detemplate.page.address import directory
from detemplate.sites.glance import TEXTS

if TYPE_CHECKING:
    from detemplate.sites.glance import Glance

BINS: Final = 20
"""Bins of shares of template, of equal width."""

_DIRECTORIES: Final = 48
"""Maximum number of directories that are told apart."""

_URLS: Final = 8
"""URLs of pages out of line that are kept, of each kind: the last ones."""

_NAME: Final = 120
"""Characters of a directory's name that are kept."""

_URL: Final = 200
"""Characters of a URL that are kept."""


_WAITING: Final = 32
"""Pages whose texts are taken into the samples together: one by one takes six times as long."""


_SEGMENTS: Final = 8192
"""Segments of pages that may wait."""


@dataclass(slots=True)
class Few:
    """Pages of one kind.

    Attributes
    ----------
    pages
        Their number.
    urls
        The URLs of the last ones.
    """

    pages: int = 0
    urls: list[str] = field(default_factory=list)

    def add(self, pages: int, urls: list[str]) -> None:
        """Add later pages."""
        self.pages += pages
        self.urls = [*self.urls, *urls][-_URLS:]


@dataclass(slots=True)
class PageCounts:
    """Counts of the pages of a site, in their order.

    Attributes
    ----------
    pages
        Number of pages.
    total
        Sum of their shares of template.
    shares
        Pages by share of template, in :data:`BINS` bins.
    directories
        By name: pages, and the sum of their shares. Of more than 48, those with many pages are kept
        (Misra and Gries 1982): each number may be too low, by at most ``lost``. As long as ``lost`` is 0, all
        are there, and the numbers are right.
    lost
        At most a 49th of the pages.
    none, only
        Pages without template, and pages with nothing else.
    removed, kept
        Samples of the texts that were removed, and of those that were kept, but for the pages that wait:
        pages of each, and the first. A text that a page has several times can be both.
    waiting
        Keys of the segments of the last pages, and which of them were removed. :meth:`sample` takes them in.
    """

    pages: int = 0
    total: float = 0.0
    shares: list[int] = field(default_factory=lambda: [0] * BINS)
    directories: dict[str, tuple[int, float]] = field(default_factory=dict)
    lost: int = 0
    none: Few = field(default_factory=Few)
    only: Few = field(default_factory=Few)
    removed: KeySample = field(default_factory=lambda: KeySample(TEXTS))
    kept: KeySample = field(default_factory=lambda: KeySample(TEXTS))
    waiting: list[tuple[bytes, bytes]] = field(default_factory=list)

    def add(self, glance: Glance) -> None:
        """Count a page."""
        share = glance.share
        self.pages += 1
        self.total += share
        self.shares[min(int(share * BINS), BINS - 1)] += 1
        if not glance.chars or share >= 1:
            self.only.add(1, [_cut(glance.url, _URL)])
        elif share == 0:
            self.none.add(1, [_cut(glance.url, _URL)])
        name = _directory(glance.url)
        pages, total = self.directories.get(name, (0, 0.0))
        self.directories[name] = pages + 1, total + share
        if len(self.directories) > _DIRECTORIES:
            self._cut_directories()
        self.waiting.append((glance.every, glance.goes))
        if len(self.waiting) >= _WAITING or sum(len(goes) for _, goes in self.waiting) >= _SEGMENTS:
            self.sample()

    def sample(self) -> None:
        """Take the texts of pages that wait into the samples."""
        if not self.waiting:
            return
        waiting, self.waiting = self.waiting, []
        keys = np.frombuffer(b"".join([every for every, _ in waiting]), np.uint64)
        goes = np.frombuffer(b"".join([goes for _, goes in waiting]), np.bool_)
        numbers = np.arange(self.pages - len(waiting) + 1, self.pages + 1, dtype=np.uint32)
        pages = np.repeat(numbers, [len(goes) for _, goes in waiting])
        for sample, chosen in ((self.removed, goes), (self.kept, ~goes)):
            sample.add(keys[chosen], pages[chosen])

    def _cut_directories(self) -> None:
        """Subtract the count of the largest one too many from all; drop those without a count left."""
        counts = sorted((pages for pages, _ in self.directories.values()), reverse=True)
        if len(counts) <= _DIRECTORIES:
            return
        less = counts[_DIRECTORIES]
        self.lost += less
        self.directories = {
            name: (pages - less, total * (pages - less) / pages)
            for name, (pages, total) in self.directories.items()
            if pages > less
        }

    def merge(self, later: PageCounts) -> PageCounts:
        """Return the counts of this one's pages and then the other's; neither changes.

        They are those of one run over all pages, with one exception: of more directories than are told apart,
        other ones may be left. The bound of ``lost`` holds for all pages together.
        """
        joined = self.from_json(self.to_json())
        joined.pages += later.pages
        joined.total += later.total
        joined.shares = [one + two for one, two in zip(self.shares, later.shares, strict=True)]
        for name, (pages, total) in later.directories.items():
            before = joined.directories.get(name, (0, 0.0))
            joined.directories[name] = before[0] + pages, before[1] + total
        joined.lost += later.lost
        joined._cut_directories()
        joined.none.add(later.none.pages, later.none.urls)
        joined.only.add(later.only.pages, later.only.urls)
        later.sample()
        joined.removed = self.removed.merge(later.removed, self.pages)
        joined.kept = self.kept.merge(later.kept, self.pages)
        return joined

    def to_json(self) -> dict[str, Any]:
        """Give the counts as a JSON object."""
        self.sample()
        return {
            "pages": self.pages,
            "total": round(self.total, 4),
            "shares": self.shares,
            "directories": [
                [name, pages, round(total, 4)] for name, (pages, total) in self.directories.items()
            ],
            "lost": self.lost,
            "none": [self.none.pages, self.none.urls],
            "only": [self.only.pages, self.only.urls],
            "removed": self.removed.to_text(),
            "kept": self.kept.to_text(),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Read what :meth:`to_json` gave; raises ValueError, LookupError or TypeError for anything else."""
        counts = cls(int(values["pages"]), float(values["total"]), [int(each) for each in values["shares"]])
        if len(counts.shares) != BINS:
            raise ValueError(f"it has {len(counts.shares)} bins of shares")
        counts.directories = {
            str(name): (int(pages), float(total)) for name, pages, total in values["directories"]
        }
        counts.lost = int(values["lost"])
        counts.none, counts.only = (
            Few(int(pages), [str(url) for url in urls]) for pages, urls in (values["none"], values["only"])
        )
        counts.removed, counts.kept = (
            KeySample.from_text(values[name], TEXTS) for name in ("removed", "kept")
        )
        return counts


def _directory(url: str) -> str:
    """Name the directory of a page."""
    plain = url.count("/") > 2 and "?" not in url and "#" not in url
    return _known_directory(url[: url.rfind("/") + 1]) if plain else _shown(url)


def _shown(url: str) -> str:
    return _cut(directory(url), _NAME)


_known_directory = lru_cache(maxsize=1024)(_shown)
"""Pages one after the other are often of one directory."""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
