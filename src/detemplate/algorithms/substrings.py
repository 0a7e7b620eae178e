"""Strings of tokens that recur, and in how many documents: maximal strings by a suffix array.

Foschini 2007, section 3.2, steps 2 to 7. The documents are put one after the other, each followed by a
separator. A suffix array and the longest common prefixes (LCP) of neighbouring suffixes give the LCP
intervals; each string that recurs is the prefix of one. Of each, occurrences and distinct documents are
counted; only maximal strings are kept. The thesis counts documents in quadratic time at worst; the exact
method of Yamamoto & Church 2001, used here, takes O(n log n).

The suffix array is libdivsufsort's, which sorts bytes: a token becomes one to five bytes, fewer for a common
one (:func:`_suffix_array`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms import _substrings
from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    import numpy.typing as npt

    Row32 = npt.NDArray[np.int32]
    Row64 = npt.NDArray[np.int64]
    Bytes = npt.NDArray[np.uint8]

MOST_TOKENS: Final = 2**31 - 3
"""Maximum number of tokens and documents together: positions, with two separators, are 32-bit numbers."""

_CHUNK: Final = 2**20
"""Items of a large array that are worked on at a time, which bounds the memory of intermediate results."""

_FIRST_BYTES: Final = (192, 56, 6, 1, 1)
"""First bytes reserved for codes of one byte, of two, …, of five. Further bytes take all 256 values."""


@dataclass(frozen=True, slots=True)
class Substrings:
    """Maximal strings, one row each, in order of first occurrence, then of length.

    ``start``: position of the string's first occurrence in the tokens.
    ``length``: tokens of the string.
    ``occurrences``: how often it occurs, overlapping occurrences included; at least 2.
    ``documents``: number of distinct documents that it occurs in.
    """

    start: Row32
    length: Row32
    occurrences: Row32
    documents: Row32

    def __len__(self) -> int:
        return len(self.start)


def maximal_strings(tokens: Row32, ends: Row64, *, min_documents: int = 2, min_length: int = 2) -> Substrings:
    """Find the maximal strings of a collection of documents.

    Foschini 2007, section 3.2. A string is a run of tokens inside one document. It is maximal if it occurs
    at least twice, and no longer string that contains it occurs as often: its occurrences are neither all
    followed nor all preceded by the same token. (A document's edge differs from every token and from every
    other edge.)

    ``tokens``: token numbers, at least 0, of all documents, one after the other, without separators.
    ``ends``: where each document ends in ``tokens``, exclusive, in order. Empty documents are allowed. The
        last end is the length of ``tokens``.
    ``min_documents``: minimum number of distinct documents of a string. With 1, strings that recur in a
        single document are found, too. Strings that occur only once never are.
    ``min_length``: minimum number of tokens of a string.
    Returns: in order of first occurrence, then of length.
    Raises MissingExtra: the library that makes suffix arrays is not installed.
    Raises ValueError: an argument is out of range, or there are more than ``MOST_TOKENS`` tokens and
        documents.

    Notes
    -----
    O(n log n) time for any input. Peak memory is at most 40 bytes a token, ``tokens`` included, and about
    30 on common HTML. Beyond 2**31 bytes of codes (about a billion tokens) the library sorts 64-bit
    numbers and takes more.
    """
    tokens, ends = _checked(tokens, ends)
    if min_documents < 1 or min_length < 1:
        raise ValueError("min_documents and min_length must be at least 1")
    try:
        library = import_module("pydivsufsort")
    except ImportError:
        raise MissingExtra("mining template expressions", "expressions") from None
    # In one thread: OpenMP's threads are not there in a process that is forked later, which would wait for
    # them for ever.
    with suppress(AttributeError, ImportError):  # built without OpenMP
        import_module("pydivsufsort.dll").libdivsufsort.omp_set_num_threads(1)
    sort = library.divsufsort
    if min_documents > len(ends) or not len(tokens):
        return _none()
    text, places = _without_rare(tokens, ends, min_documents)
    if len(text) == 1:
        return _none()
    suffixes = _suffix_array(text, sort)
    lengths = _substrings.common_prefixes(text, suffixes)
    before = _gather(np.concatenate((text[:1], text[:-1])), suffixes)
    # Positions in `text` at which documents end. A separator that was dropped is replaced by the next one.
    edges = np.searchsorted(places, (ends + np.arange(1, len(ends) + 1)).astype(np.int32))
    sizes = np.diff(edges, prepend=0, append=len(text))
    del text
    numbers = np.repeat(np.arange(len(ends) + 1, dtype=np.int32), sizes)
    documents = _gather(numbers, suffixes)
    places -= numbers  # positions in `tokens`: separators at document ends do not count,
    places -= np.int32(1)  # nor does the first one
    del numbers
    found = _substrings.close_intervals(
        suffixes, lengths, before, documents, len(ends), min_documents, min(min_length, MOST_TOKENS)
    )
    columns = [_gather(places, suffixes[:found]), lengths, before, documents]
    del places, suffixes, lengths, before, documents
    order = np.lexsort((columns[1][:found], columns[0]))
    for column in range(4):  # one after the other: the memory of each is freed before the next is sorted
        columns[column] = columns[column][:found][order]
    return Substrings(*columns)


def _none() -> Substrings:
    return Substrings(*(np.empty(0, np.int32) for _ in range(4)))


def _checked(tokens: Row32, ends: Row64) -> tuple[Row32, Row64]:
    """Refuse arguments that the kernel cannot safely read."""
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
    """Put separators at the documents' edges and in place of rare tokens, which no result can contain.

    A token is rare if it occurs once, or in fewer than ``min_documents`` documents. It is part of no
    result, nor can it precede or follow all occurrences of one: so strings and their maximality stay as they
    were. One separator replaces a run of rare tokens.

    Returns: the symbols left: 0 is a separator, and also the first and the last symbol; the most common token
        is 1, the next 2, and so on.
    Returns: position of each symbol in all documents with a separator before the first and after each.
    """
    if int(tokens.max()) >= len(tokens):  # sparse numbers would make tables larger than the tokens
        tokens = _numbered(tokens)
    times = np.bincount(tokens)
    kept = np.flatnonzero((times >= 2) & (_document_counts(tokens, ends, len(times)) >= min_documents))
    symbols = np.zeros(len(times), np.int32)
    symbols[kept[np.argsort(-times[kept], kind="stable")]] = np.arange(1, len(kept) + 1, dtype=np.int32)
    text = np.insert(_gather(symbols, tokens), np.concatenate(([0], ends)), 0)
    remaining = text != 0
    remaining[1:] |= remaining[:-1]  # keep the first separator of each run
    remaining[0] = True
    return text[remaining], _places(remaining)


def _places(mask: npt.NDArray[np.bool_]) -> Row32:
    """Find where a mask is true, as 32-bit numbers, without a whole array of 64-bit ones."""
    places = np.empty(np.count_nonzero(mask), np.int32)
    filled = 0
    for low in range(0, len(mask), _CHUNK):
        part = np.flatnonzero(mask[low : low + _CHUNK])
        places[filled : filled + len(part)] = part + low
        filled += len(part)
    return places


def _numbered(tokens: Row32) -> Row32:
    """Renumber tokens densely; their order stays."""
    distinct = np.unique(tokens)
    dense = np.empty(len(tokens), np.int32)
    for low in range(0, len(tokens), _CHUNK):
        dense[low : low + _CHUNK] = np.searchsorted(distinct, tokens[low : low + _CHUNK])
    return dense


def _document_counts(tokens: Row32, ends: Row64, kinds: int) -> Row64:
    """Count the documents of each token below ``kinds``, some documents at a time."""
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
    """Compute ``values[places]`` in chunks: NumPy would first copy all places as 64-bit numbers."""
    found = np.empty(len(places), values.dtype)
    for low in range(0, len(places), _CHUNK):
        found[low : low + _CHUNK] = values[places[low : low + _CHUNK]]
    return found


def _suffix_array(text: Row32, sort: Any) -> Row32:  # noqa: ANN401
    """Sort the suffixes of a text that do not begin with a separator.

    No code is a prefix of another, so the order of bytes is that of tokens (by their codes). Suffixes that
    begin inside a code are sorted, too, and then dropped. The separator, symbol 0, sorts first.

    ``text``: symbols.
    ``sort``: the library's function: from bytes to the positions of their suffixes, in order.
    """
    # All separators are one symbol, so suffixes are compared beyond them. That orders only suffixes that are
    # equal up to a separator. So suffixes that begin with one string without separators still stand side by
    # side, as they would if all separators differed. LCPs end at separators (`common_prefixes`). Where two
    # suffixes are equal beyond a separator, so are all between them in the array, and the LCPs of these end
    # there as well. So the LCP intervals are the same sets of suffixes.
    codes, begins = _encoded(text)
    array: npt.NDArray[Any] = sort(codes)
    del codes
    filled = _keep_symbols(array, begins)
    separators = len(text) - np.count_nonzero(text)
    return array[separators:filled].astype(np.int32)


def _keep_symbols(array: npt.NDArray[Any], begins: Bytes) -> int:
    """Keep the suffixes that begin with a symbol, and number them by symbols instead of bytes.

    ``array``: positions of bytes, in the order of their suffixes; int64 beyond 2**31 bytes. It is overwritten
        by as many positions of symbols as are returned, in the same order.
    """
    numbers = np.cumsum(begins, dtype=np.int32) - np.int32(1)
    filled = 0
    for low in range(0, len(array), _CHUNK):
        part = array[low : low + _CHUNK]
        part = numbers[part[begins[part] > 0]]
        array[filled : filled + len(part)] = part
        filled += len(part)
    return filled


def _encoded(text: Row32) -> tuple[Bytes, Bytes]:
    """Write symbols as bytes; mark the bytes that begin a symbol."""
    symbols = np.arange(int(text.max()) + 1)
    codes = np.zeros((len(symbols), len(_FIRST_BYTES)), np.uint8)
    widths = np.zeros(len(symbols), np.uint8)
    used, least = 0, 0  # first bytes taken, and the lowest symbol without a code
    for more, first_bytes in enumerate(_FIRST_BYTES):
        rows = slice(least, least + first_bytes * 256**more)
        numbers = symbols[rows] - least
        for place in range(more + 1):
            codes[rows, place] = numbers >> 8 * (more - place) & 255
        codes[rows, 0] += used
        widths[rows] = more + 1
        used, least = used + first_bytes, rows.stop
    size = int(np.bincount(text) @ widths)
    written, begins = np.empty(size, np.uint8), np.zeros(size, np.uint8)
    _substrings.write_codes(text, codes, widths, written, begins)
    return written, begins
