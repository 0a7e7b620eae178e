"""How many words each visible text of a page has, and how many of them stand in its title.

The compiled kernel reads the texts once; its reference tells all words of a page apart and hashes them
at once, over the characters of all texts together.

A word is a run of letters, digits, combining marks and underscores, whatever parts it: white space,
punctuation, an entity. Each CJK ideograph, kana, Yi and hangul syllable is one word by itself. Scripts
that put no spaces between words and are none of these (Thai, Lao, Khmer) have words as long as their
phrases. No language is looked at, so nothing is a stop word.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from detemplate.algorithms.minwise import mixed
from detemplate.kernels import compiled
from detemplate.page.columns import RAW

if TYPE_CHECKING:
    from detemplate.page.page import Page

    Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
    Counts = npt.NDArray[np.integer]
    Hashes = npt.NDArray[np.uint64]

KERNEL: Final[Any] = compiled("detemplate.features._words")
"""The kernel, None if it was not compiled."""

PIECE: Final = 1 << 22
"""Bytes of text that are looked at together; what one text has more is not parted."""

_ENTITIES: Final = (b"&nbsp;", b"&lt;", b"&gt;", b"&amp;")
"""All that canonical texts have. The last one's ampersand may stand before the name of another."""

_PART, _SINGLE = 1, 2  # of a word; a word by itself; 0: of none
_BEYOND: Final = 0x20000
"""Planes 2 and 3 hold ideographs only; the planes after them hold no words."""
_LAST: Final = 0x40000
_SINGLES: Final = (
    (0x3005, 0x3007),  # marks that stand for ideographs
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA000, 0xA48C),  # Yi
    (0xAC00, 0xD7A3),  # hangul
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),  # halfwidth kana
    (0x1AFF0, 0x1B16F),
)
_MARKS_BELOW: Final = 0x2000
"""Marks from here on enclose symbols or select variants."""

_LONGEST: Final = 64
"""Characters of a word after which their order does not count."""
_FACTORS: Final = mixed(np.arange(_LONGEST, dtype=np.uint64)) | np.uint64(1)


@dataclass(slots=True, frozen=True)
class Words:
    """Words of a page's visible texts, for each node; sums over a subtree are the subtree's.

    Attributes
    ----------
    counts
        3 × nodes. Words of a segment (0 for all other nodes); those of them that are in the title, too,
        however often, whatever their case; and a number whose sum over a subtree is how many different
        words of the title it has: 1 for each segment that has the word, less 1 at the least subtree that
        holds it and the segment before that has it. int32.
    title
        Different words of the title.
    """

    counts: npt.NDArray[np.int32]
    title: int


def count_words(page: Page) -> Words:
    """Count the words of a page's segments, and those that its title shares.

    Parameters
    ----------
    page
        The page. Its title is its first ``title`` element outside of SVG, as :attr:`Page.title`.

    Returns
    -------
    Words
        One entry a row of ``page.columns``.
    """
    if KERNEL is None:
        return reference_words(page)
    columns = page.columns
    titles = _title_rows(page)
    # A word takes a byte at least, and one slot must stay empty.
    written = int((columns.stop[titles] - columns.start[titles]).sum())
    slots = np.zeros(1 << (written + 1).bit_length(), np.uint64)
    counts = np.zeros((3, len(columns)), np.int32)
    title = KERNEL.count_words(
        page.canonical,
        *map(np.ascontiguousarray, (columns.start, columns.stop, columns.parent, columns.end)),
        np.concatenate([titles, columns.segments]),
        len(titles),
        *_tables(),
        _FACTORS,
        slots,
        np.full(len(slots), -1, np.int32),
        counts,
    )
    return Words(counts, title)


def reference_words(page: Page) -> Words:
    """Count as :func:`count_words` does, uncompiled: over the characters of all texts together."""
    columns, segments = page.columns, page.columns.segments
    nodes = len(columns)
    titles = _title_rows(page)
    rows = np.concatenate([titles, segments])
    hashes, counts = _hashed_texts(page.canonical, columns.start[rows], columns.stop[rows])
    bounds = np.concatenate([[0], np.cumsum(counts)])[len(titles) :]
    title = np.unique(hashes[: bounds[0]])
    at = np.flatnonzero(np.isin(hashes[bounds[0] :], title))
    titled = np.diff(np.searchsorted(at, bounds - bounds[0]))
    # Pairs of a word of the title and a segment that has it, each once, word after word.
    word = np.searchsorted(title, hashes[bounds[0] :][at])
    pairs = np.unique(np.stack([word, np.repeat(segments, titled)]), axis=1)
    different = np.bincount(pairs[1], minlength=nodes)
    again = np.flatnonzero(pairs[0, 1:] == pairs[0, :-1])
    above, later = pairs[1, again], pairs[1, again + 1]
    while len(above):
        above = columns.parent[above]
        above, later = above[above >= 0], later[above >= 0]
        holds = columns.end[above] > later
        different -= np.bincount(above[holds], minlength=nodes)
        above, later = above[~holds], later[~holds]
    given = np.zeros((3, nodes), np.int32)
    given[0, segments] = counts[len(titles) :]
    given[1, segments] = titled
    given[2] = different
    return Words(given, len(title))


def _title_rows(page: Page) -> npt.NDArray[np.int32]:
    """Give the rows of the title's texts."""
    columns, title = page.columns, page.title_row
    inner = range(title + 1, int(columns.end[title])) if title >= 0 else ()
    return np.array([row for row in inner if columns.kind[row] == RAW], np.int32)


def _hashed_texts(
    canonical: bytes, starts: npt.NDArray[np.int32], stops: npt.NDArray[np.int32]
) -> tuple[Hashes, Counts]:
    """Hash the words of texts, given by their byte ranges; give the number of each text's, too."""
    sizes = (stops - starts).astype(np.int64) + 1  # a byte behind each text parts it from the next
    pieces = np.flatnonzero(np.diff(np.cumsum(sizes) // PIECE)) + 1
    hashes, counts = [], []
    for start, size in zip(np.split(starts, pieces), np.split(sizes, pieces), strict=True):
        bounds = np.concatenate([[0], np.cumsum(size)])
        at = np.repeat(start - bounds[:-1], size)
        at += np.arange(len(at))
        joined = np.frombuffer(canonical, np.uint8).take(at, mode="clip")
        joined[bounds[1:] - 1] = ord(" ")
        codes = _characters(joined.tobytes())
        if len(codes) < len(joined):  # count in characters, no longer in bytes
            bounds -= np.searchsorted(np.flatnonzero(joined.view(np.int8) < -0x40), bounds)
        places, found = _hashed(codes)
        hashes.append(found)
        counts.append(np.diff(np.searchsorted(places, bounds)))
    return np.concatenate(hashes), np.concatenate(counts)


def _characters(written: bytes) -> Codes:
    """Give the code points of a text, with spaces in the place of what entities are written with."""
    if b"&" in written:
        for entity in _ENTITIES:
            written = written.replace(entity, b" " * len(entity))
    if written.isascii():
        return np.frombuffer(written, np.uint8)
    return np.frombuffer(written.decode().encode("utf-32-le"), np.uint32)


def _hashed(codes: Codes) -> tuple[Counts, Hashes]:
    """Give the places where words begin, and their hashes.

    A word's hash is the sum of its characters, each times the factor of its place (multilinear hashing).
    """
    kinds, folded = _tables()
    if codes.dtype == np.uint8:
        kind, low = kinds.take(codes), folded.take(codes)
    else:
        short = np.minimum(codes, _BEYOND)
        kind, low = kinds.take(short), folded.take(short)
        far = np.flatnonzero(codes >= _BEYOND)
        low[far] = codes[far]
        kind[far[codes[far] >= _LAST]] = 0
    begins = kind == _SINGLE
    part = kind == _PART
    begins[:1] |= part[:1]
    begins[1:] |= part[1:] & ~part[:-1]
    places = np.flatnonzero(begins)
    if not len(places):
        return places, np.zeros(0, np.uint64)
    kept = np.flatnonzero(kind)
    first = np.flatnonzero(begins.take(kept))
    within = np.arange(len(kept))
    within -= np.repeat(first, np.diff(first, append=len(kept)))
    terms = _FACTORS.take(within, mode="clip")
    terms *= low.take(kept)
    return places, np.add.reduceat(terms, first)


@cache
def _tables() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """Give what each character is to words, and its code without regard to case."""
    kinds = np.zeros(_BEYOND + 1, np.uint8)
    folded = np.arange(_BEYOND + 1, dtype=np.uint32)
    for code in range(_BEYOND):
        character = chr(code)
        mark = code < _MARKS_BELOW and unicodedata.category(character) in ("Mn", "Mc")
        if character.isalnum() or character == "_" or mark:
            kinds[code] = _PART
            one = (
                folded_to for folded_to in (character.casefold(), character.lower()) if len(folded_to) == 1
            )
            folded[code] = ord(next(one, character))
    for least, most in _SINGLES:
        part = kinds[least : most + 1]
        part[part == _PART] = _SINGLE
    kinds[_BEYOND] = _SINGLE
    return kinds, folded
