"""The nearest file name of a directory, by edit distance, without a look at each of its names."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Final

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    from collections.abc import Iterator

EXACT: Final = 16_384
"""Names up to which all are compared."""

NEIGHBOURS: Final = 1024
"""Names on each side, in the order of the names and in that of the reversed names, that are compared in
larger directories."""


class NearestNames:
    """The file names of a directory and their URLs.

    Notes
    -----
    Up to :data:`EXACT` names, the nearest is that of the definition: the smallest edit distance and, of
    several such names, the lexicographically first. Among more, it is the nearest of the :data:`NEIGHBOURS`
    names on each side in the order of the names, and in that of the reversed names. So a nearer name is
    missed only if more names than these share its beginning with the page's name, and more share its end.

    The time of a choice does not depend on the number of names, apart from two searches in sorted lists.
    """

    def __init__(self) -> None:
        self._urls: dict[str, list[str]] = {}
        self._sorted: list[str] = []
        self._turned: list[str] = []  # the names, reversed, sorted

    def add(self, name: str, url: str) -> None:
        """Add a page."""
        if name not in self._urls:
            insort(self._sorted, name)
            insort(self._turned, name[::-1])
        insort(self._urls.setdefault(name, []), url)

    def remove(self, name: str, url: str) -> None:
        """Remove a page that was added."""
        urls = self._urls[name]
        urls.remove(url)
        if not urls:
            del self._urls[name]
            del self._sorted[bisect_left(self._sorted, name)]
            del self._turned[bisect_left(self._turned, name[::-1])]

    def nearest(self, name: str, url: str) -> str | None:
        """Return the URL of the nearest page that has not this URL; None if there is none."""
        same = [other for other in self._urls.get(name, ()) if other != url]
        if same:
            return same[0]
        names = self._sorted if len(self._urls) <= EXACT else sorted({*self._around(name)})
        others = [other for other in names if other != name]
        # The names are sorted: the first at the smallest distance is the lexicographically first.
        found = process.extractOne(name, others, scorer=Levenshtein.distance, processor=None)
        return None if found is None else self._urls[found[0]][0]

    def _around(self, name: str) -> Iterator[str]:
        """Yield the neighbours of a name in both orders."""
        at = bisect_left(self._sorted, name)
        yield from self._sorted[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
        at = bisect_left(self._turned, name[::-1])
        for turned in self._turned[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
            yield turned[::-1]
