"""Hashes of words, and min-wise sketches of runs of words (Broder 1997)."""

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

GOLDEN: Final = 0x9E3779B97F4A7C15
"""2⁶⁴ divided by the golden ratio: SplitMix64's step, an odd number with irregular bits."""


def mixed(hashes: Hashes) -> Hashes:
    """Scramble 64-bit numbers one to one (SplitMix64's finisher): all bits of the result look random."""
    hashes = np.array(hashes, np.uint64)
    _mix(hashes, np.empty_like(hashes))
    return hashes


def _mix(hashes: Hashes, room: Hashes) -> None:
    """Scramble numbers in place; ``room`` has the same length and is overwritten."""
    hashes += np.uint64(GOLDEN)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes ^= np.right_shift(hashes, np.uint64(shift), out=room)
        hashes *= np.uint64(factor)
    hashes ^= np.right_shift(hashes, np.uint64(31), out=room)


def word_hashes(texts: Sequence[bytes]) -> tuple[Hashes, Numbers]:
    """Hash the words of texts.

    ``texts``: UTF-8. Words are separated by white space; case matters.
    Returns: XXH64 of all words, text after text.
    Returns: number of words of each text, at least one: a text without words has one empty word.
    """
    words = [text.split() or [b""] for text in texts]
    counts = np.fromiter(map(len, words), np.int64, len(words))
    hashes = map(xxhash.xxh64_intdigest, chain.from_iterable(words))
    return np.fromiter(hashes, np.uint64, int(counts.sum())), counts


def min_wise(words: Hashes, counts: Numbers, width: int, sketch: int) -> Hashes:
    """Compute a shingle of each run of words, which similar runs share.

    A run counts as the set of its w-grams, of ``width`` words each; a shorter run is one gram. Its sketch
    is the minimum of their hashes under each of ``sketch`` hash functions; the shingle is a hash of these
    minima. Two runs whose sets of w-grams have the resemblance ``r = |A ∩ B| / |A ∪ B|`` have the same
    minimum under one function with probability r, so they have the same shingle with probability
    ``r ** sketch``.

    ``words``, ``counts``: hashes of all words, run after run, and number of words of each run, as
        :func:`word_hashes` gives them; no run is empty.
    ``width``: words of a gram.
    ``sketch``: minima of a shingle.
    """
    shingles = np.zeros(len(counts), np.uint64)
    if not len(counts):
        return shingles
    grams, starts = _grams(words, counts, width)
    seeded, shifted = np.empty((2, len(grams)), np.uint64)
    for number in range(sketch):
        np.bitwise_xor(grams, mixed(np.full(1, number, np.uint64)), out=seeded)
        _mix(seeded, shifted)
        shingles = mixed(shingles ^ np.minimum.reduceat(seeded, starts))
    return shingles


def least(words: Hashes, width: int, sketch: int) -> Hashes:
    """Compute the ``sketch`` lowest hashes of one run's w-grams under one hash function, ascending.

    Two runs of resemblance r, with many more than ``sketch`` grams, have the same ones with probability ``r
    ** sketch``, as with :func:`min_wise`, but at the cost of one function. Runs of fewer grams have the same
    ones only if all their grams are equal.
    """
    if not len(words):
        return np.zeros(0, np.uint64)
    hashes = mixed(_grams(words, np.array([len(words)]), width)[0])
    few = 4 * sketch
    if len(hashes) > few:  # repeated grams may fill the first places; then use all
        found = np.unique(np.partition(hashes, few)[:few])
        if len(found) >= sketch:
            return found[:sketch]
    return np.unique(hashes)[:sketch]


def _grams(words: Hashes, counts: Numbers, width: int) -> tuple[Hashes, Numbers]:
    """Hash the w-grams of each run; give the hashes, run after run, and where each run's begin."""
    last = np.repeat(np.cumsum(counts), counts)
    first = last - np.repeat(counts, counts)
    at = np.arange(len(words))
    grams = np.zeros(len(words), np.uint64)
    for offset in range(min(width, int(counts.max()))):
        inside = at[: len(words) - offset] + offset < last[: len(words) - offset]
        there = np.where(inside, words[offset:], np.uint64(0))
        grams[: len(words) - offset] += mixed(there ^ np.uint64(GOLDEN * (offset + 1) % 2**64)) * inside
    whole = (at + width <= last) | (at == first)
    return grams[whole], np.searchsorted(np.flatnonzero(whole), np.cumsum(counts) - counts)
