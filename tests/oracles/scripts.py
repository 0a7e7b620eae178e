"""Characters beyond ASCII in the counts of the segment features, read from UTF-8.

A text of any script counts as much as the same text in English would. An ideograph counts as three
characters, kana and hangul as two. Commas, sentence marks and capitals of other scripts are known. The
compiled kernel counts the same (``count_wide`` in ``_segment.py``).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]

COMMAS: Final = ("\uff0c", "\u3001", "\u060c")
"""Commas beyond ASCII: full-width, ideographic, Arabic."""

SENTENCE_MARKS: Final = (
    "\u3002", "\uff01", "\uff0e", "\uff1a", "\uff1b", "\uff1f", "\u061b", "\u061f", "\u06d4", "\u0964",
)  # fmt: skip
"""Characters that correspond to ``.!?;:``: ideographic, full-width, Arabic, Urdu, Devanagari."""

_FIRST_WIDE: Final = 0xE3
"""First byte of U+3000, the first wide character."""

_LAST_WIDE: Final = 0xED
"""First byte of U+DFFF, the last wide character."""

_IDEOGRAPHS: Final = (0xE4, 0xE9)
"""Least and greatest first byte of U+4000 to U+9FFF."""

_CAPITALS: Final = ((0xC3, 0x80, 0x96), (0xC3, 0x98, 0x9E), (0xCE, 0x91, 0xAB), (0xD0, 0x80, 0xAF))
"""Capitals of Latin-1, Greek and Cyrillic: first byte, least and greatest second byte."""


def begins_wide(data: Bytes) -> Bools:
    """Tell which bytes begin a wide character: U+3000 to U+DFFF.

    These are ideographs, kana, hangul and their marks. Two of them count as one word.
    """
    return (data >= _FIRST_WIDE) & (data <= _LAST_WIDE)


def extra_chars(data: Bytes) -> npt.NDArray[np.int64]:
    """Count what a wide character adds where it begins: 2 for an ideograph, 1 for another; 0 elsewhere."""
    ideograph = (data >= _IDEOGRAPHS[0]) & (data <= _IDEOGRAPHS[1])
    return begins_wide(data).astype(np.int64) + ideograph


def begins_any(data: Bytes, characters: tuple[str, ...]) -> Bools:
    """Tell which bytes begin one of some characters."""
    begins = np.zeros(len(data), np.bool_)
    for character in characters:
        sequence = character.encode()
        matches = np.ones(max(len(data) - len(sequence) + 1, 0), np.bool_)
        for shift, byte in enumerate(sequence):
            matches &= data[shift : shift + len(matches)] == byte
        begins[: len(matches)] |= matches
    return begins


def begins_capital(data: Bytes) -> Bools:
    """Tell which bytes begin a capital letter of :data:`_CAPITALS`."""
    begins = np.zeros(len(data), np.bool_)
    for first, least, greatest in _CAPITALS:
        begins[:-1] |= (data[:-1] == first) & (data[1:] >= least) & (data[1:] <= greatest)
    return begins
