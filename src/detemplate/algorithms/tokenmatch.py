"""Occurrences of many sequences of symbols in a text whose letters are sets of symbols.

Aho and Corasick 1975, for letters that are several symbols at once: a token may be a word and a number in
two notations, and a sequence that asks for any of these goes on. The sequences form a trie. After a letter,
the nodes whose paths the text ends with are *active*. A failure link leads from a node to the longest proper
suffix of its path that is a node, too. So a node implies all nodes that its links lead to, and of the active
nodes only the *heads* are kept: those that no other implies. With one symbol a letter there is one head.

A state is a set of heads. States, and the moves between them, are computed when first met and remembered, up
to a limit. So most texts cost one look-up a letter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from detemplate.algorithms import _tokenmatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]
    Offsets = npt.NDArray[np.int64]

WORK_BASE: Final = 20_000_000
"""Steps that any text may take; see :func:`longest_ending`."""

WORK_PER_LETTER: Final = 200
"""Further steps that a text may take for each of its letters."""

_MOST_MOVES: Final = 1 << 20
"""Moves between states that an automaton remembers by default; when there are more, it begins anew."""

_WHITE: Final = bytes(byte in b" \t\n\r\f" for byte in range(256))
_SPLIT: Final = re.compile(rb"[^ \t\n\r\f]+").findall


class TooMuchWork(Exception):  # noqa: N818
    """A text was given up: it takes more steps than are allowed."""


class Automaton(Protocol):
    """An automaton of many sequences."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""

    def run(self, letters: Ints, letter_symbols: Ints, letter_ends: Offsets, limit: int) -> Ints | None:
        """Find the longest sequence that ends at each letter.

        ``letters``: the text. Letter 0 has no symbols.
        ``letter_symbols``: symbols of letter 0, of letter 1, …, one letter's after the other's. A letter
            means the same in every call.
        ``letter_ends``: where the symbols of each letter end.
        ``limit``: maximum number of steps: along failure links, and heads computed. Moves that are remembered
            take none.
        Returns: number of the sequence, -1 for none. None if the limit was exceeded.
        """


def split(text: bytes) -> list[bytes]:
    """Split text at white space: space, tab, line feed, carriage return, form feed."""
    return text.split() if b"\v" not in text else _SPLIT(text)  # bytes.split also splits at vertical tabs


def edges(text: bytes) -> tuple[Offsets, Offsets]:
    """Return where each token of a text that :func:`split` gives starts, and where it stops."""
    white = np.frombuffer(b"\1" + text.translate(_WHITE) + b"\1", np.bool_)
    found = np.flatnonzero(white[1:] != white[:-1])
    return found[::2], found[1::2]


def automaton(sequences: Sequence[Sequence[int]], most_moves: int = _MOST_MOVES) -> Automaton:
    """Make the automaton that finds sequences of symbols.

    ``sequences``: of equal sequences, the first counts. Empty ones are never found.
    ``most_moves``: maximum number of moves between states to remember.
    """
    ends = np.cumsum([len(sequence) for sequence in sequences], dtype=np.int64)
    symbols = np.fromiter((symbol for sequence in sequences for symbol in sequence), np.int32)
    machine: Automaton = _tokenmatch.Automaton(symbols, ends, most_moves)
    return machine


def longest_ending(machine: Automaton, letters: Ints, letter_symbols: Ints, letter_ends: Offsets) -> Ints:
    """Find the longest of the sequences that end at each letter of a text; -1 where none ends.

    These occurrences cover what all occurrences of all sequences cover: at each end, the longest covers the
    others.

    ``machine``: the automaton of the sequences.
    ``letters``, ``letter_symbols``, ``letter_ends``: as for :meth:`Automaton.run`.
    Raises TooMuchWork: the text takes more than ``WORK_BASE`` steps and ``WORK_PER_LETTER`` a letter. Letters
        of one symbol never do, unless the sequences have more symbols than that. Texts made for it can, with
        sequences that differ only in which of several symbols of the same letters they ask for.
    """
    limit = WORK_BASE + WORK_PER_LETTER * len(letters)
    found = machine.run(letters, letter_symbols, letter_ends, limit)
    if found is None:
        raise TooMuchWork(f"more than {limit:,} steps for {len(letters):,} tokens")
    return found
