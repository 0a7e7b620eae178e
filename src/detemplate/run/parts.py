"""The part of a piece as a file of a checkpoint: compressed JSON; reading it executes nothing."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, Final

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


def packed(piece: Piece, outcomes: Mapping[int, Any], states: Mapping[str, bytes]) -> bytes:
    """Return the file of a piece that is done.

    Of the outcomes by place, :class:`~detemplate.run.pagework.Cleaned` and errors are kept. ``states`` are
    what the piece teaches, by site.
    """
    errors = {place: each for place, each in outcomes.items() if isinstance(each, PageError)}
    told = {
        "items": len(piece.items),
        "states": {site: b64encode(state).decode() for site, state in states.items()},
        "lost": {place: (error.reason, error.detail) for place, error in errors.items()},
        "rows": {place: _row(each) for place, each in outcomes.items() if isinstance(each, Cleaned)},
    }
    return _PACKER.compress(json.dumps(told).encode())


class Part:
    """What an earlier process has done of a piece, read from its file.

    It is ``whole`` if the file is there, undamaged, and of such a piece.
    """

    def __init__(self, file: Path, piece: Piece) -> None:
        self.whole = False
        try:
            told = json.loads(_unpacked(file.read_bytes()))
            if told["items"] != len(piece.items):
                return
            self._states = {str(site): b64decode(state) for site, state in told["states"].items()}
            self._lost = {
                int(place): PageError(
                    str(reason), str(detail), str(getattr(piece.given[int(place)], "url", ""))
                )
                for place, (reason, detail) in told["lost"].items()
            }
            done: dict[int, Any] = {**self._lost}
            done |= {int(place): _cleaned(row) for place, row in told["rows"].items()}
            self._outcomes = [done.get(place) for place in range(len(piece.given))]
        except (OSError, zstandard.ZstdError, *DAMAGE):
            return
        self.whole = True

    def learnt(self) -> tuple[dict[str, bytes], dict[int, PageError]]:
        """Return what the piece teaches of each site, and the errors of the pages that were lost."""
        return self._states, self._lost

    def outcomes(self) -> list[Any]:
        """Return what was made of each item."""
        return self._outcomes


def _unpacked(data: bytes) -> bytes:
    """Decompress a part; raises ValueError before its memory is taken where it says that it is too large."""
    if not 0 <= zstandard.frame_content_size(data) <= _LARGEST:
        raise ValueError("the part is too large")
    return zstandard.decompress(data)


def _row(page: Cleaned) -> list[Any]:
    """Return a cleaned page for JSON."""
    row: Any = page.row
    if isinstance(row, EncodedRow):
        row = [row.data.decode("utf-8", "surrogateescape"), row.keys]
    seen: Any = page.glance
    if seen is not None:
        every, goes = (b64encode(each).decode() for each in (seen.every, seen.goes))
        texts = [seen.texts[place] for place in range(len(seen.keys))]
        seen = [seen.share, seen.keys, texts, seen.url, seen.chars, every, goes]
    counts = page.chars, page.template_chars, page.segments, page.template_segments
    return [row, page.site, *counts, page.removed, seen, page.seconds, page.recoded]


def _cleaned(told: list[Any]) -> Cleaned:
    """Return the page of what :func:`_row` made."""
    row, site, chars, cut, segments, cut_segments, removed, seen, seconds, recoded = told
    if isinstance(row, list):
        row = EncodedRow(row[0].encode("utf-8", "surrogateescape"), tuple(row[1]))
    if seen is not None:
        share, keys, texts, url, page_chars, every, goes = seen
        taken = tuple(map(int, keys)), tuple(map(str, texts)), str(url), int(page_chars)
        seen = Glance(float(share), *taken, b64decode(every), b64decode(goes))
    counts = int(chars), int(cut), int(segments), int(cut_segments)
    return Cleaned(row, str(site), *counts, tuple(map(str, removed)), seen, float(seconds), bool(recoded))
