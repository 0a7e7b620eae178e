"""The keys of a site's first pages: what joining two parts of a site needs, and nothing else.

They are the larger part of a site's state, and do not change. So a site that is put away leaves those in the
temporary file that went there before, and has them read only when they are asked for.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.auto import sitecounts
from detemplate.detectors.auto.sharetable import SIGNATURES
from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.state import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Self

    import numpy.typing as npt

FIRST_TYPES: Final = {
    "first": "<u8", "first keys": "<i4", "first slot": "<i4", "first votes": "|u1",
    "first signatures": "<u8", "first sizes": "<i4",
}  # fmt: skip
"""Columns of the first pages in a state, and their types.

All keys that they have, each once; then page after page the places of its keys among these, and its other
columns; then two columns of pages.
"""

_PART_TYPES: Final = {"keys": "<u8"} | {name: FIRST_TYPES[name] for name in list(FIRST_TYPES)[2:]}
"""Columns of a part: the keys themselves, page after page, and the other columns."""

_PART: Final = "first pages"

_VERSION: Final = 1


class FirstPages:
    """The first pages of a site.

    Parameters
    ----------
    most
        Maximum number of their keys together.

    Attributes
    ----------
    nbytes
        Memory held, in bytes.
    """

    def __init__(self, most: int) -> None:
        self._pages: list[SiteKeys] = []
        self._room = most
        self._away = 0
        self._parts: Callable[[], Iterable[bytes]] = list
        self.nbytes = 0

    def __len__(self) -> int:
        return self._away + len(self._pages)

    def __iter__(self) -> Iterator[SiteKeys]:
        if self._away:
            yield from islice((page for part in self._parts() for page in _pages_of(part)), self._away)
        yield from self._pages

    def add(self, page: SiteKeys) -> None:
        """Take in the site's next page, if it is one of the first and there is room for its keys."""
        if len(page.keys) <= self._room and len(self) < sitecounts.WINDOW:
            self._pages.append(page)
            self._room -= len(page.keys)
            self.nbytes += page.nbytes

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Give the columns, by name."""
        keys, *columns = _columns(self)
        every, places = np.unique(keys, return_inverse=True)
        return dict(zip(FIRST_TYPES, [every, places.astype(np.int32), *columns], strict=True))

    def load(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill an empty object with the columns of :meth:`dump`.

        Raises
        ------
        ValueError
            The columns contradict each other.
        """
        every, places, *others = (columns[name] for name in FIRST_TYPES)
        if ((places < 0) | (places >= len(every))).any():
            raise ValueError("there is no such key")
        self._pages = _pages(every[places], *others)
        self._room -= sum(len(page.keys) for page in self._pages)
        self.nbytes = sum(page.nbytes for page in self._pages)

    @property
    def numbers(self) -> dict[str, int]:
        """What a detector that is put away has to know of the pages: how many, and the room for others."""
        return {"first pages": len(self), "first room": self._room}

    def part(self) -> bytes:
        """Give the pages since the last part, as bytes; none if there are none."""
        if not self._pages:
            return b""
        return pack(
            _PART, _VERSION, {}, dict(zip(_PART_TYPES, _columns(self._pages), strict=True)), narrow=True
        )

    @classmethod
    def taken_back(cls, numbers: Mapping[str, int], parts: Callable[[], Iterable[bytes]]) -> Self:
        """Make an object that goes on after :attr:`numbers`, and reads the parts when it must."""
        found = cls(numbers["first room"])
        found._away, found._parts = numbers["first pages"], parts
        return found


def _columns(pages: Iterable[SiteKeys]) -> list[npt.NDArray[Any]]:
    """Join the columns of pages: keys, slots, votes, signatures and sizes."""
    rows: list[tuple[npt.NDArray[Any], ...]] = [
        (page.keys, page.slot, page.votes.view(np.uint8), page.signatures, page.sizes) for page in pages
    ]
    empty = tuple(np.zeros(0, kind) for kind in _PART_TYPES.values())
    return [np.concatenate(column) for column in zip(empty, *rows, strict=True)]


def _pages_of(part: bytes) -> list[SiteKeys]:
    return _pages(*unpack(part, _PART, _VERSION, _PART_TYPES)[1].values())


def _pages(
    keys: npt.NDArray[Any],
    slot: npt.NDArray[Any],
    votes: npt.NDArray[Any],
    signatures: npt.NDArray[Any],
    sizes: npt.NDArray[Any],
) -> list[SiteKeys]:
    """Give the pages in columns; raises ValueError if they are no pages."""
    rows = [keys, slot, votes]
    sizes = sizes.astype(np.int64).reshape(-1, len(rows))
    if (sizes < 1).any() or sizes.sum(axis=0).tolist() != [len(column) for column in rows]:
        raise ValueError("the first pages have other sizes")
    parts = (np.split(row, ends)[:-1] for row, ends in zip(rows, sizes.cumsum(axis=0).T, strict=True))
    signed = signatures.reshape(-1, SIGNATURES)
    pages = [
        SiteKeys(keys, signs, slot, votes.view(np.bool_))
        for keys, slot, votes, signs in zip(*parts, signed, strict=True)
    ]
    if not all(page.whole for page in pages):
        raise ValueError("the first pages are inconsistent")
    return pages
