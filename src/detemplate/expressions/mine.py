"""Mining a collection of documents for template expressions (Foschini 2007, section 3.2)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.substrings import Substrings, maximal_strings
from detemplate.algorithms.templatestrings import document_histogram, energy_cut, irreducible
from detemplate.errors import UserError
from detemplate.expressions.charsets import escape
from detemplate.expressions.collections import at_least
from detemplate.expressions.files import Expression, pattern_of
from detemplate.expressions.safety import danger
from detemplate.expressions.tokens import Tokenizer

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.templatestrings import Cut

    Row32 = npt.NDArray[np.int32]

_BYTES_A_TOKEN: Final = 4

_BYTES_A_WORD: Final = 200
_LEAST_ROOM: Final = 100_000  # tokens that expressions may have together, even if the documents have fewer
_CHUNK: Final = 1 << 20  # tokens that are renumbered at a time


@dataclass(frozen=True, slots=True)
class MiningOptions:
    """How a collection is mined.

    ``min_documents``: strings in fewer documents are dropped. 2 drops only strings that no second document
        has: the cut-off needs rare strings, whose many low counts are one of its two modes.
    ``min_length``: strings of fewer tokens are dropped.
    ``bins``: number of bins of the histogram.
    ``cut``: minimum number (int) or share (float) of documents of a template string; None for the thesis's
        cut-off.
    ``min_literals``: strings with fewer tokens that do not vary, or only in part, give no expression. The
        thesis takes all strings (0), but those of patterns alone ("Thursday 22nd") match dates and numbers in
        content, too.
    """

    min_documents: int = 2
    min_length: int = 2
    bins: int = 100
    cut: float | int | None = None
    min_literals: int = 0

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        for name, least in (("min_documents", 1), ("min_length", 1), ("bins", 2), ("min_literals", 0)):
            if getattr(self, name) < least:
                raise UserError(f"{name} must be at least {least}, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Mined:
    """The result of mining a collection.

    ``documents``, ``tokens``: number of documents, and of their tokens.
    ``strings``: all maximal strings, one row each.
    ``histogram``: number of strings by the share of documents that contain them; the first bin is the
        smallest share.
    ``cut``: the thesis's cut-off; None without strings.
    ``least_documents``: minimum number of documents of a template string; None without strings.
    ``expressions``: the template strings as expressions: those in most documents first, then the longest,
        then by pattern. A string that repeats itself is left out if a shorter one matches wherever it does.
    ``left_out``: number of expressions left out because all together would have more tokens than the
        documents: those in the fewest documents, and of these the longest; and because users' patterns of
        several tokens would make them unsafe.
    ``seconds``: time of each step, in seconds: ``tokenise``, ``search`` (for strings) and ``rest``.
    """

    documents: int
    tokens: int
    strings: Substrings
    histogram: npt.NDArray[np.int64]
    cut: Cut | None
    least_documents: int | None
    expressions: tuple[Expression, ...]
    left_out: int
    seconds: dict[str, float]


class Miner:
    r"""Collects the documents of one publishing authority and mines them for template expressions.

    Memory: 4 bytes a token and about 200 bytes a distinct token while documents are added. Mining takes about
    40 bytes a token at its peak, besides the vocabulary.

    ``tokenizer``: splits the documents; the default is that of
        :class:`~detemplate.expressions.tokens.Tokenizer`.
    ``options``: how to mine.
    ``name``: name of the collection.

    Examples
    --------
    >>> miner = Miner()
    >>> for text in ("Home News Rain 1 May 2007 read more", "Home News Sun 2 May 2007 read more"):
    ...     miner.add(text)
    >>> for expression in miner.mine().expressions:
    ...     print(expression.documents, expression.pattern)
    2 (?:^|\s)[,.]*[0-9][0-9,.]*\s+(?:January|...
    """

    def __init__(
        self, tokenizer: Tokenizer | None = None, options: MiningOptions | None = None, *, name: str = ""
    ) -> None:
        self.name = name
        self.tokenizer = tokenizer or Tokenizer()
        self.options = options or MiningOptions()
        self.tokens = 0
        self._ids: list[npt.NDArray[np.int32]] = []
        # A new token gets the next number, without running any Python code.
        self._vocabulary: dict[bytes, int] = defaultdict(count().__next__)
        self._seconds = 0.0

    @property
    def documents(self) -> int:
        """Number of documents added so far."""
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, about."""
        return _BYTES_A_TOKEN * self.tokens + _BYTES_A_WORD * (len(self._vocabulary) + len(self._ids))

    def add(self, document: bytes | str) -> None:
        """Add a document: text, or UTF-8. Invalid bytes become replacement characters."""
        started = perf_counter()
        tokens = self.tokenizer.split(utf8(document))
        ids = np.fromiter(map(self._vocabulary.__getitem__, tokens), np.int32, len(tokens))
        self._ids.append(ids)
        self.tokens += len(ids)
        self._seconds += perf_counter() - started

    def mine(self) -> Mined:
        """Mine the documents added. The miner is empty afterwards.

        Raises MissingExtra: the library that makes suffix arrays is not installed.
        Raises UserError: there are more than about 2³¹ tokens.
        """
        options = self.options
        started = perf_counter()
        ends = np.cumsum([len(ids) for ids in self._ids], dtype=np.int64)
        documents, tokens = len(self._ids), self.tokens
        ids = np.concatenate([*self._ids, np.empty(0, np.int32)])
        self._ids = []
        pieces = self._pieces(ids)
        numbered = perf_counter()
        try:
            strings = maximal_strings(
                ids, ends, min_documents=options.min_documents, min_length=options.min_length
            )
        except ValueError as error:
            raise UserError(f"cannot mine {self.name or 'the documents'}: {error}") from error
        searched = perf_counter()
        histogram = document_histogram(strings.documents, documents, bins=options.bins)
        cut = energy_cut(histogram) if len(strings) else None
        least = None
        if cut is not None:
            least = cut.documents(documents) if options.cut is None else at_least(options.cut, documents)
        expressions, left_out = self._expressions(ids, strings, pieces, least)
        done = perf_counter()
        seconds = {
            "tokenise": self._seconds + numbered - started, "search": searched - numbered,
            "rest": done - searched,
        }  # fmt: skip
        self.tokens, self._seconds = 0, 0.0
        return Mined(documents, tokens, strings, histogram, cut, least, expressions, left_out, seconds)

    def _pieces(self, ids: npt.NDArray[np.int32]) -> dict[int, bytes | str]:
        """Give tokens of one expression the same number, in place; return what each number stands for."""
        vocabulary, self._vocabulary = self._vocabulary, defaultdict(count().__next__)
        size = len(vocabulary)
        numbers = np.arange(size, dtype=np.int32)
        expressions: dict[str, int] = defaultdict(count(size).__next__)
        varies = np.zeros(size, np.bool_)
        for number, token in enumerate(vocabulary):
            expression = self.tokenizer.varying(token)
            if expression is not None:
                varies[number] = True
                numbers[number] = expressions[expression]
        seen = np.bincount(ids, minlength=size) > 1  # no string contains a token that occurs once
        wanted = np.flatnonzero(seen & ~varies).tolist()
        words = list(vocabulary)
        pieces: dict[int, bytes | str] = {number: words[number] for number in wanted}
        pieces.update({number: expression for expression, number in expressions.items()})
        for low in range(0, len(ids), _CHUNK):
            ids[low : low + _CHUNK] = numbers[ids[low : low + _CHUNK]]
        return pieces

    def _expressions(
        self, ids: npt.NDArray[np.int32], strings: Substrings, pieces: dict[int, Any], least: int | None
    ) -> tuple[tuple[Expression, ...], int]:
        """Make expressions of the strings in at least ``least`` documents; count those left out."""
        rows = np.flatnonzero(strings.documents >= least) if least is not None else np.empty(0, np.intp)
        rows = rows[self._irreducible(ids, strings.start[rows], strings.length[rows], pieces)]
        rows = rows[np.lexsort((strings.length[rows], -strings.documents[rows]))]
        inside = np.cumsum(strings.length[rows], dtype=np.int64) <= max(len(ids), _LEAST_ROOM)
        left_out, rows = int(np.count_nonzero(~inside)), rows[inside]
        escaped: dict[int, str] = {}

        def piece(number: int) -> str:
            known = escaped.get(number)
            if known is None:
                token = pieces[number]
                known = token if isinstance(token, str) else escape(token.decode())
                escaped[number] = known
            return known

        separator = self.tokenizer.separator
        found = []
        columns = (strings.start, strings.length, strings.occurrences, strings.documents)
        for start, length, occurrences, documents in zip(
            *(column[rows].tolist() for column in columns), strict=True
        ):
            parts = tuple([piece(number) for number in ids[start : start + length].tolist()])
            pattern = pattern_of(parts, separator)
            spanning = any(map(self.tokenizer.is_spanning, parts))
            if spanning and danger(pattern) is not None:
                left_out += 1
                continue
            pieces_or_none = None if spanning else parts
            found.append(Expression(pattern, pieces_or_none, occurrences, documents, 1, self.name))
        return tuple(sorted(found, key=by_weight)), left_out

    def _irreducible(
        self, ids: Row32, starts: Row32, lengths: Row32, pieces: dict[int, Any]
    ) -> npt.NDArray[np.bool_]:
        """Mark the strings with enough tokens that do not vary, for which no shorter one stands."""
        fixed = np.zeros(max([int(ids.max(initial=0)), *pieces]) + 1, np.bool_)
        varies = {mutable.expression for mutable in self.tokenizer.mutables}
        # Tokens that do not vary are bytes; of the others, those that vary in part have a longer expression.
        fixed[[number for number, piece in pieces.items() if piece not in varies]] = True
        options = self.options
        return irreducible(
            ids, starts, lengths, fixed[ids], min_length=options.min_length, min_fixed=options.min_literals
        )


def by_weight(expression: Expression) -> tuple[int, int, str, str]:
    """Return an expression's sort key: those in most documents first, then the longest, then by pattern."""
    return (
        -expression.documents, -len(expression.pieces or ()), expression.pattern, expression.collection,
    )  # fmt: skip


def utf8(document: bytes | str) -> bytes:
    """Return text as UTF-8; invalid bytes and lone surrogates become U+FFFD."""
    if isinstance(document, str):
        try:
            return document.encode()
        except UnicodeEncodeError:  # a lone surrogate
            return document.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    if document.isascii():
        return document
    try:
        document.decode()
    except UnicodeDecodeError:
        return document.decode("utf-8", "replace").encode()
    return document
