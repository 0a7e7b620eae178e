"""The part of a piece as a file of a checkpoint; reading it executes nothing.

The file is compressed. It has the length of a JSON object, the object, and bytes to which the object refers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from detemplate.detectors.state import DAMAGE
from detemplate.errors import PageError
from detemplate.io.sinks.out import EncodedRow
from detemplate.run.pagework import Cleaned
from detemplate.sites.history import Glance

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from detemplate.run.pieces import Piece

_LARGEST: Final = 1 << 30
"""Maximum size of a part, in bytes; a larger one is done again."""

_PACKER: Final = zstandard.ZstdCompressor(level=-1, write_checksum=True)
_LENGTH: Final = 8  # bytes of the object's length


def packed(piece: Piece, outcomes: Mapping[int, Any], queries: Mapping[Any, Any]) -> bytes:
    """Return the file of a piece that is done.

    Of the outcomes by place, :class:`~detemplate.run.pagework.Cleaned` and errors are kept. ``queries`` are
    the sites and the queries of the pages that were learnt.
    """
    errors = {place: each for place, each in outcomes.items() if isinstance(each, PageError)}
    told = {
        "items": len(piece.items),
        "queries": queries,
        "lost": {place: (error.reason, error.detail) for place, error in errors.items()},
        "rows": {place: _row(each) for place, each in outcomes.items() if isinstance(each, Cleaned)},
    }
    behind = bytearray()

    def place_of(value: Any) -> list[Any]:  # noqa: ANN401
        """Put bytes or an array behind the object; return what stands for it."""
        start = len(behind)
        if isinstance(value, bytes):
            behind.extend(value)
            return [start, len(value)]
        behind.extend(value.tobytes())
        return [start, len(behind) - start, value.dtype.str, value.shape]

    head = json.dumps(told, default=place_of).encode()
    return _PACKER.compress(b"".join([len(head).to_bytes(_LENGTH, "little"), head, behind]))


class Part:
    """What an earlier process has done of a piece, read from its file.

    It is ``whole`` if the file is there, undamaged, and of such a piece.
    """

    def __init__(self, file: Path, piece: Piece) -> None:
        self.whole = False
        self.lost: dict[int, PageError] = {}
        try:
            data = _unpacked(file.read_bytes())
            end = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
            told, self._behind = json.loads(data[_LENGTH:end]), data[end:]
            if told["items"] != len(piece.items):
                return
            self._queries = told["queries"]
            for place, (reason, detail) in told["lost"].items():
                url = str(getattr(piece.given[int(place)], "url", ""))
                self.lost[int(place)] = PageError(str(reason), str(detail), url)
            done = {int(place): self._cleaned(row) for place, row in told["rows"].items()} | self.lost
            self.outcomes = [done.get(place) for place in range(len(piece.items))]
        except (OSError, zstandard.ZstdError, *DAMAGE):
            return
        self.whole = True

    def queries(self, like: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
        """Return the sites and the queries of the pages that were learnt; every query is like the given one.

        Raises one of :data:`~detemplate.detectors.state.DAMAGE` for others.
        """
        return [(str(site), self._like(query, like)) for site, query in self._queries.values()]

    def _like(self, told: Any, like: Any) -> Any:  # noqa: ANN401
        """Return a value of the type of another one; tuples of numbers and lists may differ in length."""
        if told is None:
            return None
        if isinstance(like, bytes):
            return self._bytes(told)
        if isinstance(like, np.ndarray):
            *place, dtype, shape = told
            if dtype != like.dtype.str or shape[1:] != list(like.shape[1:]):
                raise ValueError("an array has another type")
            return np.frombuffer(self._bytes(place), like.dtype).reshape(shape).copy()
        if isinstance(like, tuple) and not all(isinstance(each, int) for each in like):
            every = [self._like(*each) for each in zip(told, like, strict=True)]
            return type(like)(*every) if hasattr(like, "_fields") else tuple(every)
        if isinstance(like, tuple | list):
            return type(like)(self._like(each, like[0]) for each in told)
        if type(told) is not type(like):
            raise TypeError("a value has another type")
        return told

    def _bytes(self, place: list[Any]) -> bytes:
        start, size = map(int, place)
        found = self._behind[start : start + size]
        if start < 0 or len(found) != size:
            raise ValueError("bytes are missing")
        return found

    def _cleaned(self, told: list[Any]) -> Cleaned:
        """Return the page of what :func:`_row` made."""
        row, site, chars, cut, segments, cut_segments, removed, seen, seconds, *flags, rules = told
        if isinstance(row, list):
            row = EncodedRow(self._bytes(row[0]), tuple(row[1]))
        if seen is not None:
            share, keys, texts, url, page_chars, every, goes = seen
            taken = tuple(map(int, keys)), tuple(map(str, texts)), str(url), int(page_chars)
            seen = Glance(float(share), *taken, self._bytes(every), self._bytes(goes))
        counts = int(chars), int(cut), int(segments), int(cut_segments)
        recoded, peerless = map(bool, flags)
        rest = float(seconds), recoded, peerless, tuple(map(str, rules))
        return Cleaned(row, str(site), *counts, tuple(map(str, removed)), seen, *rest)


def _unpacked(data: bytes) -> bytes:
    """Decompress a part; raises ValueError before its memory is taken where it says that it is too large."""
    if not 0 <= zstandard.frame_content_size(data) <= _LARGEST:
        raise ValueError("the part is too large")
    return zstandard.decompress(data)


def _row(page: Cleaned) -> tuple[Any, ...]:
    """Return a cleaned page for JSON."""
    seen = page.glance
    if seen is not None:
        seen = seen._replace(texts=tuple(seen.texts[place] for place in range(len(seen.keys))))
    return tuple(page._replace(glance=seen))
