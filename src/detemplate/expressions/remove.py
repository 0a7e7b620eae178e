"""Removal of what template expressions match (Foschini 2007, sections 3.4.1 and 6.1).

The intervals of all matches of all expressions are joined before anything is removed, so the order of the
expressions does not matter.
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
"""Default of :attr:`Locality.merge_gap`."""

MIN_SLIVER: Final = 20
"""Default of :attr:`Locality.min_sliver`."""


@dataclass(frozen=True, slots=True)
class Locality:
    """How small pieces are treated before anything is removed.

    ``merge_gap``: intervals less than this many characters apart become one (section 3.4.1). A short text
        between two template strings is probably template, too (section 6.1).
    ``min_sliver``: after that, intervals of fewer than this many characters are not removed. A few characters
        to remove in the middle of good text are probably a mistake (section 6.1).
    """

    merge_gap: int = MERGE_GAP
    min_sliver: int = MIN_SLIVER

    def __post_init__(self) -> None:
        if self.merge_gap < 0 or self.min_sliver < 0:
            raise UserError("merge_gap and min_sliver must not be negative")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text.

    ``text``: the text that is left.
    ``starts``, ``stops``: the intervals that were removed: sorted, neither overlapping nor touching.
        Positions in characters of the original text.
    ``matches``: the matches that they were made of.
    """

    text: str
    starts: Positions
    stops: Positions
    matches: Matches


def to_remove(matches: Matches, locality: Locality) -> tuple[Positions, Positions]:
    """Turn matches into intervals to remove: sorted, neither overlapping nor touching."""
    starts, stops = merge_gaps(matches.starts, matches.stops, locality.merge_gap)
    return without_slivers(starts, stops, locality.min_sliver)


def clean_text(
    text: str,
    matcher: Matcher,
    locality: Locality = Locality(),
    check: Callable[[], None] | None = None,
) -> Cleaned:
    """Remove what a matcher's expressions match.

    ``text``: plain text, or markup.
    ``locality``: how small pieces are treated.
    ``check``: as for :meth:`~detemplate.expressions.match.Matcher.matches`.
    Returns: the rest of the text, and what was removed.
    Raises PageError: ``too slow``; see :meth:`~detemplate.expressions.match.Matcher.matches`.
    """
    matches = matcher.matches(text, check)
    starts, stops = to_remove(matches, locality)
    return Cleaned(cut(text, starts, stops), starts, stops, matches)


def cut(text: str, starts: Positions, stops: Positions) -> str:
    """Remove intervals from a text.

    The white space on both sides of a removed piece becomes one character: a line break if it has one, else
    a space. At either end of the text it disappears.
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
