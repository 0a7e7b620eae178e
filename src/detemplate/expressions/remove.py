"""Removing what template expressions match (Foschini 2007, sections 3.4.1 and 6.1).

Expressions are not applied one after the other: the intervals of all matches of all expressions are
joined first, so their order does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.intervals import merge_gaps, without_slivers
from detemplate.errors import UserError
from detemplate.expressions.match import WHITE

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.expressions.match import Matcher, Matches, Positions

MERGE_GAP: Final = 0
MIN_SLIVER: Final = 20


@dataclass(frozen=True, slots=True)
class Locality:
    """What is done about small pieces, before anything is removed.

    Attributes
    ----------
    merge_gap
        Intervals less than this many characters apart become one (section 3.4.1; section 6.1: a
        little good text between two template strings is probably template, too).
    min_sliver
        Then, intervals of fewer than this many characters are not removed (section 6.1: a few
        characters removed amid good text are probably a mistake).
    """

    merge_gap: int = MERGE_GAP
    min_sliver: int = MIN_SLIVER

    def __post_init__(self) -> None:
        if self.merge_gap < 0 or self.min_sliver < 0:
            raise UserError("the gap to merge and the least removed piece must not be negative")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text.

    Attributes
    ----------
    text
        What is left.
    starts, stops
        The intervals that were removed, apart from each other, in order; characters of the text.
    matches
        The matches that they come from.
    """

    text: str
    starts: Positions
    stops: Positions
    matches: Matches


def to_remove(matches: Matches, locality: Locality) -> tuple[Positions, Positions]:
    """Give the intervals to remove for some matches: apart from each other, in order."""
    starts, stops = merge_gaps(matches.starts, matches.stops, locality.merge_gap)  # the union, or more
    return without_slivers(starts, stops, locality.min_sliver)


def clean_text(
    text: str,
    matcher: Matcher,
    locality: Locality = Locality(),
    check: Callable[[], None] | None = None,
) -> Cleaned:
    """Remove what a matcher's expressions match.

    Parameters
    ----------
    text
        Plain text, or markup.
    matcher
        The expressions.
    locality
        What is done about small pieces.
    check
        As for :meth:`~detemplate.expressions.match.Matcher.matches`.

    Returns
    -------
    Cleaned
        The rest, and what was removed.

    Raises
    ------
    PageError
        ``too slow``, as the matcher.
    """
    matches = matcher.matches(text, check)
    starts, stops = to_remove(matches, locality)
    return Cleaned(cut(text, starts, stops), starts, stops, matches)


def cut(text: str, starts: Positions, stops: Positions) -> str:
    """Take intervals out of a text.

    The white space on both sides of a piece taken out becomes one character: a line break if it has
    one, else a space; at either end of the text, nothing.
    """
    if not len(starts):
        return text
    edges = [0, *np.stack([starts, stops], axis=1).ravel().tolist(), len(text)]
    kept = [text[low:high] for low, high in zip(edges[::2], edges[1::2], strict=True)]
    head = kept[0].rstrip(WHITE)
    left = [head] if head else []
    white = kept[0][len(head) :]
    for number, piece in enumerate(kept[1:], 1):
        core = piece.lstrip(WHITE)
        white += piece[: len(piece) - len(core)]
        after = ""
        if number < len(starts):
            inner = core.rstrip(WHITE)
            core, after = inner, core[len(inner) :]
        if core:
            if left and white:
                left.append("\n" if "\n" in white else " ")
            left.append(core)
            white = after
    return "".join(left)
