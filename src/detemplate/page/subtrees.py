"""Compares subtrees, in three strengths; passes values down from ancestors."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page import _subtrees
from detemplate.page.whitespace import collapse

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

STRENGTHS: Final = ("exact", "text", "normal")
"""Strengths of a comparison: exact markup; tags and text, without attributes; the same with numbers and dates
made alike."""

_DIGITS: Final = np.zeros(256, np.bool_)  # bytes that are a digit, or that begin one in some script
_DIGITS[[*b"0123456789", 0xD9, 0xDB, 0xE0, 0xEF]] = True

# A year from 1900 to 2099. No digit stands beside it, or behind it after ``.``, ``,`` or ``:``.
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?![\d.,:]\d)(?!\d)")

# A number with its separators; also a time, or a date or range in digits.
_NUMBER: Final = re.compile(r"\d+(?:[.,:/\-–]\d+)*")

_WORD: Final = r"[^\W\d_]"  # pattern of a letter

# The beginning of a word. Whatever matches from inside a word on matches from its beginning on, too.
_BEGIN: Final = rf"(?<!{_WORD})"

# A date with its month in letters, after numbers became ``0`` and years NUL.
_DATE: Final = re.compile(
    rf"0{_WORD}{{0,2}}[ .,]+(?:{_WORD}{{1,3}} )?{_WORD}{{3,}}[.,]* (?:{_WORD}{{1,3}} )?\x00"  # 12. März 2024
    rf"|{_BEGIN}{_WORD}{{3,}}\.? 0{_WORD}{{0,2}},? \x00"  # March 12th, 2024
    rf"|{_BEGIN}{_WORD}{{3,}} \x00"  # March 2024
)


def normalise(text: str) -> str:
    """Replace numbers, and dates in which the month is a word, by ``0``.

    A number may have decimal, time and date punctuation. A date is a year between 1900 and 2099 beside a
    word, with or without a day, in any language.
    """
    if not any(map(str.isdigit, text)):
        return text
    text = _NUMBER.sub("0", _YEAR.sub("\x00", text))
    return _DATE.sub("0", text).replace("\x00", "0")


@lru_cache(maxsize=1 << 15)
def _normalised_hash(written: bytes) -> int | None:
    """Hash a text of the serialisation with its numbers and dates made alike; None if it has none."""
    text = collapse(written.decode())
    normalised = normalise(text)
    return None if normalised is text else xxhash.xxh64_intdigest(normalised.encode())


def _maybe_numbers(page: Page) -> npt.NDArray[np.int32]:
    """Give the rows of the segments that may have a digit, of any script."""
    columns = page.columns
    places = np.flatnonzero(_DIGITS[np.frombuffer(page.canonical, np.uint8)])
    rows = columns.segments
    return rows[places.searchsorted(columns.start[rows]) < places.searchsorted(columns.stop[rows])]


def subtree_hashes(page: Page, strength: str) -> npt.NDArray[np.uint64]:
    """Hash the subtree of every node: equal subtrees have equal hashes.

    ``strength``: one of :data:`STRENGTHS`.
    Returns: one entry a row of ``page.columns``, meaningful for elements and segments. With ``"text"`` and
        ``"normal"``, comments, scripts, style sheets and other unseen text do not count.
    """
    columns = page.columns
    if strength == "exact":
        return columns.content
    texts = columns.content
    if strength == "normal":
        texts = texts.copy()
        rows = _maybe_numbers(page)
        starts, stops = columns.start[rows].tolist(), columns.stop[rows].tolist()
        for row, start, stop in zip(rows.tolist(), starts, stops, strict=True):
            normalised = _normalised_hash(page.canonical[start:stop])
            if normalised is not None:
                texts[row] = normalised
    hashes = np.empty(len(columns), np.uint64)
    _subtrees.loose_hashes(
        page.canonical,
        *(columns.kind, columns.tag, columns.parent, columns.start, texts, hashes),
    )
    return hashes


def inherit(parent: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give each row the greatest value of itself and its ancestors.

    ``parent``: row of each row's parent, which comes before it; -1 at the top.
    ``values``: one entry a row. Not changed.
    Returns: one entry a row.
    """
    greatest = values.astype(np.float64)
    above = np.where(parent < 0, np.arange(len(parent)), parent)
    while True:  # each round sees twice as many ancestors
        greatest = np.maximum(greatest, greatest[above])
        further = above[above]
        if np.array_equal(further, above):
            return greatest
        above = further
