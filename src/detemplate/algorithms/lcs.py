"""Longest common subsequence of two sequences of numbers, in bounded memory, of long ones part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

if TYPE_CHECKING:
    import numpy.typing as npt

    Sequence64 = npt.NDArray[np.uint64]

CELLS: Final = 2**30
"""Maximum number of cells of an alignment's table. RapidFuzz keeps one bit a cell: 128 MB."""

LONGEST: Final = 2**14
"""Maximum length of the shorter sequence that is aligned as a whole."""


def common(
    first: Sequence64, second: Sequence64, *, cells: int = CELLS, longest: int = LONGEST
) -> npt.NDArray[np.bool_]:
    """Find the elements of ``first`` that are in a longest common subsequence with ``second``.

    ``first``, ``second``: elements as 64-bit numbers, such as hashes of lines.
    ``cells``, ``longest``: sequences whose lengths have a greater product, or of which both have more
        elements, besides equal ends and elements that one side lacks, are cut into as many equal parts, and
        each part is aligned with the other side's. Memory stays bounded and the time linear in the longer
        sequence; the common subsequence may be shorter than the longest.
    Returns: one entry an element of ``first``. If several subsequences are longest, one of them is chosen.
    """
    found = np.zeros(len(first), np.bool_)
    # Some longest common subsequence contains all equal elements at both ends. None contains an element that
    # only one side has.
    shorter = min(len(first), len(second))
    unequal = np.flatnonzero(first[:shorter] != second[:shorter])
    head = int(unequal[0]) if len(unequal) else shorter
    found[:head] = True
    rest = shorter - head
    unequal = np.flatnonzero(first[::-1][:rest] != second[::-1][:rest])
    tail = int(unequal[0]) if len(unequal) else rest
    found[len(first) - tail :] = True
    first, second = first[head : len(first) - tail], second[head : len(second) - tail]
    rows = np.flatnonzero(np.isin(first, second))
    if len(rows):
        inner = second[np.isin(second, first)]
        parts = -(-min(len(rows), len(inner)) // longest)
        while -(-len(rows) // parts) * -(-len(inner) // parts) > cells:
            parts += 1
        pairs = zip(np.array_split(first[rows], parts), np.array_split(inner, parts), strict=True)
        found[head + rows] = np.concatenate([_align(*pair) for pair in pairs])
    return found


def _align(first: Sequence64, second: Sequence64) -> npt.NDArray[np.bool_]:
    """Find the elements of ``first`` that are in a longest common subsequence, by one table."""
    found = np.zeros(len(first), np.bool_)
    for block in LCSseq.opcodes(first.tolist(), second.tolist()):
        if block.tag == "equal":
            found[block.src_start : block.src_end] = True
    return found
