"""When two subtrees are equal, in three strengths; and what a node has from its ancestors."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from detemplate.kernels import compiled
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.scan_reference import collapse, mix

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

KERNEL: Final[Any] = compiled("detemplate.page._subtrees")
"""The kernel, None if it was not compiled."""

STRENGTHS: Final = ("exact", "text", "normal")
"""Exact markup; tags and text, attributes ignored; tags and text with numbers and dates made alike."""

_DIGITS: Final = np.zeros(256, np.bool_)
_DIGITS[[*range(0x30, 0x3A), 0xD9, 0xDB, 0xE0, 0xEF]] = True

_MASK: Final = (1 << 64) - 1
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?![\d.,:]\d)(?!\d)")
_NUMBER: Final = re.compile(r"\d+(?:[.,:/\-–]\d+)*")
_WORD: Final = r"[^\W\d_]"
_DATE: Final = re.compile(
    rf"0{_WORD}{{0,2}}[ .,]+(?:{_WORD}{{1,3}} )?{_WORD}{{3,}}[.,]* (?:{_WORD}{{1,3}} )?\x00"  # 12. März 2024
    rf"|{_WORD}{{3,}}\.? 0{_WORD}{{0,2}},? \x00"  # March 12th, 2024
    rf"|{_WORD}{{3,}} \x00"  # March 2024
)


def normalise(text: str) -> str:
    """Make numbers alike, and dates in which a month is a word.

    A number (with its decimal, time and date punctuation) becomes ``0``. A year between 1900 and 2099
    beside a word, with or without a day, is a date, whatever the language: it becomes ``0``, too.
    """
    if not any(map(str.isdigit, text)):
        return text
    text = _NUMBER.sub("0", _YEAR.sub("\x00", text))
    return _DATE.sub("0", text).replace("\x00", "0")


@lru_cache(maxsize=1 << 15)
def _hash_of_alike(written: bytes) -> int | None:
    """Hash a text as it is written with numbers and dates made alike; None if it has none.

    A site's pages repeat most of their texts, so most calls are answered from memory.
    """
    text = collapse(written.decode())
    alike = normalise(text)
    return None if alike is text else xxhash.xxh64_intdigest(alike.encode())


def _maybe_numbers(page: Page) -> npt.NDArray[np.int32]:
    """Give the rows of the segments in which a digit, or a byte that begins one in some script, stands."""
    columns = page.columns
    places = np.flatnonzero(_DIGITS[np.frombuffer(page.canonical, np.uint8)])
    rows = columns.segments
    return rows[places.searchsorted(columns.start[rows]) < places.searchsorted(columns.stop[rows])]


def subtree_hashes(page: Page, strength: str) -> npt.NDArray[np.uint64]:
    """Hash every node so that equal subtrees have equal hashes; 64 bits.

    Parameters
    ----------
    page
        The page.
    strength
        One of :data:`STRENGTHS`.

    Returns
    -------
    array of uint64
        One a node of the page's columns; only those of elements and segments mean something. With
        ``"text"`` and ``"normal"``, comments, scripts, style sheets and other unseen text do not count.
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
            alike = _hash_of_alike(page.canonical[start:stop])
            if alike is not None:
                texts[row] = alike
    if KERNEL is None:
        return reference_hashes(page.canonical, columns, texts)
    out = np.empty(len(columns), np.uint64)
    KERNEL.loose_hashes(
        page.canonical,
        *map(np.ascontiguousarray, (columns.kind, columns.tag, columns.parent, columns.start, texts)),
        out,
    )
    return out


def reference_hashes(
    canonical: bytes, columns: Columns, texts: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]:
    """Hash subtrees by tag names and texts, uncompiled: children before parents, last child first."""
    out = [0] * len(columns)
    for row in range(len(columns) - 1, -1, -1):
        if columns.kind[row] == ELEMENT:
            name = re.compile(rb"[^ >]+").match(canonical, int(columns.start[row]) + 1)
            key = xxhash.xxh64_intdigest(name[0] if name else b"")
            out[row] = mix((key + (int(columns.tag[row]) >> 14)) & _MASK, out[row])
        elif columns.kind[row] == TEXT:
            out[row] = int(texts[row])
        else:
            continue
        parent = int(columns.parent[row])
        if parent >= 0:
            out[parent] = mix(out[parent], out[row])
    return np.array(out, np.uint64)


def inherit(parent: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give each row the greatest value of itself and its ancestors.

    Parameters
    ----------
    parent
        Row of each row's parent, which comes before it; -1 at the top.
    values
        One a row.
    """
    best = values.astype(np.float64)
    if KERNEL is not None:
        KERNEL.inherited(np.ascontiguousarray(parent), best)
        return best
    for row, above in enumerate(parent.tolist()):
        if above >= 0:
            best[row] = max(best[row], best[above])
    return best
