"""The part of a piece as a file of a checkpoint: JSON, then the bytes that it names; it executes nothing."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, Final

import zstandard

from detemplate.errors import PageError
from detemplate.io.sinks.out import EncodedRow
from detemplate.run.pagework import Cleaned
from detemplate.sites.history import Glance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from detemplate.run.pieces import Piece

_HEAD: Final = struct.Struct("<Q")
"""At the beginning: the length of the JSON in bytes."""

_PACKER: Final = zstandard.ZstdCompressor(level=-1, write_checksum=True)


def learnt_part(piece: Piece, states: Mapping[str, bytes], lost: Mapping[int, PageError]) -> bytes:
    """Return the file of a piece that is learnt.

    Parameters
    ----------
    piece
        The piece.
    states
        What it teaches, by site.
    lost
        Errors of the pages that cost their worker, by their places.
    """
    return _packed({**_sites(piece, states), "lost": _errors(lost)}, states.values())


def cleaned_part(piece: Piece, outcomes: Sequence[Any], states: Mapping[str, bytes]) -> bytes:
    """Return the file of a piece that is cleaned.

    Parameters
    ----------
    piece
        The piece.
    outcomes
        What was made of each item: a :class:`~detemplate.run.pagework.Cleaned`, an error, or None.
    states
        In one pass: what the piece teaches, by site.
    """
    blobs = [*states.values()]
    rows = [_row(outcome, blobs) if isinstance(outcome, Cleaned) else None for outcome in outcomes]
    errors = {place: each for place, each in enumerate(outcomes) if isinstance(each, PageError)}
    return _packed({**_sites(piece, states), "lost": _errors(errors), "rows": rows}, blobs)


class Part:
    """What an earlier process has done of a piece.

    Parameters
    ----------
    file
        The file.
    piece
        The piece.

    Attributes
    ----------
    whole
        Whether the file is there, undamaged, and of such a piece.
    """

    def __init__(self, file: Path, piece: Piece) -> None:
        self._piece = piece
        self.whole = False
        try:
            data = zstandard.ZstdDecompressor().decompress(file.read_bytes())
            (length,) = _HEAD.unpack_from(data)
            self._head: dict[str, Any] = json.loads(data[_HEAD.size : _HEAD.size + length])
            self._blobs = memoryview(data)[_HEAD.size + length :]
            self.whole = self._head["items"] == len(piece.items)
        except (OSError, ValueError, struct.error, zstandard.ZstdError, KeyError, TypeError):
            return

    def learnt(self) -> tuple[dict[str, bytes], dict[int, PageError]]:
        """Return what the piece teaches of each site, and the errors of the pages that were lost."""
        states, at = {}, 0
        for site, size in self._head["sites"]:
            states[site] = bytes(self._blobs[at : at + size])
            at += size
        return states, self._lost()

    def outcomes(self) -> list[Any]:
        """Return what was made of each item."""
        at = sum(size for _, size in self._head["sites"])
        lost = self._lost()
        made: list[Any] = []
        for place, row in enumerate(self._head["rows"]):
            if row is None:
                made.append(lost.get(place))
                continue
            keys, sizes, site, counts, removed, glance, seconds = row
            data, every, goes = (bytes(self._blobs[end - size : end]) for end, size in _ends(at, sizes))
            at += sum(sizes)
            content = json.loads(data) if keys is None else EncodedRow(data, tuple(keys))
            seen = None
            if glance is not None:
                share, few, texts, url, chars = glance
                seen = Glance(share, tuple(few), tuple(texts), url, chars, every, goes)
            chars, cut, segments, cut_segments = counts
            made.append(
                Cleaned(content, site, chars, cut, segments, cut_segments, tuple(removed), seen, seconds)
            )
        return made

    def _lost(self) -> dict[int, PageError]:
        given = self._piece.given
        return {
            int(place): PageError(reason, detail, str(getattr(given[int(place)], "url", "")))
            for place, (reason, detail) in self._head["lost"].items()
        }


def _ends(at: int, sizes: Iterable[int]) -> Iterable[tuple[int, int]]:
    for size in sizes:
        at += size
        yield at, size


def _row(page: Cleaned, blobs: list[bytes]) -> list[Any]:
    """Return a cleaned page for JSON; its bytes are added to the blobs."""
    row = page.row
    encoded = isinstance(row, EncodedRow)
    data = row.data if encoded else json.dumps(row).encode()
    seen = page.glance
    own = [data, seen.every if seen else b"", seen.goes if seen else b""]
    blobs += own
    return [
        list(row.keys) if encoded else None,
        [len(each) for each in own],
        page.site,
        [page.chars, page.template_chars, page.segments, page.template_segments],
        page.removed,
        [seen.share, seen.keys, [seen.texts[place] for place in range(len(seen.keys))], seen.url, seen.chars]
        if seen
        else None,
        page.seconds,
    ]


def _sites(piece: Piece, states: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "items": len(piece.items),
        "sites": [[site, len(state)] for site, state in states.items()],
    }


def _errors(lost: Mapping[int, PageError]) -> dict[int, list[str]]:
    return {place: [error.reason, error.detail] for place, error in lost.items()}


def _packed(head: Mapping[str, Any], blobs: Iterable[bytes]) -> bytes:
    data = json.dumps(head).encode()
    return _PACKER.compress(b"".join([_HEAD.pack(len(data)), data, *blobs]))
