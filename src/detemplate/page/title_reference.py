"""The parts of titles and the segments that repeat them, uncompiled: this defines what the kernel finds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    import numpy.typing as npt

_SEPARATORS: Final = re.compile(rb"(\s+(?:[|/~-]|&gt;|&lt;|::)+\s+|:\s+|\s*[|_]\s*)")
"""Separates the pieces of an ASCII title."""

_WIDE: Final = "|".join("•·—–»«›‹")
"""Separators beyond ASCII, as alternatives: in a class of bytes, their bytes would be matched one by one."""

_BESIDE: Final = rb"[\xe3-\xed][\x80-\xbf]{2}"
"""A character of a script without spaces between words: a dash beside it separates without spaces."""

_WIDE_SEPARATORS: Final = re.compile(
    rf"(\s+(?:[|/~-]|{_WIDE}|&gt;|&lt;|::)+\s+|:\s+|\s*(?:[|_]|｜|—|–|－)\s*|".encode()
    + rb"(?<=" + _BESIDE + rb")\s*-+\s*|\s*-+\s*(?=" + _BESIDE + rb"))"
)  # fmt: skip
"""Separates the pieces of any other title."""

_SPACES: Final = bytes.maketrans(WHITE_SPACE_BYTES, b" " * len(WHITE_SPACE_BYTES))
"""Makes spaces of white space."""

_MOST_PIECES: Final = 6
"""Pieces of a title; one with more is taken as a whole."""


def shown_titles(  # noqa: PLR0917  # as the kernel
    titles: list[bytes],
    rows: list[int],
    content: npt.NDArray[np.uint64],
    segments: npt.NDArray[np.int32],
    share: float,
    longest: int,
    most: int,
) -> list[list[int]]:
    """List, for each part of some titles that any segment repeats, the numbers of its segments.

    Parameters
    ----------
    titles
        At most two texts, with white space as it is written.
    rows
        For each, the row from which on segments may repeat it.
    content, segments
        Columns of the page.
    share
        Least share of a title's bytes that a part must have, unless another part is found already.
    longest
        Maximum bytes of a title.
    most
        Maximum segments that are given of a part.

    Returns
    -------
    list of lists of int
        The longest parts of the first title first. Each part is listed once.
    """
    texts = content[segments]
    done: set[tuple[int, bytes]] = set()
    tried: set[tuple[int, bytes]] = set()
    shown: list[list[int]] = []
    for title, row in zip(titles, rows, strict=True):
        first = int(segments.searchsorted(np.int32(row)))
        text = b" ".join(filter(None, title.translate(_SPACES).split(b" ")))
        if (first, text) in done:  # the second is often the first again
            continue
        done.add((first, text))
        for part in parts(text, longest):
            if (first, part) in tried:
                continue
            tried.add((first, part))
            if not shown and len(part) < share * len(text):
                break
            same = (texts[first:] == np.uint64(xxhash.xxh64_intdigest(part))).nonzero()[0]
            if len(same):
                shown.append((same[:most] + first).tolist())
    return shown


def parts(title: bytes, longest: int) -> list[bytes]:
    """Give the parts of a title, whose white space is collapsed: runs of its pieces, the longest first."""
    if not title or len(title) > longest:
        return []
    separators = _SEPARATORS if title.isascii() else _WIDE_SEPARATORS
    pieces = separators.split(title)  # pieces and separators, in turns
    if (len(pieces) + 1) // 2 > _MOST_PIECES:
        pieces = [title]
    runs = {
        b"".join(pieces[start:end]).strip(b" ")
        for start in range(0, len(pieces), 2)
        for end in range(start + 1, len(pieces) + 1, 2)
    }
    return sorted(sorted(filter(None, runs)), key=len, reverse=True)
