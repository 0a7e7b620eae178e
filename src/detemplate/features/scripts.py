"""What characters beyond ASCII count as in the evidence of a page, read from UTF-8.

A text of any script should look as long, and as much like sentences, as the same text in English would.
Ideographs, kana and hangul stand for more than a letter; each script has its commas and stops; Latin is not
the only one with capitals. The compiled kernel (``_evidence.py``, ``count_wide``) counts the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Bytes = npt.NDArray[np.uint8]

COMMAS: Final = ("\uff0c", "\u3001", "\u060c")
"""Full-width, ideographic and Arabic commas."""

STOPS: Final = (
    "\u3002",
    "\uff01",
    "\uff0e",
    "\uff1a",
    "\uff1b",
    "\uff1f",
    "\u061b",
    "\u061f",
    "\u06d4",
    "\u0964",
)
"""Sentence marks as ``.!?;:`` are: ideographic, full-width, Arabic, Urdu, Devanagari."""

_FIRST_WIDE: Final = 0xE3
_LAST_WIDE: Final = 0xED
_IDEOGRAPHS: Final = (0xE4, 0xE9)
_CAPITALS: Final = ((0xC3, 0x80, 0x96), (0xC3, 0x98, 0x9E), (0xCE, 0x91, 0xAB), (0xD0, 0x80, 0xAF))
"""First byte, least and greatest second byte: Latin-1, Greek, Cyrillic."""


def wide(data: Bytes) -> Bools:
    """Tell which bytes begin a character of U+3000–U+DFFF: ideographs, kana, hangul and their marks.

    Two of them are about a word.
    """
    return (data >= _FIRST_WIDE) & (data <= _LAST_WIDE)


def more(data: Bytes) -> npt.NDArray[np.int64]:
    """Say how many letters more than one a character is worth, where it begins: 2, or 1 if no ideograph."""
    return wide(data).astype(np.int64) + ((data >= _IDEOGRAPHS[0]) & (data <= _IDEOGRAPHS[1]))


def begins(data: Bytes, characters: tuple[str, ...]) -> Bools:
    """Tell which bytes begin one of these characters."""
    found = np.zeros(len(data), np.bool_)
    for character in characters:
        sequence = character.encode()
        places = np.ones(max(len(data) - len(sequence) + 1, 0), np.bool_)
        for shift, byte in enumerate(sequence):
            places &= data[shift : shift + len(places)] == byte
        found[: len(places)] |= places
    return found


def capitals(data: Bytes) -> Bools:
    """Tell which bytes begin a capital letter beyond ASCII."""
    found = np.zeros(len(data), np.bool_)
    for first, least, greatest in _CAPITALS:
        found[:-1] |= (data[:-1] == first) & (data[1:] >= least) & (data[1:] <= greatest)
    return found
