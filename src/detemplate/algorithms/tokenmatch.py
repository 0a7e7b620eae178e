"""Occurrences of many sequences of symbols in a text whose letters are sets of symbols.

Aho and Corasick 1975, for letters that are several symbols at a time: a token can be a word and a number
in two notations, and a sequence that asks for any of them goes on. The sequences form a trie. After a
letter, the nodes whose paths the text ends with are the *active* ones. A failure link leads from a node to
the longest proper end of its path that is a node, too, so a node implies all that its links lead to: of
the active nodes only the *heads* are kept, those that no other implies. With one symbol a letter there is
one head. States (sets of heads) and the moves between them are remembered when first met, up to a bound,
so that a text as it comes costs one look-up a letter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from detemplate.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]
    Offsets = npt.NDArray[np.int64]

WORK_BASE = 20_000_000
WORK_PER_LETTER = 200
_MOST_MOVES = 1 << 20
_MOST_TOKENS = 1_000_000
_LONGEST_KEPT = 64
_TOKEN = re.compile(rb"[^ \t\n\r\f]+")


class TooMuchWork(Exception):  # noqa: N818
    """A text was given up: its letters and the sequences call for more work than is allowed."""


class Automaton(Protocol):
    """What the compiled automaton and its reference both do."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""

    def run(self, letters: Ints, letter_symbols: Ints, letter_ends: Offsets, limit: int) -> Ints | None:
        """Give the longest sequence that ends at each letter, -1 for none; None beyond the limit."""


class ReferenceAutomaton:
    """Finds the occurrences of many sequences of symbols in one go: the uncompiled reference.

    Parameters
    ----------
    symbols
        The sequences, one after the other.
    ends
        Where each ends in ``symbols``. Of equal ones the first counts; empty ones are never found.
    most_moves
        Moves between states to remember at most.
    """

    def __init__(self, symbols: Ints, ends: Offsets, most_moves: int = _MOST_MOVES) -> None:
        self._most = most_moves
        self._edges: dict[tuple[int, int], int] = {}
        self._found = [-1]
        self._lengths = np.diff(np.asarray(ends, np.int64), prepend=0).tolist()
        above = [(0, 0)]
        depths = [0]
        flat = np.asarray(symbols).tolist()
        start = 0
        for sequence, stop in enumerate(np.asarray(ends).tolist()):
            node = 0
            for symbol in flat[start:stop]:
                child = self._edges.setdefault((node, symbol), len(above))
                if child == len(above):
                    above.append((node, symbol))
                    depths.append(depths[node] + 1)
                    self._found.append(-1)
                node = child
            if node and self._found[node] < 0:
                self._found[node] = sequence
            start = stop
        self._fail = [0] * len(above)
        for node in sorted(range(1, len(above)), key=depths.__getitem__):
            parent, symbol = above[node]
            if parent:
                self._fail[node] = self._follow(self._fail[parent], symbol)[0]
            if self._found[node] < 0:
                self._found[node] = self._found[self._fail[node]]
        self._moves: dict[tuple[tuple[int, ...], int], tuple[int, ...]] = {}

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, about."""
        return 250 * len(self._fail) + 300 * len(self._moves)

    def _follow(self, node: int, symbol: int) -> tuple[int, int]:
        """Give the deepest node that an end of the path and the symbol lead to, and the steps taken."""
        steps = 1
        while (child := self._edges.get((node, symbol), 0)) == 0 and node:
            node = self._fail[node]
            steps += 1
        return child, steps

    def _step(self, heads: tuple[int, ...], symbols: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """Give the heads after a letter, and the work that it took."""
        fresh: set[int] = set()
        covered: set[int] = set()
        work = 0
        for symbol in symbols:
            for head in heads or (0,):
                node, steps = self._follow(head, symbol)
                work += steps
                if node:
                    fresh.add(node)
        if len(fresh) > 1:
            for head in fresh:
                node = self._fail[head]
                while node and node not in covered:
                    covered.add(node)
                    node = self._fail[node]
        return tuple(sorted(fresh - covered)), work + len(fresh) + len(covered)

    def run(self, letters: Ints, letter_symbols: Ints, letter_ends: Offsets, limit: int) -> Ints | None:
        """Give the longest sequence that ends at each letter, -1 for none; None beyond the limit.

        Parameters
        ----------
        letters
            The text. Letter 0 has no symbols.
        letter_symbols, letter_ends
            The symbols of letter 0, 1, …, one letter's after the other's, and where each one's end. A
            number means the same letter in every call.
        limit
            Work allowed: steps along failure links and heads made, where they are not remembered.
        """
        out = np.full(len(letters), -1, np.int32)
        flat, ends = np.asarray(letter_symbols).tolist(), np.asarray(letter_ends).tolist()
        heads: tuple[int, ...] = ()
        for at, letter in enumerate(np.asarray(letters).tolist()):
            if letter == 0:
                heads = ()
                continue
            known = self._moves.get((heads, letter))
            if known is None:
                known, work = self._step(heads, flat[ends[letter - 1] : ends[letter]])
                limit -= work
                if limit < 0:
                    return None
                if len(self._moves) >= self._most:
                    self._moves.clear()
                self._moves[heads, letter] = known
            heads = known
            found = [self._found[head] for head in heads if self._found[head] >= 0]
            if found:
                out[at] = max(found, key=self._lengths.__getitem__)
        return out


class Reader(Protocol):
    """What the compiled reader and its reference both do."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""

    def read(self, data: bytes) -> tuple[Ints, Offsets, Offsets]:
        """Give the letters of a text's tokens, and where they start and stop, in bytes."""


class ReferenceReader:
    """Splits text at white space and looks each token's letter up: the uncompiled reference.

    Parameters
    ----------
    letter_of
        Gives a token's letter. Letters of short tokens are remembered.
    most
        Tokens to remember at most; then it begins anew.

    Notes
    -----
    White space is space, tab, line feed, carriage return and form feed.
    """

    def __init__(self, letter_of: Callable[[bytes], int], most: int) -> None:
        self._letter_of = letter_of
        self._most = most
        self._known: dict[bytes, int] = {}

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, about."""
        return 150 * len(self._known)

    def _letter(self, token: bytes) -> int:
        letter = self._known.get(token)
        if letter is None:
            letter = self._letter_of(token)
            if len(token) <= _LONGEST_KEPT and self._most:
                if len(self._known) >= self._most:
                    self._known.clear()
                self._known[token] = letter
        return letter

    def read(self, data: bytes) -> tuple[Ints, Offsets, Offsets]:
        """Give the letters of a text's tokens, and where they start and stop, in bytes."""
        rows = [(self._letter(match.group()), *match.span()) for match in _TOKEN.finditer(data)]
        table = np.array(rows, np.int64).reshape(-1, 3)
        return table[:, 0].astype(np.int32), table[:, 1], table[:, 2]


KERNEL: Final[Any] = compiled("detemplate.algorithms._tokenmatch")


def automaton(sequences: Sequence[Sequence[int]], most_moves: int = _MOST_MOVES) -> Automaton:
    """Make the automaton of some sequences of symbols, compiled where the kernel was built.

    See :class:`ReferenceAutomaton`.
    """
    ends = np.cumsum([len(sequence) for sequence in sequences], dtype=np.int64)
    symbols = np.fromiter((symbol for sequence in sequences for symbol in sequence), np.int32)
    made: Automaton = (KERNEL.Automaton if KERNEL is not None else ReferenceAutomaton)(
        symbols, ends, most_moves
    )
    return made


def reader(letter_of: Callable[[bytes], int], most: int = _MOST_TOKENS) -> Reader:
    """Make a reader, compiled where the kernel was built; see :class:`ReferenceReader`."""
    made: Reader = (KERNEL.Reader if KERNEL is not None else ReferenceReader)(letter_of, most)
    return made


def longest_ending(machine: Automaton, letters: Ints, letter_symbols: Ints, letter_ends: Offsets) -> Ints:
    """Give, for each letter of a text, the longest of the sequences that end there; -1 where none does.

    All occurrences of all sequences cover what these cover, for at each end the longest covers the others.

    Parameters
    ----------
    machine
        What :func:`automaton` gave.
    letters, letter_symbols, letter_ends
        As for :meth:`ReferenceAutomaton.run`.

    Raises
    ------
    TooMuchWork
        When the text takes more than ``WORK_BASE`` steps and ``WORK_PER_LETTER`` a letter. Letters of one
        symbol never do on sequences of less than that; sequences that differ only in which of several
        symbols of the same letters they ask for can, on texts made for it.
    """
    limit = WORK_BASE + WORK_PER_LETTER * len(letters)
    found = machine.run(letters, letter_symbols, letter_ends, limit)
    if found is None:
        raise TooMuchWork(f"more than {limit:,} steps for {len(letters):,} tokens")
    return found
