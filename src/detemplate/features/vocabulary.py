"""The words that a page's authors named its elements with, and what each of them weighs.

A word is one of the values of ``class``, ``id``, ``role``, ``itemprop``, ``itemtype`` or ``rel``, as the
canonical serialisation has it; so is each run of letters in it. Words are known by their hashes (FNV-1a,
64 bits, of the bytes): those of a value as written, with ASCII letters in lower case, behind the first
two letters of the attribute's name and a colon; those of a run of letters without. The *signature* of an
element is its tag and its classes, whatever their order, runs of digits made alike.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.page.page import Page

    Hashes = npt.NDArray[np.uint64]

MOST_WORDS: Final = 20
"""Words of an attribute that are read."""

LONGEST: Final = 60
"""Bytes of the longest value that is a word; a longer one belongs to the signature all the same."""

MIX: Final = np.uint64(0x9E3779B185EBCA87)
"""Odd multiplier of signatures and places in tables."""

_MASK: Final = (1 << 64) - 1
_BASIS: Final = 0xCBF29CE484222325
_PRIME: Final = 0x100000001B3
_NAMES: Final = frozenset({b"class", b"id", b"role", b"itemprop", b"itemtype", b"rel"})
_DIGITS: Final = re.compile(rb"[0-9]+")
_LETTERS: Final = re.compile(rb"[a-z]{3,}")
# The attributes of a canonical start tag are all quoted, without quotes inside; ``>`` may stand there.
_START: Final = re.compile(rb'<[^ >]*((?: =?[^ =]*="[^"]*")*+)')
_ATTRIBUTE: Final = re.compile(rb' (=?[^ =]*)="([^"]*)"')


class Vocabulary:
    """Words of elements and their weights.

    Parameters
    ----------
    hashes
        Of the words (:func:`~detemplate.features.segment.word_hashes`), each once. uint64.
    weights
        One a word. float32.

    Attributes
    ----------
    hashes, weights : arrays of uint64 and of float32
        As given; a word's number is its place here.

    Raises
    ------
    ValueError
        A word comes twice, or there are not as many weights as words.
    """

    def __init__(self, hashes: Hashes, weights: npt.NDArray[np.float32]) -> None:
        self.hashes = np.array(hashes, np.uint64)
        self.weights = np.array(weights, np.float32)
        if self.hashes.ndim != 1 or self.hashes.shape != self.weights.shape:
            raise ValueError("words and weights differ in number")
        if len(np.unique(self.hashes)) < len(self.hashes):
            raise ValueError("a word comes twice")

    def __len__(self) -> int:
        return len(self.hashes)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Numbers of the words by their hashes."""
        return {word: number for number, word in enumerate(self.hashes.tolist())}

    @cached_property
    def table(self) -> tuple[Hashes, int]:
        """The words as a table of open addressing for the compiled kernel, and the shift that it takes.

        A row is a word's hash, then one more than its number (32 bits) and its weight (float32): one look
        at memory for all of it; or 0 and 0. A word stands in row ``hash * MIX >> shift`` or where the rows
        from there on are taken, in the first free one. The last row is free.
        """
        bits = max(1, (2 * len(self)).bit_length())
        shift = 64 - bits
        homes = ((self.hashes * MIX) >> np.uint64(shift)).astype(np.int64)
        order = np.argsort(homes, kind="stable")
        # A word's row is its home, or the one after the word's before it.
        nth = np.arange(len(self))
        places = np.maximum.accumulate(homes[order] - nth) + nth
        rows = np.zeros((max(1 << bits, int(places.max(initial=0)) + 1) + 1, 2), np.uint64)
        rows[places, 0] = self.hashes[order]
        rows.view(np.uint32)[places, 2] = order + 1
        rows.view(np.float32)[places, 3] = self.weights[order]
        return rows, shift


def hashed(data: bytes) -> int:
    """Hash bytes (FNV-1a, 64 bits)."""
    state = _BASIS
    for byte in data:
        state = ((state ^ byte) * _PRIME) & _MASK
    return state


def read_start(canonical: bytes, start: int) -> tuple[list[int], int]:
    """Read the start tag at a place: the hashes of its words in order, and the sum of its classes'."""
    words, classes = [], 0
    tag = _START.match(canonical, start)
    for name, value in _ATTRIBUTE.findall(tag[1]) if tag else ():
        if name not in _NAMES:
            continue
        for word in value.split()[:MOST_WORDS]:
            if name == b"class":
                classes += hashed(_DIGITS.sub(b"0", word))
            if len(word) <= LONGEST:
                lower = word.lower()
                words.append(hashed(name[:2] + b":" + lower))
                words += map(hashed, _LETTERS.findall(lower))
    return words, classes & _MASK


def signature(tag: int, classes: int) -> int:
    """Give the signature of an element by its tag's number and the sum of its classes' hashes."""
    return (classes * int(MIX) + tag + 1) & _MASK


def read_starts(page: Page) -> Iterator[tuple[int, list[int], int]]:
    """Give the row, the hashes of words and the signature of each element."""
    columns = page.columns
    rows = np.flatnonzero(columns.kind == ELEMENT)
    starts, tags = columns.start[rows].tolist(), columns.tag[rows].tolist()
    for row, start, tag in zip(rows.tolist(), starts, tags, strict=True):
        words, classes = read_start(page.canonical, start)
        yield row, words, signature(tag, classes)
