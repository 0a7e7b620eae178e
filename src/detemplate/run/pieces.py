"""Bytes in pieces that are written together, by a call that may write only some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST: Final = 1024
"""Most pieces that are written at once: no system takes fewer."""


def unwritten(pieces: Sequence[memoryview], written: int) -> Sequence[memoryview]:
    """Give what is left of pieces of which so many bytes are written."""
    for number, piece in enumerate(pieces):
        if written < len(piece):
            return [piece[written:], *pieces[number + 1 :]]
        written -= len(piece)
    return []
