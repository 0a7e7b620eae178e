"""Words as hashes, and min-wise sketches of runs of words (Broder 1997)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

_MOST: Final = np.uint64(2**64 - 1)
_STEP: Final = 0x9E3779B97F4A7C15


def mixed(hashes: Hashes) -> Hashes:
    """Scramble 64-bit numbers one to one, so that all their bits look random (SplitMix64's finisher)."""
    hashes = hashes + np.uint64(_STEP)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


def word_hashes(texts: Sequence[bytes]) -> tuple[Hashes, Numbers]:
    """Hash the words of texts, as they are written.

    Parameters
    ----------
    texts
        UTF-8. Words are what white space parts.

    Returns
    -------
    tuple of two arrays
        XXH64 of all words, text after text, and the number of words of each text: at least one (a
        text of nothing but white space has one empty word).
    """
    words = [text.split() or [b""] for text in texts]
    counts = np.fromiter(map(len, words), np.int64, len(words))
    hashes = map(xxhash.xxh64_intdigest, chain.from_iterable(words))
    return np.fromiter(hashes, np.uint64, int(counts.sum())), counts


def min_wise(words: Hashes, counts: Numbers, width: int, sketch: int) -> Hashes:
    """Give each run of words a shingle that similar runs share.

    A run is the set of its w-grams (of ``width`` words; a shorter run is one gram of all its words).
    Its sketch is the least hash among them under each of ``sketch`` hash functions; the shingle is
    these minima together, hashed. Two runs whose sets of w-grams have the resemblance
    ``r = |A ∩ B| / |A ∪ B|`` have the same minimum under one function with probability r, hence the
    same shingle with probability r to the power of ``sketch``.

    Parameters
    ----------
    words, counts
        As :func:`word_hashes` gives them; no run is empty.
    width, sketch
        Words a gram, and minima a shingle.
    """
    if not len(counts):
        return np.zeros(0, np.uint64)
    last = np.repeat(np.cumsum(counts), counts)
    first = last - np.repeat(counts, counts)
    at = np.arange(len(words))
    grams = np.zeros(len(words), np.uint64)
    for offset in range(min(width, int(counts.max()))):
        inside = at[: len(words) - offset] + offset < last[: len(words) - offset]
        there = np.where(inside, words[offset:], np.uint64(0))
        grams[: len(words) - offset] += mixed(there ^ np.uint64(_STEP * (offset + 1) % 2**64)) * inside
    whole = (at + width <= last) | (at == first)
    starts = np.cumsum(counts) - counts
    shingles = np.zeros(len(counts), np.uint64)
    for number in range(sketch):
        seeded = mixed(grams ^ mixed(np.full(1, number, np.uint64)))
        least = np.minimum.reduceat(np.where(whole, seeded, _MOST), starts)
        shingles = mixed(shingles ^ least)
    return shingles
