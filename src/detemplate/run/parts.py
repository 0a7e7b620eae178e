"""The part of a piece as a file of a checkpoint: compressed JSON; reading it executes nothing."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, Final

import zstandard

from detemplate.errors import PageError
from detemplate.io.sinks.out import EncodedRow
from detemplate.run.pagework import Cleaned
from detemplate.sites.history import Glance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from detemplate.run.pieces import Piece

_PACKER: Final = zstandard.ZstdCompressor(level=1, write_checksum=True)


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
    return _packed(piece, states, lost, [])


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
    errors = {place: each for place, each in enumerate(outcomes) if isinstance(each, PageError)}
    return _packed(piece, states, errors, [_row(each) for each in outcomes])


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
        self._given = piece.given
        self.whole = False
        try:
            self._told: dict[str, Any] = json.loads(zstandard.decompress(file.read_bytes()))
            self.whole = self._told["items"] == len(piece.items)
        except (OSError, ValueError, zstandard.ZstdError, KeyError, TypeError):
            return

    def learnt(self) -> tuple[dict[str, bytes], dict[int, PageError]]:
        """Return what the piece teaches of each site, and the errors of the pages that were lost."""
        lost = {
            int(place): PageError(reason, detail, str(getattr(self._given[int(place)], "url", "")))
            for place, (reason, detail) in self._told["lost"].items()
        }
        return {site: b64decode(state) for site, state in self._told["states"]}, lost

    def outcomes(self) -> list[Any]:
        """Return what was made of each item."""
        _, lost = self.learnt()
        rows = enumerate(self._told["rows"])
        return [lost.get(place) if row is None else _cleaned(row) for place, row in rows]


def _row(page: Any) -> list[Any] | None:  # noqa: ANN401  # an outcome
    """Return a cleaned page for JSON; None for any other outcome."""
    if not isinstance(page, Cleaned):
        return None
    row: Any = page.row
    if isinstance(row, EncodedRow):
        row = [row.data.decode("utf-8", "surrogateescape"), row.keys]
    seen: Any = page.glance
    if seen is not None:
        every, goes = (b64encode(each).decode() for each in (seen.every, seen.goes))
        seen = [seen.share, seen.keys, seen.told, seen.url, seen.chars, every, goes]
    counts = page.chars, page.template_chars, page.segments, page.template_segments
    return [row, page.site, *counts, page.removed, seen, page.seconds]


def _cleaned(told: list[Any]) -> Cleaned:
    """Return the page of what :func:`_row` made."""
    row, site, chars, cut, segments, cut_segments, removed, seen, seconds = told
    if isinstance(row, list):
        row = EncodedRow(row[0].encode("utf-8", "surrogateescape"), tuple(row[1]))
    if seen is not None:
        share, keys, texts, url, chars, every, goes = seen
        seen = Glance(share, tuple(keys), tuple(texts), url, chars, b64decode(every), b64decode(goes))
    return Cleaned(row, site, chars, cut, segments, cut_segments, tuple(removed), seen, seconds)


def _packed(
    piece: Piece, states: Mapping[str, bytes], lost: Mapping[int, PageError], rows: list[Any]
) -> bytes:
    told = {
        "items": len(piece.items),
        "states": [(site, b64encode(state).decode()) for site, state in states.items()],
        "lost": {place: (error.reason, error.detail) for place, error in lost.items()},
        "rows": rows,
    }
    return _PACKER.compress(json.dumps(told).encode())
