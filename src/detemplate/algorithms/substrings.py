"""Which strings of tokens recur, and in how many documents: maximal strings by a suffix array.

Foschini 2007, section 3.2, steps 2 to 7: documents are put one after the other, a separator after each;
suffix array; longest common prefixes (LCP) of neighbours; every string that recurs is the prefix of an
LCP interval; occurrences and distinct documents of each; maximal strings only. The thesis counts
documents in quadratic time at worst; the exact method of Yamamoto & Church 2001 takes O(n log n).

The suffix array is libdivsufsort's, which sorts bytes: each token becomes one to five bytes, the
commoner the fewer (:func:`_suffix_array`).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.errors import MissingExtra
from detemplate.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Row32 = npt.NDArray[np.int32]
    Row64 = npt.NDArray[np.int64]
    Bytes = npt.NDArray[np.uint8]

MOST_TOKENS: Final = 2**31 - 3
"""Tokens and documents together at most: positions, two separators included, are 32-bit numbers."""

_CHUNK: Final = 2**20
_FIRST_BYTES: Final = (192, 56, 6, 1, 1)
"""First bytes for codes of one byte, of two, …; the bytes that follow take all 256 values."""


@dataclass(frozen=True, slots=True)
class Substrings:
    """Maximal strings, a row each, in order of first occurrence, then of length.

    Attributes
    ----------
    start : array of int32
        Position of the string's first occurrence in the tokens.
    length : array of int32
        Tokens of the string.
    occurrences : array of int32
        Times it occurs, overlapping ones included; at least 2.
    documents : array of int32
        Distinct documents that it occurs in.
    """

    start: Row32
    length: Row32
    occurrences: Row32
    documents: Row32

    def __len__(self) -> int:
        return len(self.start)


def maximal_strings(tokens: Row32, ends: Row64, *, min_documents: int = 2, min_length: int = 2) -> Substrings:
    """Find the maximal strings of a collection of documents.

    Foschini 2007, section 3.2. A string is a run of tokens inside one document. It is maximal if it
    has at least two occurrences and no longer string that contains it has as many: its occurrences are
    not all followed by the same token, nor all preceded by the same token (a document's edge differs
    from every token and from every other edge).

    Parameters
    ----------
    tokens
        Token numbers, at least 0, of all documents, one after the other, without separators.
    ends
        Where each document ends in ``tokens``, exclusive, in order; empty documents are allowed. The
        last end is the length of ``tokens``.
    min_documents
        Give strings in at least this many distinct documents. With 1, strings that recur in a single
        document are given too; strings that occur only once never are.
    min_length
        Give strings of at least this many tokens.

    Returns
    -------
    Substrings
        In order of first occurrence, then of length.

    Raises
    ------
    MissingExtra
        The suffix array's library is not installed.
    ValueError
        Arguments that make no sense, or more than ``MOST_TOKENS`` tokens and documents.

    Notes
    -----
    O(n log n) time whatever the input. At the peak at most 40 bytes a token, ``tokens`` included, some
    30 on common HTML; beyond 2**31 bytes of codes (a billion tokens or so) the library sorts 64-bit
    numbers and takes more.
    """
    tokens, ends = _checked(tokens, ends)
    if min_documents < 1 or min_length < 1:
        raise ValueError("min_documents and min_length must be at least 1")
    try:
        sort = import_module("pydivsufsort").divsufsort
    except ImportError:
        raise MissingExtra("mining template expressions", "expressions") from None
    if min_documents > len(ends) or not len(tokens):
        return _none()
    text, places = _without_rare(tokens, ends, min_documents)
    if len(text) == 1:
        return _none()
    suffixes = _suffix_array(text, sort)
    lengths = common_prefixes(text, suffixes)
    before = _gather(np.concatenate((text[:1], text[:-1])), suffixes)
    # Rows of `text` at which documents end; where a separator was dropped, its follower stands for it.
    edges = np.searchsorted(places, (ends + np.arange(1, len(ends) + 1)).astype(np.int32))
    sizes = np.diff(edges, prepend=0, append=len(text))
    del text
    numbers = np.repeat(np.arange(len(ends) + 1, dtype=np.int32), sizes)
    documents = _gather(numbers, suffixes)
    places -= numbers  # without the document ends, and without the first separator: places in `tokens`
    places -= np.int32(1)
    del numbers
    found = close_intervals(
        suffixes, lengths, before, documents, len(ends), min_documents, min(min_length, MOST_TOKENS)
    )
    columns = [_gather(places, suffixes[:found]), lengths, before, documents]
    del places, suffixes, lengths, before, documents
    order = np.lexsort((columns[1][:found], columns[0]))
    for column in range(4):  # one after the other, so that what was sorted goes before the next
        columns[column] = columns[column][:found][order]
    return Substrings(*columns)


def _none() -> Substrings:
    return Substrings(*(np.empty(0, np.int32) for _ in range(4)))


def _checked(tokens: Row32, ends: Row64) -> tuple[Row32, Row64]:
    """Refuse what the kernel could not safely read."""
    tokens, ends = np.asarray(tokens), np.asarray(ends)
    if (
        tokens.ndim != 1
        or ends.ndim != 1
        or tokens.dtype != np.int32
        or (len(ends) and ends.dtype.kind not in "iu")
    ):
        raise ValueError("tokens must be a row of int32, ends a row of integers")
    if len(tokens) + len(ends) > MOST_TOKENS:
        raise ValueError(
            f"{len(tokens):,} tokens in {len(ends):,} documents are too many: "
            f"at most {MOST_TOKENS:,} together; mine a sample of the documents"
        )
    ends = ends.astype(np.int64)
    edges = np.concatenate(([0], ends))
    if edges[-1] != len(tokens) or (edges[1:] < edges[:-1]).any():
        raise ValueError("ends must be in order, from 0 on, and the last must be the number of tokens")
    if len(tokens) and tokens.min() < 0:
        raise ValueError("token numbers must be at least 0")
    return np.ascontiguousarray(tokens), ends


def _without_rare(tokens: Row32, ends: Row64, min_documents: int) -> tuple[Row32, Row32]:
    """Put separators at the documents' edges and in place of the tokens that no given string can have.

    A token in fewer than ``min_documents`` documents, or one that occurs once, is in no string that is
    given, and cannot stand before or after all occurrences of one either: so strings and maximality
    stay what they were. One separator replaces a run of such tokens.

    Gives the remaining text (0: separator, also first and last; the commonest token 1, the next 2, …)
    and the places of its symbols in all documents with a separator before the first and after each.
    """
    if int(tokens.max()) >= len(tokens):  # sparse numbers: tables would be larger than the tokens
        tokens = _numbered(tokens)
    times = np.bincount(tokens)
    kept = np.flatnonzero((times >= 2) & (_document_counts(tokens, ends, len(times)) >= min_documents))
    symbols = np.zeros(len(times), np.int32)
    symbols[kept[np.argsort(-times[kept], kind="stable")]] = np.arange(1, len(kept) + 1, dtype=np.int32)
    text = np.insert(_gather(symbols, tokens), np.concatenate(([0], ends)), 0)
    remaining = text != 0
    remaining[1:] |= remaining[:-1]  # the first separator of each run
    remaining[0] = True
    return text[remaining], _places(remaining)


def _places(mask: npt.NDArray[np.bool_]) -> Row32:
    """Give where a mask is true: 32-bit numbers, without 64-bit ones on the way."""
    places = np.empty(np.count_nonzero(mask), np.int32)
    filled = 0
    for low in range(0, len(mask), _CHUNK):
        part = np.flatnonzero(mask[low : low + _CHUNK])
        places[filled : filled + len(part)] = part + low
        filled += len(part)
    return places


def _numbered(tokens: Row32) -> Row32:
    """Give the tokens dense numbers, in the order of their own."""
    distinct = np.unique(tokens)
    dense = np.empty(len(tokens), np.int32)
    for low in range(0, len(tokens), _CHUNK):
        dense[low : low + _CHUNK] = np.searchsorted(distinct, tokens[low : low + _CHUNK])
    return dense


def _document_counts(tokens: Row32, ends: Row64, kinds: int) -> Row64:
    """Count the documents that each token occurs in, some documents at a time."""
    counts = np.zeros(kinds, np.int64)
    first = 0
    while first < len(ends):
        low = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, low + _CHUNK, side="right")))
        sizes = np.diff(ends[first:last], prepend=low)
        pairs = np.repeat(np.arange(last - first) * kinds, sizes)
        pairs += tokens[low : int(ends[last - 1])]
        pairs.sort()
        new = np.ones(len(pairs), np.bool_)
        np.not_equal(pairs[1:], pairs[:-1], out=new[1:])
        pairs %= kinds
        counts += np.bincount(pairs[new], minlength=kinds)
        first = last
    return counts


def _gather(values: npt.NDArray[Any], places: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give ``values[places]``; NumPy would make 64-bit numbers of all places first."""
    found = np.empty(len(places), values.dtype)
    for low in range(0, len(places), _CHUNK):
        found[low : low + _CHUNK] = values[places[low : low + _CHUNK]]
    return found


def _suffix_array(text: Row32, sort: Any) -> Row32:  # noqa: ANN401
    """Sort the suffixes of a text that do not begin with a separator.

    No code is the beginning of another, so bytes in order are tokens in order (in that of their codes).
    Suffixes that begin inside a code are sorted too and dropped; the separator, symbol 0, sorts first.
    """
    # All separators are one symbol, so suffixes are compared beyond them, which orders those that are
    # equal up to a separator, and no others: the suffixes that begin with one string without separator
    # stand side by side, as they would if every separator differed. LCPs end at separators
    # (`common_prefixes`). Of suffixes that are equal beyond a separator, all in between in the array are
    # too, and their LCPs end there as well: the LCP intervals are the same sets of suffixes.
    codes, begins = _encoded(text)
    array: npt.NDArray[Any] = sort(codes)
    del codes
    # libdivsufsort's numbers have 64 bits beyond 2**31 bytes; the kernel takes those of 32.
    filled = (keep_symbols if array.dtype == np.int32 else reference_keep_symbols)(array, begins)
    separators = len(text) - np.count_nonzero(text)
    return array[separators:filled].astype(np.int32)


def _encoded(text: Row32) -> tuple[Bytes, Bytes]:
    """Write symbols as bytes; tell which bytes begin a symbol."""
    symbols = np.arange(int(text.max()) + 1)
    codes = np.zeros((len(symbols), len(_FIRST_BYTES)), np.uint8)
    widths = np.zeros(len(symbols), np.uint8)
    begun, least = 0, 0
    for more, first_bytes in enumerate(_FIRST_BYTES):
        rows = slice(least, least + first_bytes * 256**more)
        numbers = symbols[rows] - least
        for place in range(more + 1):
            codes[rows, place] = numbers >> 8 * (more - place) & 255
        codes[rows, 0] += begun
        widths[rows] = more + 1
        begun, least = begun + first_bytes, rows.stop
    size = int(np.bincount(text) @ widths)
    written, begins = np.empty(size, np.uint8), np.zeros(size, np.uint8)
    write_codes(text, codes, widths, written, begins)
    return written, begins


def reference_write_codes(text: Row32, codes: Bytes, widths: Bytes, written: Bytes, begins: Bytes) -> None:
    """Write the code of each symbol: the reference.

    Parameters
    ----------
    text
        Symbols.
    codes, widths
        A row of bytes a symbol, and how many of them are its code.
    written
        Overwritten: the codes, one after the other.
    begins
        Zeros; 1 is written where a code begins.
    """
    filled = 0
    for low in range(0, len(text), _CHUNK):
        part = text[low : low + _CHUNK]
        ends = np.cumsum(widths[part], dtype=np.int64) + filled
        begins[ends - widths[part]] = 1
        written[filled : ends[-1]] = codes[part][np.arange(codes.shape[1]) < widths[part][:, None]]
        filled = int(ends[-1])


def reference_keep_symbols(array: npt.NDArray[Any], begins: Bytes) -> int:
    """Keep the suffixes that begin with a symbol, and number them by symbols, not bytes: the reference.

    Parameters
    ----------
    array
        Positions of bytes, in order of their suffixes. Overwritten: the first ones are the suffixes
        kept, as numbers of symbols, in the same order.
    begins
        1 where a symbol begins, else 0.

    Returns
    -------
    int
        How many were kept.
    """
    symbols = np.cumsum(begins, dtype=array.dtype) - 1
    filled = 0
    for low in range(0, len(array), _CHUNK):
        part = array[low : low + _CHUNK]
        part = symbols[part[begins[part] == 1]]
        array[filled : filled + len(part)] = part
        filled += len(part)
    return filled


def reference_common_prefixes(text: Row32, suffixes: Row32) -> Row32:
    """Give the length of the longest common prefix of each suffix and the one before: the reference.

    Parameters
    ----------
    text
        Symbols; 0 is a separator, at which prefixes end. The first and the last symbol are separators.
    suffixes
        The positions of all other symbols, their suffixes in order.

    Returns
    -------
    array of int32
        One a suffix; 0 for the first.
    """
    symbols = text.tolist()
    order = suffixes.tolist()
    rank = {position: row for row, position in enumerate(order)}
    found = np.zeros(len(order), np.int32)
    common = 0
    for position in sorted(order):  # Kasai et al. 2001: the next suffix of the text has one less at most
        row = rank[position]
        other = order[row - 1] if row else 0
        while symbols[position + common] == symbols[other + common] != 0:
            common += 1
        found[row] = common
        common = max(common - 1, 0)
    return found


def reference_close_intervals(  # noqa: PLR0917  # as the kernel
    suffixes: Row32,
    prefixes: Row32,
    before: Row32,
    document: Row32,
    documents: int,  # noqa: ARG001  # the kernel needs it
    min_documents: int,
    min_length: int,
) -> int:
    """Find the maximal strings among the LCP intervals: the reference.

    Parameters
    ----------
    suffixes, prefixes, before, document
        Rows of the suffix array: position, length of the longest common prefix with the row before
        (that of the first row means nothing), symbol before the position (0: a separator), document.
        Overwritten: the first rows are the maximal strings' least position, length, occurrences and
        documents, in no particular order.
    documents
        Documents are numbered below this.
    min_documents, min_length
        As in :func:`maximal_strings`.

    Returns
    -------
    int
        How many rows were found.
    """
    found: list[tuple[int, int, int, int]] = []
    # Open intervals: length, first row, least position, symbols before, documents.
    stack: list[tuple[int, int, int, set[int], set[int]]] = []
    rows = zip(
        suffixes.tolist(), [*prefixes.tolist()[1:], 0], before.tolist(), document.tolist(), strict=True
    )
    for row, (position, common, symbol, number) in enumerate(rows):
        # An interval of this suffix alone, as long as nothing; what it shares with the next closes all
        # longer ones, and each is taken up by the one around it.
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
    """Join least positions and sets, the smaller set into the larger: O(n log n) over all joins."""
    small, large = sorted((one, other), key=lambda part: len(part[2]))
    large[2].update(small[2])
    # More than one symbol before is all that is asked for; 0 and another say so.
    symbols = one[1] | other[1]
    return min(one[0], other[0]), symbols if len(symbols) == 1 else {0, max(symbols)}, large[2]


KERNEL: Final[Any] = compiled("detemplate.algorithms._substrings")
write_codes: Callable[[Row32, Bytes, Bytes, Bytes, Bytes], None] = (
    KERNEL.write_codes if KERNEL is not None else reference_write_codes
)
keep_symbols: Callable[[Row32, Bytes], int] = (
    KERNEL.keep_symbols if KERNEL is not None else reference_keep_symbols
)
common_prefixes: Callable[[Row32, Row32], Row32] = (
    KERNEL.common_prefixes if KERNEL is not None else reference_common_prefixes
)
close_intervals: Callable[[Row32, Row32, Row32, Row32, int, int, int], int] = (
    KERNEL.close_intervals if KERNEL is not None else reference_close_intervals
)
