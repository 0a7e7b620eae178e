"""The steps of :mod:`detemplate.algorithms.substrings` that are compiled, in plain Python and NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Row32 = npt.NDArray[np.int32]
    Bytes = npt.NDArray[np.uint8]

_CHUNK: Final = 2**20
"""Items of a large array that are worked on at a time, which bounds the memory of intermediate results."""


def write_codes(text: Row32, codes: Bytes, widths: Bytes, written: Bytes, begins: Bytes) -> None:
    """Write the code of each symbol.

    Parameters
    ----------
    text
        Symbols.
    codes, widths
        One row of bytes a symbol, and how many of these bytes are its code.
    written
        Filled with the codes, one after the other.
    begins
        Zeros; set to 1 where a code begins.
    """
    filled = 0
    for low in range(0, len(text), _CHUNK):
        part = text[low : low + _CHUNK]
        ends = np.cumsum(widths[part], dtype=np.int64) + filled
        begins[ends - widths[part]] = 1
        written[filled : ends[-1]] = codes[part][np.arange(codes.shape[1]) < widths[part][:, None]]
        filled = int(ends[-1])


def keep_symbols(array: npt.NDArray[Any], begins: Bytes) -> int:
    """Keep the suffixes that begin with a symbol, and number them by symbols instead of bytes.

    Parameters
    ----------
    array
        Positions of bytes, in the order of their suffixes. Overwritten: begins with the suffixes kept, as
        positions of symbols, in the same order.
    begins
        1 where a symbol begins, else 0.

    Returns
    -------
    int
        Number of suffixes kept.
    """
    symbols = np.cumsum(begins, dtype=array.dtype) - 1
    filled = 0
    for low in range(0, len(array), _CHUNK):
        part = array[low : low + _CHUNK]
        part = symbols[part[begins[part] == 1]]
        array[filled : filled + len(part)] = part
        filled += len(part)
    return filled


def common_prefixes(text: Row32, suffixes: Row32) -> Row32:
    """Compute the length of the longest common prefix of each suffix with the one before it.

    Parameters
    ----------
    text
        Symbols; 0 is a separator, where prefixes end. The first and the last symbol are separators.
    suffixes
        Positions of all other symbols, in the order of their suffixes.

    Returns
    -------
    array of int32
        One number a suffix; 0 for the first.
    """
    symbols = text.tolist()
    order = suffixes.tolist()
    rank = {position: row for row, position in enumerate(order)}
    found = np.zeros(len(order), np.int32)
    common = 0
    for position in sorted(order):  # Kasai et al. 2001: from one position to the next, at most one is lost
        row = rank[position]
        other = order[row - 1] if row else 0
        while symbols[position + common] == symbols[other + common] != 0:
            common += 1
        found[row] = common
        common = max(common - 1, 0)
    return found


def close_intervals(  # noqa: PLR0917  # as in the kernel
    suffixes: Row32,
    prefixes: Row32,
    before: Row32,
    document: Row32,
    documents: int,  # noqa: ARG001  # the kernel needs its size
    min_documents: int,
    min_length: int,
) -> int:
    """Find the maximal strings among the LCP intervals.

    Parameters
    ----------
    suffixes, prefixes, before, document
        Rows of the suffix array: position, length of the longest common prefix with the row before
        (meaningless in the first row), symbol before the position (0: a separator), document. Overwritten:
        they begin with the maximal strings' first position, length, occurrences and documents, in no
        particular order.
    documents
        Documents are numbered below this.
    min_documents, min_length
        As in :func:`~detemplate.algorithms.substrings.maximal_strings`.

    Returns
    -------
    int
        Number of maximal strings.
    """
    found: list[tuple[int, int, int, int]] = []
    # Open intervals: length, first row, least position, symbols before, documents.
    stack: list[tuple[int, int, int, set[int], set[int]]] = []
    rows = zip(
        suffixes.tolist(), [*prefixes.tolist()[1:], 0], before.tolist(), document.tolist(), strict=True
    )
    for row, (position, common, symbol, number) in enumerate(rows):
        # Begin with an interval of this suffix alone. What it shares with the next suffix closes all longer
        # intervals; each is joined to the one around it.
        first, least, symbols, numbers = row, position, {symbol}, {number}
        while stack and stack[-1][0] > common:
            length, first, *others = stack.pop()
            least, symbols, numbers = _joined((least, symbols, numbers), others)
            if (len(symbols) > 1 or 0 in symbols) and length >= min_length and len(numbers) >= min_documents:
                found.append((least, length, row + 1 - first, len(numbers)))
        if stack and stack[-1][0] == common:
            _, first, *others = stack.pop()
            least, symbols, numbers = _joined((least, symbols, numbers), others)
        stack.append((common, first, least, symbols, numbers))
    for column, values in zip((suffixes, prefixes, before, document), zip(*found, strict=True), strict=False):
        column[: len(found)] = values
    return len(found)


def _joined(one: Any, other: Any) -> tuple[int, set[int], set[int]]:  # noqa: ANN401
    """Join two intervals: first positions, symbols before, documents.

    The smaller set of documents goes into the larger: O(n log n) over all joins.
    """
    small, large = sorted((one, other), key=lambda part: len(part[2]))
    large[2].update(small[2])
    # Two symbols stand for more than one, which is all that counts.
    symbols = one[1] | other[1]
    return min(one[0], other[0]), symbols if len(symbols) == 1 else {0, max(symbols)}, large[2]
