"""What expressions have removed from a document, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.causes import Cause

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from detemplate.detectors.causes import Value
    from detemplate.expressions.match import Matcher
    from detemplate.expressions.remove import Cleaned

_MOST_REASONS: Final = 3
"""Expressions that the reason for a removal names."""


def removed_pieces(text: str, cleaned: Cleaned) -> list[str]:
    """List the removed pieces of a text."""
    return [
        text[start:stop] for start, stop in zip(cleaned.starts.tolist(), cleaned.stops.tolist(), strict=True)
    ]


def removed_rows(text: str, cleaned: Cleaned, matcher: Matcher) -> list[dict[str, object]]:
    """List the removed pieces in order, each with the first :data:`_MOST_REASONS` expressions that match."""
    if not len(cleaned.starts):
        return []
    matches = cleaned.matches
    piece_of = np.searchsorted(cleaned.starts, matches.starts, side="right") - 1
    lengths = np.minimum(matches.stops, cleaned.stops[piece_of]) - matches.starts
    chars: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))  # by piece and expression
    order = np.lexsort((matches.which, matches.starts - matches.stops, piece_of))
    columns = (piece_of[order], matches.which[order], lengths[order])
    for piece, which, length in zip(*(column.tolist() for column in columns), strict=True):
        chars[piece][which] += length
    rows: list[dict[str, object]] = []
    for number, piece in enumerate(removed_pieces(text, cleaned)):
        patterns = list(dict.fromkeys(matcher.expressions[which].pattern for which in chars[number]))
        more = f" and {len(patterns) - _MOST_REASONS} more" if len(patterns) > _MOST_REASONS else ""
        reason = "matches " + "; ".join(patterns[:_MOST_REASONS]) + more
        causes = _causes(chars[number], len(piece), matcher, patterns[:_MOST_REASONS])
        rows.append({"text": " ".join(piece.split()), "score": 1.0, "reason": reason, "causes": causes})
    return rows


def _causes(
    chars: Mapping[int, int], length: int, matcher: Matcher, named: Collection[str]
) -> list[dict[str, Value]]:
    """Give the causes of a removed piece: the expressions that its reason names.

    ``chars``: by number of an expression: the characters of the piece that it matches.
    ``length``: characters of the piece.
    ``matcher``: has the expressions.
    ``named``: patterns of those that are named.
    """
    total = sum(chars.values())
    causes: dict[str, Cause] = {}
    for which, matched in chars.items():
        expression = matcher.expressions[which]
        if expression.pattern not in named or expression.pattern in causes:
            continue
        values: dict[str, Value] = {
            "expression": expression.pattern,
            "share": round(min(matched / length, 1.0), 4),
        }
        if expression.documents:
            values["pages"] = int(expression.documents)
        if expression.collection:
            values["site"] = expression.collection
        causes[expression.pattern] = Cause("expression", round(matched / total, 2), values)
    return [cause.as_dict() for cause in causes.values()]
