"""The nearest file name of a directory, by edit distance, without a look at each of its names."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Final

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EXACT: Final = 16_384
"""Names up to which all are compared."""

NEIGHBOURS: Final = 1024
"""Names on each side, in the order of the names and in that of the reversed names, that are compared in
larger directories."""

_MOST_EDITS: Final = 100_000  # edited names that are looked up at most
_FEW: Final = 64  # names that are put into sorted lists one by one
_MOST_FRESH: Final = 1024  # names that are not sorted yet; all are compared


class NearestNames:
    """The file names of a directory and their URLs.

    Notes
    -----
    Up to :data:`EXACT` names, the nearest is that of the definition: the smallest edit distance and, of
    several such names, the lexicographically first. Among more, it is too if its distance is at most 1, which
    is looked up edit by edit. Else it is the nearest among the :data:`NEIGHBOURS` names on each side in the
    order of the names, and in that of the reversed names. So a nearer name is missed only if more names than
    these share its beginning with the page's name, and more share its end.

    The time of a choice does not depend on the number of names, apart from two searches in sorted lists.
    """

    def __init__(self) -> None:
        self._urls: dict[str, list[str]] = {}
        self._sorted: list[str] = []
        self._turned: list[str] = []  # the names, reversed, sorted
        self._fresh: dict[str, None] = {}  # names that are in neither list
        self._letters: set[str] = set()

    def add(self, name: str, url: str) -> None:
        """Add a page."""
        urls = self._urls.get(name)
        if urls is None:
            urls = self._urls[name] = []
            self._fresh[name] = None
            self._letters.update(name)
        insort(urls, url)

    def remove(self, name: str, url: str) -> None:
        """Remove a page that was added."""
        urls = self._urls[name]
        urls.remove(url)
        if not urls:
            del self._urls[name]
            self._fresh.pop(name, None)  # in the sorted lists it stands until they are made anew

    def nearest(self, name: str, url: str) -> str | None:
        """Return the URL of the nearest page that has not this URL; None if there is none."""
        same = [other for other in self._urls.get(name, ()) if other != url]
        if same:
            return same[0]
        stale = len(self._sorted) > 2 * len(self._urls) + _FEW
        if stale or len(self._fresh) > (_MOST_FRESH if len(self._urls) > EXACT else _FEW):
            self._sort()
        elif len(self._urls) <= EXACT:
            while self._fresh:
                added, _ = self._fresh.popitem()
                insort(self._sorted, added)
                insort(self._turned, added[::-1])
        if len(self._urls) > EXACT:
            edited = [other for other in self._edits(name) if other in self._urls]
            if edited:
                return self._urls[min(edited)][0]
            names: Iterable[str] = sorted({*self._around(name), *self._fresh})
        else:
            names = self._sorted
        others = [other for other in names if other != name and other in self._urls]
        # The names are sorted: the first at the smallest distance is the lexicographically first.
        found = process.extractOne(name, others, scorer=Levenshtein.distance, processor=None)
        return None if found is None else self._urls[found[0]][0]

    def _sort(self) -> None:
        """Put all names into the sorted lists."""
        names = [each for each in self._sorted if each in self._urls]
        added = [each for each in self._fresh if each in self._urls]
        turned = [each for each in self._turned if each[::-1] in self._urls]
        # Sorting what is sorted but for its end takes one merge.
        self._sorted = sorted(dict.fromkeys([*names, *sorted(added)]))
        self._turned = sorted(dict.fromkeys([*turned, *sorted(each[::-1] for each in added)]))
        self._fresh.clear()

    def _edits(self, name: str) -> Iterator[str]:
        """Yield all names at distance 1 that letters of the directory make; none if they are too many."""
        if 2 * (len(name) + 1) * len(self._letters) > _MOST_EDITS:
            return
        for at in range(len(name) + 1):
            before, after = name[:at], name[at:]
            for letter in self._letters:
                yield before + letter + after
            if after:
                rest = after[1:]
                yield before + rest
                for letter in self._letters:
                    if letter != after[0]:
                        yield before + letter + rest

    def _around(self, name: str) -> Iterator[str]:
        """Yield the neighbours of a name in both orders."""
        at = bisect_left(self._sorted, name)
        yield from self._sorted[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
        at = bisect_left(self._turned, name[::-1])
        for turned in self._turned[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
            yield turned[::-1]
