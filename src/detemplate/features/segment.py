"""What a page says about each of its visible texts: the evidence that learned methods judge by.

One row a text, one column a number about it, in seven parts: the text itself and the elements around it;
where it is; the texts that share its *path* (tags from the top down) or its *slot* (the same with classes);
its parent and the nearest groups around it; how far it is from the nodes that the page's content may be
(as Readability scores them, and where long text gathers); the blocks and headings near it; the page as a
whole; and what the words of the elements around it weigh (:class:`~detemplate.features.vocabulary.Vocabulary`).
Texts of 80 characters or more outside of links are *long*. An ideograph counts as three characters, as
:mod:`detemplate.features.scripts` has it.

The compiled kernel has all of it in one go; :mod:`detemplate.features.segment_reference` defines each number.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.features.segment_nodes import AROUND, H1, LEVELS, MARKS
from detemplate.features.segment_reference import reference_features
from detemplate.features.vocabulary import Vocabulary, read_starts
from detemplate.kernels import compiled
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

__all__ = ["LEVELS", "NAMES", "SegmentFeatures", "Vocabulary", "segment_features", "word_hashes"]

KERNEL: Final[Any] = compiled("detemplate.features._segment")
_FAMILY: Final = ("n", "share", "avg", "long", "dot", "spread", "first")
_GROUP: Final = (
    *(
        "tag",
        "chars",
        "share",
        "ad",
        "links",
        "lpw",
        "dens",
        "segs",
        "cps",
        "pch",
        "pc",
        "comma",
        "dot",
        "dig",
    ),
    *("img", "inp", "h", "pn", "li", "els", "start", "endpos", "depth", "kids", "ofpar", "rep", "long"),
)
_WHOLE: Final = (
    *("chars", "segs", "ad", "pc", "links", "img", "li", "h", "dens", "inp", "long", "longsh", "maxslot"),
    *("dot", "form", "main", "art", "cw", "dig", "code"),
)

NAMES: Final[tuple[str, ...]] = (
    # the text, and how many elements of each kind are around it
    "chars",
    "words",
    *(f"in_{name}" for name in AROUND),
    *("dig", "up", "dot", "wlen", "depth"),
    # where it is
    *("pos", "posabs", "fromend", "rpos", "seg", "segend", "bpos"),
    # the texts like it
    *(f"{family}_{name}" for family in ("path", "slot") for name in _FAMILY),
    "dup",
    # what is around it
    *("ptag", "prep", "ppchars", "gptag", "grep"),
    *(f"g{level}{name}" for level in range(LEVELS) for name in _GROUP),
    # what may be the content
    *(f"t{number}{name}" for number in range(3) for name in ("in", "before", "lca", "lch")),
    *("t0share", "t0ad", "t0dep", "t0slot"),
    # what is near it
    *(f"b{shift}{name}" for shift in (0, 1, -1) for name in ("chars", "ad")),
    *("b0dot", "bw", "bn", "win3", "win8", "win20", "wl20", "win60", "wl60", "lbefore"),
    *("hlev", "hdist", "hnum", "hinlink", "h1d", "nh1", "h1lca", "h1lch"),
    # the page
    *(f"P{name}" for name in _WHOLE),
    # the words of the elements around it
    *("vsum", "vmin", "vmax", "v0", "v1", "v2", "vn"),
)
"""Names of the columns of :attr:`SegmentFeatures.table`."""

_TOLD: Final = (
    ("the words of classes around it", r"v(sum|min|max|n|\d)"),
    ("the elements around it", r"in_.*|depth|ptag|prep|ppchars|gptag|grep"),
    ("its distance to running text", r"t\d.*"),
    ("what it is grouped with", r"g\d.*"),
    ("the texts like it", r"(path|slot)_.*|dup"),
    ("the page as a whole", r"P.*|nh1"),
    ("the blocks near it", r"b-?\d.*|bw|bn|win\d+|wl\d+|lbefore"),
    ("the headings near it", r"h(lev|dist|num|inlink|1.*)"),
    ("its place", r"pos.*|fromend|rpos|seg.*|bpos"),
    ("its text", r".*"),
)

FAMILIES: Final[tuple[str, ...]] = tuple(
    next(told for told, pattern in _TOLD if re.fullmatch(pattern, name)) for name in NAMES
)
"""What each column is about, in words: what an explanation says."""

_MIX: Final = int.from_bytes(os.urandom(8), "little") | 1
"""Odd multiplier of places in tables: drawn, so that nobody can write a page whose keys all meet."""


class SegmentFeatures(NamedTuple):
    """What a page says about its segments.

    Attributes
    ----------
    table
        Segments × :data:`NAMES`, float32; rows follow each other in memory.
    groups
        Segments × :data:`LEVELS`: rows in ``page.columns`` of the groups around each segment, the nearest
        first; -1 where there are no more. int32.
    slots
        One a segment: equal for texts whose elements from the top down have the same tags and classes,
        numbers in classes made alike. uint64.
    words
        Words of each segment: what white space parts; two characters of scripts without are one. int32.
    seen
        Which words of the vocabulary the page's elements have.
    """

    table: npt.NDArray[np.float32]
    groups: npt.NDArray[np.int32]
    slots: npt.NDArray[np.uint64]
    words: npt.NDArray[np.int32]
    seen: npt.NDArray[np.bool_]

    @property
    def known(self) -> npt.NDArray[np.int32]:
        """Numbers of the words of the vocabulary that the page's elements have, ascending."""
        return np.flatnonzero(self.seen).astype(np.int32)


def segment_features(page: Page, vocabulary: Vocabulary) -> SegmentFeatures:
    """Give what a page says about its segments.

    Parameters
    ----------
    page
        The page.
    vocabulary
        The words of elements that are known, and what each weighs.

    Returns
    -------
    Evidence
        A row a segment, in document order; all numbers are finite.
    """
    count = len(page.segments)
    table = np.empty((count, len(NAMES)), np.float32)
    seen = np.zeros(len(vocabulary), np.bool_)
    if KERNEL is None:
        found, groups, slots, words, known = reference_features(page, vocabulary)
        seen[known] = True
        for number, name in enumerate(NAMES):
            table[:, number] = found[name]
        return SegmentFeatures(table, groups, slots, words, seen)
    groups = np.empty((count, LEVELS), np.int32)
    slots = np.empty(count, np.uint64)
    words = np.empty(count, np.int32)
    rows, shift = vocabulary.table
    columns = page.columns
    names = ("kind", "tag", "parent", "end", "start", "stop", "block", "chars", "children", "content", "path")
    KERNEL.read(
        page.canonical,
        *(np.ascontiguousarray(getattr(columns, name)) for name in (*names, "segments")),
        MARKS,
        H1,
        rows,
        rows.view(np.uint32),
        rows.view(np.float32),
        shift,
        _MIX,
        table,
        groups,
        slots,
        words,
        seen.view(np.uint8),
    )
    return SegmentFeatures(table, groups, slots, words, seen)


def word_hashes(page: Page) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
    """Give the hashes of the words of a page's elements, to learn a vocabulary from.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    tuple of arrays of int32 and of uint64
        The element's row and the word's hash, one a word: elements in document order, the words of each in
        theirs, those that come again too.
    """
    if KERNEL is None:
        found = [(row, word) for row, words, _ in read_starts(page) for word in words]
        return np.array([row for row, _ in found], np.int32), np.array([word for _, word in found], np.uint64)
    columns = page.columns
    elements = np.flatnonzero(columns.kind == ELEMENT).astype(np.int32)
    room = len(page.canonical) // 2 + 1  # a word takes two bytes at least
    rows, hashes = np.empty(room, np.int32), np.empty(room, np.uint64)
    count = KERNEL.read_words(page.canonical, np.ascontiguousarray(columns.start), elements, rows, hashes)
    return rows[:count].copy(), hashes[:count].copy()
