"""Longest common subsequence of two sequences of numbers, in bounded memory, of long ones part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

if TYPE_CHECKING:
    import numpy.typing as npt

    Sequence64 = npt.NDArray[np.uint64]

CELLS: Final = 2**28
"""Maximum number of cells of an alignment's table. RapidFuzz keeps one bit a cell: 32 MB."""

LONGEST: Final = 2**14
"""Maximum length of the shorter sequence that is aligned as a whole."""

_WIDTH: Final = 2**13  # columns of a strip in :func:`_lengths`, as bits of one long integer


def common(
    first: Sequence64, second: Sequence64, *, cells: int = CELLS, longest: int = LONGEST
) -> npt.NDArray[np.bool_]:
    """Find the elements of ``first`` that are in a longest common subsequence with ``second``.

    ``first``, ``second``: elements as 64-bit numbers, such as hashes of lines.
    ``cells``: sequences whose lengths have a greater product are divided, so that memory stays bounded; parts
        of long ones are cut so small that none is.
    ``longest``: sequences of which both have more elements, besides equal ends and elements that one side
        lacks, are cut into as many equal parts, and each part is aligned with the other side's. The time
        stays linear in the longer sequence, and the common subsequence may be shorter than the longest.
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
        while parts > 1 and -(-len(rows) // parts) * -(-len(inner) // parts) > cells:
            parts += 1  # halving costs more than a further part
        pairs = zip(np.array_split(first[rows], parts), np.array_split(inner, parts), strict=True)
        found[head + rows] = np.concatenate([_align(*pair, cells) for pair in pairs])
    return found


def _align(first: Sequence64, second: Sequence64, cells: int) -> npt.NDArray[np.bool_]:
    """Align two sequences: small ones directly, others in halves (Hirschberg 1975)."""
    found = np.zeros(len(first), np.bool_)
    pending = [(0, len(first), 0, len(second))]
    while pending:
        top, bottom, left, right = pending.pop()
        if top == bottom or left == right:
            continue
        if bottom - top == 1 or (bottom - top) * (right - left) <= cells:
            # A table of one row is small, however wide.
            for block in LCSseq.opcodes(first[top:bottom].tolist(), second[left:right].tolist()):
                if block.tag == "equal":
                    found[top + block.src_start : top + block.src_end] = True
            continue
        middle = (top + bottom) // 2
        before = _lengths(first[top:middle], second[left:right])
        after = _lengths(first[middle:bottom][::-1], second[left:right][::-1])[::-1]
        split = left + int(np.argmax(before + after))
        pending += [(top, middle, left, split), (middle, bottom, split, right)]
    return found


def _lengths(first: Sequence64, second: Sequence64) -> npt.NDArray[np.int64]:
    """Compute the LCS lengths of ``first`` with every prefix of ``second``, from the empty one on.

    Hyyrö's bit-parallel recurrence (2004) on Python's long integers. It runs in strips of columns, and the
    carry of each row passes from strip to strip, so memory stays linear.
    """
    elements = first.tolist()
    carry = [0] * len(elements)
    parts = [np.zeros(1, np.uint8)]
    for left in range(0, len(second), _WIDTH):
        columns = second[left : left + _WIDTH].tolist()
        matches: dict[int, int] = {}
        for place, element in enumerate(columns):
            matches[element] = matches.get(element, 0) | 1 << place
        width = len(columns)
        full = (1 << width) - 1
        row = full
        for i, element in enumerate(elements):
            shared = row & matches.get(element, 0)
            total = row + shared + carry[i]
            carry[i] = total >> width
            row = (total | (row - shared)) & full
        grown = np.frombuffer((full ^ row).to_bytes((width + 7) // 8, "little"), np.uint8)
        parts.append(np.unpackbits(grown, bitorder="little")[:width])
    return np.cumsum(np.concatenate(parts), dtype=np.int64)
