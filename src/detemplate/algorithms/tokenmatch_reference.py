"""The automaton and the reader of :mod:`detemplate.algorithms.tokenmatch`, uncompiled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]
    Offsets = npt.NDArray[np.int64]

LONGEST_KEPT: Final = 64
"""Bytes of the longest token whose letter is remembered. The kernel reads it from ``_letters.pxd``."""

_TOKEN: Final = re.compile(rb"[^ \t\n\r\f]+")
"""A token: a run without white space."""


class Automaton:
    """Finds the occurrences of many sequences of symbols in one pass.

    Parameters
    ----------
    symbols
        The sequences, one after the other.
    ends
        Where each ends in ``symbols``. Of equal sequences, the first counts. Empty ones are never found.
    most_moves
        Maximum number of moves between states to remember.
    """

    def __init__(self, symbols: Ints, ends: Offsets, most_moves: int) -> None:
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
        """Find the deepest node whose path ends the node's path and the symbol; count the steps."""
        steps = 1
        while (child := self._edges.get((node, symbol), 0)) == 0 and node:
            node = self._fail[node]
            steps += 1
        return child, steps

    def _step(self, heads: tuple[int, ...], symbols: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """Compute the heads after a letter; count the steps."""
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
        """Find the longest sequence that ends at each letter, -1 for none; None beyond the limit.

        Parameters are as for :meth:`detemplate.algorithms.tokenmatch.Automaton.run`.
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


class Reader:
    """Splits text at white space and looks each token's letter up.

    Parameters
    ----------
    letter_of
        Gives a token's letter.
    most
        Maximum number of tokens to remember; when there are more, it begins anew.

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
        """Give the letter of a token, remembered or asked for."""
        letter = self._known.get(token)
        if letter is None:
            letter = self._letter_of(token)
            if len(token) <= LONGEST_KEPT and self._most:
                if len(self._known) >= self._most:
                    self._known.clear()
                self._known[token] = letter
        return letter

    def read(self, data: bytes) -> tuple[Ints, Offsets, Offsets]:
        """Give the letters of a text's tokens, and where each starts and stops, in bytes."""
        rows = [(self._letter(match.group()), *match.span()) for match in _TOKEN.finditer(data)]
        table = np.array(rows, np.int64).reshape(-1, 3)
        return table[:, 0].astype(np.int32), table[:, 1], table[:, 2]
