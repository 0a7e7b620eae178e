"""Where template expressions match a text: all of them at once (Foschini 2007, section 3.4.1).

A mined expression is a sequence of pieces, each of which matches one whole token. So it need not run as a
regular expression: the text is split into tokens, each token becomes a letter (the set of pieces that match
it), and one automaton over letters finds all expressions in one pass
(:mod:`detemplate.algorithms.tokenmatch`). The matches are those that a regular expression engine finds when
asked at every position. Expressions of any other form are given to RE2, one after the other.
"""

from __future__ import annotations

import re
import sys
import time
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms.intervals import characters
from detemplate.algorithms.tokenmatch import TooMuchWork, automaton, edges, longest_ending, split
from detemplate.errors import PageError
from detemplate.expressions.charsets import fixed_ends
from detemplate.expressions.safety import linear
from detemplate.expressions.tokens import DEFAULT_TOKEN, literal_of, searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from detemplate.expressions.files import Expression

    Positions = npt.NDArray[np.int64]

SEPARATOR: Final = r"\s+"
"""The separator of :data:`~detemplate.expressions.tokens.DEFAULT_TOKEN`."""

WHITE: Final = " \t\n\r\f"
"""White space, as for :class:`~detemplate.expressions.tokens.Tokenizer`: without the vertical tab."""

_KEY: Final = 10  # bytes of the fixed beginning and end of a piece by which it is found
_SPACES: Final = WHITE.encode()  # :data:`WHITE` as bytes

_MOST_TOKENS: Final = 1_000_000  # tokens whose letters a matcher remembers
_LONGEST_KEPT: Final = 64  # bytes of a token whose letter is remembered
_BYTES_A_TOKEN: Final = 80  # memory of a remembered token, beside its place in the table

_SECONDS: Final = 20.0
"""Time that the expressions may take on a text, as for a page: each search is linear, but many may follow."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches in a text, which may overlap.

    ``starts``, ``stops``: first character of each match, and the one after its last, without surrounding
        white space. Positions in characters, int64.
    ``which``: number of the matching expression, in the order in which the matcher got them. int32.
    """

    starts: Positions
    stops: Positions
    which: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts)


class Matcher:
    """Finds the matches of many expressions.

    ``token``, ``separator``: how text is split into tokens for the mined ones among them, as in their file.
    Raises MissingExtra: an expression is not a sequence of tokens, and RE2 is not installed.
    Raises UserError: RE2 cannot read an expression.

    Notes
    -----
    Tokens are consecutive if the separator matches the whole text between them. A piece is compared with
    whole tokens, so even a piece that can match white space matches only one token.
    """

    def __init__(
        self, expressions: Iterable[Expression], token: str = DEFAULT_TOKEN, separator: str = SEPARATOR
    ) -> None:
        self.expressions = tuple(expressions)
        self._language = token, separator
        plain = token == DEFAULT_TOKEN and separator == SEPARATOR
        self._token = None if plain else searcher(token)
        self._separator = None if plain else searcher(separator)
        symbols: dict[str, int] = {}
        sequences: list[list[int]] = []
        numbers: list[int] = []
        others: list[tuple[int, str]] = []
        for number, expression in enumerate(self.expressions):
            if expression.pieces is None:
                others.append((number, expression.pattern))
            elif expression.pieces:
                sequences.append([symbols.setdefault(piece, len(symbols)) for piece in expression.pieces])
                numbers.append(number)
        self._numbers = np.array(numbers, np.int32)
        self._sizes = np.array([len(sequence) for sequence in sequences], np.int64)
        self._machine = automaton(sequences) if sequences else None
        self._letters = _Letters(symbols)
        self._others = _compiled(others)

    def __len__(self) -> int:
        return len(self.expressions)

    def __reduce__(self) -> tuple[type[Matcher], tuple[object, ...]]:
        return Matcher, (self.expressions, *self._language)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, about."""
        machine = self._machine.nbytes if self._machine is not None else 0
        return machine + sys.getsizeof(self._letters) + _BYTES_A_TOKEN * len(self._letters)

    def matches(self, text: str, check: Callable[[], None] | None = None) -> Matches:
        """Find the matches in a text.

        ``text``: any text.
        ``check``: called after each match of an expression that is not a sequence of tokens, and after each
            token of a language of its own. It may raise, to end a search that expressions of others make too
            slow. None: it raises after 20 seconds.
        Returns: of mined expressions, the longest that ends at each token; it covers what the others
            cover. Of each other expression, the match from every start. In no particular order.
        Raises PageError: ``too slow``: the text takes more steps than
            :func:`~detemplate.algorithms.tokenmatch.longest_ending` allows, or too long.
        """
        check = check or _clock(_SECONDS)
        data = text.encode("utf-8", "surrogatepass")
        found = [self._sequences(data, check), *self._searches(data, check)]
        starts, stops, which = (np.concatenate(column) for column in zip(*found, strict=True))
        return Matches(starts, stops, which)

    def _sequences(
        self, data: bytes, check: Callable[[], None]
    ) -> tuple[Positions, Positions, npt.NDArray[np.int32]]:
        """Find the mined expressions in UTF-8 text."""
        none = np.zeros(0, np.int64)
        if self._machine is None:
            return none, none, np.zeros(0, np.int32)
        if self._token is None:
            tokens = split(data)
            letters = np.fromiter(map(self._letters.__getitem__, tokens), np.int32, len(tokens))
            starts, stops = edges(data)
        else:
            starts, stops, letters = self._tokens(data, check)
        try:
            longest = longest_ending(self._machine, letters, *self._letters.table())
        except TooMuchWork as error:
            raise PageError("too slow", str(error)) from error
        ends = np.flatnonzero(longest >= 0)
        sequence = longest[ends]
        found = starts[ends - self._sizes[sequence] + 1], stops[ends]
        return characters(data, found[0]), characters(data, found[1]), self._numbers[sequence]

    def _tokens(
        self, data: bytes, check: Callable[[], None]
    ) -> tuple[Positions, Positions, npt.NDArray[np.int32]]:
        """Split text as the expressions' tokenizer does; a letter 0 parts tokens that are not consecutive."""
        assert self._token is not None
        assert self._separator is not None
        rows: list[tuple[int, int, int]] = []
        after = 0
        for match in self._token.finditer(data):
            start, stop = match.span()
            if rows and self._separator.fullmatch(data[after:start]) is None:
                rows.append((after, after, 0))
            rows.append((start, stop, self._letters[data[start:stop]]))
            after = stop
            check()
        table = np.array(rows, np.int64).reshape(-1, 3)
        return table[:, 0], table[:, 1], table[:, 2].astype(np.int32)

    def _searches(
        self, data: bytes, check: Callable[[], None]
    ) -> Iterable[tuple[Positions, Positions, npt.NDArray[np.int32]]]:
        """Find the other expressions, from every start."""
        for number, expression in self._others:
            spans = []
            match = expression.search(data)
            while match is not None:
                start, stop = match.span()
                inner = data[start:stop]
                left = len(inner) - len(inner.lstrip(_SPACES))
                if left < len(inner):
                    spans.append((start + left, start + len(inner.rstrip(_SPACES))))
                check()
                match = expression.search(data, start + 1) if start < len(data) else None
            if spans:
                table = characters(data, np.array(spans, np.int64).ravel()).reshape(-1, 2)
                yield table[:, 0], table[:, 1], np.full(len(spans), number, np.int32)


class _Letters(dict[bytes, int]):
    """The letters of tokens: the number of the set of symbols (pieces) that match; 0 for none.

    Those of short tokens are remembered, at most ``most``; when there are more, it begins anew.
    """

    def __init__(self, symbols: dict[str, int], most: int = _MOST_TOKENS) -> None:
        super().__init__()
        self._most = most
        self._words: dict[bytes, int] = {}
        self._patterns: list[tuple[int, re.Pattern[str]]] = []
        self._ends_of = _Ends()
        for piece, symbol in symbols.items():
            word = literal_of(piece)
            if word is not None:
                self._words[word.encode("utf-8", "surrogatepass")] = symbol
            elif not self._ends_of.add(piece, symbol):
                self._patterns.append((symbol, re.compile(piece, re.ASCII)))
        anything = "|".join(f"(?:{p.pattern})" for _, p in self._patterns) or r"(?!)"
        self._any = re.compile(anything, re.ASCII)
        # ASCII tokens, which are most, match as bytes, without being decoded.
        self._any_bytes = re.compile(anything.encode(), re.ASCII) if anything.isascii() else None
        self._sets: dict[tuple[int, ...], int] = {(): 0}
        self._flat = array("i")
        self._ends = array("q", [0])

    def __missing__(self, token: bytes) -> int:
        letter = self._letter(token)
        if len(token) <= _LONGEST_KEPT:
            if len(self) >= self._most:
                self.clear()
            self[token] = letter
        return letter

    def _letter(self, token: bytes) -> int:
        """Compute the letter of a token."""
        word = self._words.get(token)
        symbols: tuple[int, ...] = () if word is None else (word,)
        if self._ends_of:
            symbols += self._ends_of.matching(token)
        if self._any_bytes is not None and token.isascii() and self._any_bytes.fullmatch(token) is None:
            return self._numbered(symbols)
        text = token.decode("utf-8", "surrogatepass")
        if self._any.fullmatch(text) is not None:
            symbols += tuple(symbol for symbol, pattern in self._patterns if pattern.fullmatch(text))
        return self._numbered(symbols)

    def _numbered(self, symbols: tuple[int, ...]) -> int:
        """Return the letter of a set of symbols, a new one for a new set."""
        number = self._sets.get(symbols)
        if number is None:
            number = self._sets[symbols] = len(self._sets)
            self._flat.extend(symbols)
            self._ends.append(len(self._flat))
        return number

    def table(self) -> tuple[npt.NDArray[np.int32], Positions]:
        """Return the symbols of all letters, one letter's after the other's, and where each letter's end."""
        return np.array(self._flat, np.int32), np.array(self._ends, np.int64)


class _Ends:
    """Pieces that begin or end with fixed text, which are many: found by this text, then compared."""

    def __init__(self) -> None:
        self._pieces: dict[bytes, dict[bytes, list[_Piece]]] = {}
        self._sizes: dict[int, set[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, piece: str, symbol: int) -> bool:
        """Add a piece, if it begins or ends with fixed text; tell whether it does."""
        before, after = (end.encode("utf-8", "surrogatepass") for end in fixed_ends(piece))
        if not before and not after:
            return False
        first, last = before[:_KEY], after[-_KEY:]
        entry = _Piece(symbol, before, after, re.compile(piece, re.ASCII))
        self._pieces.setdefault(first, {}).setdefault(last, []).append(entry)
        self._sizes.setdefault(len(first), set()).add(len(last))
        return True

    def matching(self, token: bytes) -> tuple[int, ...]:
        """Return the symbols of the pieces that match a token."""
        found: list[int] = []
        text: str | None = None
        size = len(token)
        for first, lasts in self._sizes.items():
            behind = self._pieces.get(token[:first])
            if behind is None:
                continue
            for last in lasts:
                for piece in behind.get(token[max(0, size - last) :], ()):
                    if token.startswith(piece.before) and token.endswith(piece.after):
                        text = token.decode("utf-8", "surrogatepass") if text is None else text
                        if piece.pattern.fullmatch(text) is not None:
                            found.append(piece.symbol)
        return tuple(found)


class _Piece(NamedTuple):
    """A piece that begins or ends with fixed text."""

    symbol: int
    before: bytes
    after: bytes
    pattern: re.Pattern[str]


def _clock(seconds: float) -> Callable[[], None]:
    """Give a function that raises PageError once so much time is over."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise PageError("too slow", f"its expressions take over {seconds:g} s")

    return check


def _compiled(patterns: Sequence[tuple[int, str]]) -> list[tuple[int, Any]]:
    """Compile numbered expressions that are not sequences of tokens, one by one."""
    # An RE2 set would only tell which of them match, not where, and is mostly slower.
    return [(number, linear(pattern)) for number, pattern in patterns]
