"""Words in the attributes of elements, and their weights.

The attributes ``class``, ``id``, ``role``, ``itemprop``, ``itemtype`` and ``rel`` of the canonical
serialisation are split at white space. Each value is a word, and so is each run of three or more letters in
it. A run of letters in camel case is a word, and so is each of its parts of three or more letters:
``postMeta`` gives ``post``, ``meta`` and ``postmeta``, and ``HTMLBody`` begins with ``html``. All are read in
lower case, ASCII letters only. A word stands for itself by its hash (FNV-1a, 64 bits): a value is
hashed behind the first two letters of the attribute's name and a colon (``cl:main-menu``), a run of letters
by itself (``main``).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]

MOST_WORDS: Final = 20
"""Number of values of an attribute that are read; the others are ignored."""

LONGEST: Final = 60
"""Length in bytes of the longest value that is a word. Longer classes still count in the signature."""

MIX: Final = np.uint64(0x9E3779B185EBCA87)
"""Odd multiplier in signatures and in the hash table of the words."""

MASK: Final = (1 << 64) - 1
"""Mask of the low 64 bits."""

BASIS: Final = 0xCBF29CE484222325
"""Offset basis of FNV-1a."""

PRIME: Final = 0x100000001B3
"""Prime of FNV-1a."""

ATTRIBUTES: Final = frozenset({b"class", b"id", b"role", b"itemprop", b"itemtype", b"rel"})
"""Names of the attributes that are read."""

_LETTERS: Final = re.compile(rb"[A-Za-z]{3,}")  # ASCII letters in a row, three or more: a word within a value

_PARTS: Final = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A part of letters in camel case: capitals before another part, or letters up to the next capital."""

_LEAST: Final = 3  # letters of a part that is a word, at least

START: Final = re.compile(rb'<[^ >]*((?: =?[^ =]*="[^"]*")*+)')
"""A canonical start tag; group 1 is its attributes. Values are quoted, hold no quotes and may hold ``>``."""

ATTRIBUTE: Final = re.compile(rb' (=?[^ =]*)="([^"]*)"')
"""An attribute of a canonical start tag: its name (group 1) and its value (group 2)."""


class Vocabulary:
    """Known words and their weights.

    ``hashes``: hashes of the words (:func:`value_hashes`), each once. uint64.
    ``weights``: weights of the words, in the same order. float32.
    ``hashes``: hashes of the words. The number of a word is its index here. uint64.
    ``weights``: weights of the words. float32.
    Raises ValueError: a word occurs twice, or the numbers of words and weights differ.
    """

    def __init__(self, hashes: Hashes, weights: npt.NDArray[np.float32]) -> None:
        self.hashes = np.array(hashes, np.uint64)
        self.weights = np.array(weights, np.float32)
        if self.hashes.ndim != 1 or self.hashes.shape != self.weights.shape:
            raise ValueError("words and weights differ in number")
        ordered = np.sort(self.hashes)  # np.unique would import numpy.ma, which takes .05 s
        if (ordered[1:] == ordered[:-1]).any():
            raise ValueError("a word comes twice")

    def __len__(self) -> int:
        return len(self.hashes)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Number of each word, by its hash."""
        return {word: number for number, word in enumerate(self.hashes.tolist())}

    @cached_property
    def table(self) -> tuple[Hashes, int]:
        """The words as a hash table for the compiled kernel, and the right shift that it takes.

        Open addressing with linear probing. A word's home is row ``hash * MIX >> shift``; if that is taken,
        the word stands in the first free row after it. The last row is free, so that every search ends.

        A row has 16 bytes, which the kernel reads at once: the hash (64 bits), the number plus one (32 bits)
        and the weight (float32). A free row is zero.
        """
        bits = max(1, (2 * len(self)).bit_length())
        shift = 64 - bits
        homes = ((self.hashes * MIX) >> np.uint64(shift)).astype(np.int64)
        order = np.argsort(homes, kind="stable")
        # In order of homes, a word stands in its home or right behind the word before it.
        nth = np.arange(len(self))
        places = np.maximum.accumulate(homes[order] - nth) + nth
        rows = np.zeros((max(1 << bits, int(places.max(initial=0)) + 1) + 1, 2), np.uint64)
        rows[places, 0] = self.hashes[order]
        rows.view(np.uint32)[places, 2] = order + 1
        rows.view(np.float32)[places, 3] = self.weights[order]
        return rows, shift


def hashed(data: bytes) -> int:
    """Hash bytes with FNV-1a, 64 bits."""
    state = BASIS
    for byte in data:
        state = ((state ^ byte) * PRIME) & MASK
    return state


def _inner_words(run: bytes) -> list[bytes]:
    """Give the words of a run of letters in lower case: its parts, if it has several, and the run."""
    parts = _PARTS.findall(run)
    several = parts if len(parts) > 1 else []
    return [*(part.lower() for part in several if len(part) >= _LEAST), run.lower()]


def value_hashes(name: bytes, word: bytes) -> list[int]:
    """Hash a value of an attribute, and the words in it."""
    inner = [hashed(part) for run in _LETTERS.findall(word) for part in _inner_words(run)]
    return [hashed(name[:2] + b":" + word.lower()), *inner]


def read_names(canonical: bytes, start: int) -> list[tuple[str, list[int]]]:
    """Read the values of a start tag's attributes, each with the hashes of its words.

    ``canonical``: a page's canonical serialisation.
    ``start``: where the start tag begins.
    """
    tag = START.match(canonical, start)
    return [
        (word.decode("utf-8", "replace"), value_hashes(name, word))
        for name, value in (ATTRIBUTE.findall(tag[1]) if tag else ())
        if name in ATTRIBUTES
        for word in value.split()[:MOST_WORDS]
        if len(word) <= LONGEST
    ]
