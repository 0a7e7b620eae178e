"""The word counts: splits all texts of a page into words at once, with NumPy."""

from typing import Final

import numpy as np
import numpy.typing as npt

from detemplate.features.words import (
    BEYOND,
    COUNTS,
    DIFFERENT,
    FACTORS,
    LAST,
    PART,
    SINGLE,
    TITLED,
    WORDS,
    character_tables,
)
from detemplate.page.columns import RAW
from detemplate.page.page import Page

Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
Counts = npt.NDArray[np.integer]
Hashes = npt.NDArray[np.uint64]

PIECE: Final = 1 << 22
"""Bytes of text that are read together. A longer text is not divided."""

_ENTITIES: Final = (b"&nbsp;", b"&lt;", b"&gt;", b"&amp;")
"""All entities of canonical texts. The ampersand of the last may stand before the name of another."""


def count_words(page: Page) -> tuple[npt.NDArray[np.int32], int]:
    """Count the words of a page's segments: the attributes of :class:`detemplate.features.words.Words`."""
    columns, segments = page.columns, page.columns.segments
    title = page.title_row
    inner = np.arange(title + 1, columns.end[title]) if title >= 0 else segments[:0]
    titles = inner[columns.kind[inner] == RAW]
    nodes = len(columns)
    rows = np.concatenate([titles, segments])
    hashes, sizes = _hashed_texts(page.canonical, columns.start[rows], columns.stop[rows])
    bounds = np.concatenate([[0], np.cumsum(sizes)])[len(titles) :]
    words = np.unique(hashes[: bounds[0]])
    at = np.flatnonzero(np.isin(hashes[bounds[0] :], words))
    titled = np.diff(np.searchsorted(at, bounds - bounds[0]))
    # Pairs of a word of the title and a segment that has it, each once, ordered by words.
    word = np.searchsorted(words, hashes[bounds[0] :][at])
    pairs = np.unique(np.stack([word, np.repeat(segments, titled)]), axis=1)
    different = np.bincount(pairs[1], minlength=nodes)
    again = np.flatnonzero(pairs[0, 1:] == pairs[0, :-1])
    above, later = pairs[1, again], pairs[1, again + 1]
    while len(above):
        above = columns.parent[above]
        above, later = above[above >= 0], later[above >= 0]
        both = columns.end[above] > later
        different -= np.bincount(above[both], minlength=nodes)
        above, later = above[~both], later[~both]
    counts = np.zeros((COUNTS, nodes), np.int32)
    counts[WORDS, segments] = sizes[len(titles) :]
    counts[TITLED, segments] = titled
    counts[DIFFERENT] = different
    return counts, len(words)


def _hashed_texts(
    canonical: bytes, starts: npt.NDArray[np.int32], stops: npt.NDArray[np.int32]
) -> tuple[Hashes, Counts]:
    """Give the hashes of the words of texts, and the number of words of each text."""
    sizes = (stops - starts).astype(np.int64) + 1  # with a space behind each text
    pieces = np.flatnonzero(np.diff(np.cumsum(sizes) // PIECE)) + 1
    hashes, counts = [], []
    for start, size in zip(np.split(starts, pieces), np.split(sizes, pieces), strict=True):
        bounds = np.concatenate([[0], np.cumsum(size)])
        at = np.repeat(start - bounds[:-1], size)
        at += np.arange(len(at))
        joined = np.frombuffer(canonical, np.uint8).take(at, mode="clip")
        joined[bounds[1:] - 1] = ord(" ")
        codes = _characters(joined.tobytes())
        if len(codes) < len(joined):  # from bytes to characters
            bounds -= np.searchsorted(np.flatnonzero(joined.view(np.int8) < -0x40), bounds)
        places, of_words = _hashed(codes)
        hashes.append(of_words)
        counts.append(np.diff(np.searchsorted(places, bounds)))
    return np.concatenate(hashes), np.concatenate(counts)


def _characters(written: bytes) -> Codes:
    """Give the code points of a text. The characters that entities are written with become spaces."""
    if b"&" in written:
        for entity in _ENTITIES:
            written = written.replace(entity, b" " * len(entity))
    if written.isascii():
        return np.frombuffer(written, np.uint8)
    return np.frombuffer(written.decode().encode("utf-32-le"), np.uint32)


def _hashed(codes: Codes) -> tuple[Counts, Hashes]:
    """Give the places where words begin, and the words' hashes (:data:`FACTORS` says how they are made)."""
    kinds, folded = character_tables()
    if codes.dtype == np.uint8:
        kind, low = kinds.take(codes), folded.take(codes)
    else:
        short = np.minimum(codes, BEYOND)
        kind, low = kinds.take(short), folded.take(short)
        far = np.flatnonzero(codes >= BEYOND)
        low[far] = codes[far]
        kind[far[codes[far] >= LAST]] = 0
    begins = kind == SINGLE
    part = kind == PART
    begins[:1] |= part[:1]
    begins[1:] |= part[1:] & ~part[:-1]
    places = np.flatnonzero(begins)
    if not len(places):
        return places, np.zeros(0, np.uint64)
    kept = np.flatnonzero(kind)
    first = np.flatnonzero(begins.take(kept))
    within = np.arange(len(kept))
    within -= np.repeat(first, np.diff(first, append=len(kept)))
    terms = FACTORS.take(within, mode="clip")
    terms *= low.take(kept)
    return places, np.add.reduceat(terms, first)
