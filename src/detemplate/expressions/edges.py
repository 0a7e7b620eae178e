"""What is told of a regular expression by its tree: first and last characters, anchors, sets with digits."""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]  # only the standard library's parser
from re import _parser as parser  # type: ignore[attr-defined]  # knows what an expression of re means
from typing import TYPE_CHECKING, Any

from detemplate.expressions.charsets import ALL, characters, ranges_of, union

if TYPE_CHECKING:
    from detemplate.expressions.charsets import Ranges


@lru_cache(maxsize=4096)
def edge_characters(expression: str, *, last: bool = False) -> Ranges:
    """Give all characters that matches of an expression can begin with, or end with if `last`.

    All characters, where it has anchors or flags of its own.

    Raises re.error: the expression is invalid.
    """
    tree = parser.parse(expression, re.ASCII)
    plain = not tree.state.flags & ~(re.ASCII | re.UNICODE)
    return union(_edge(tree, last=last)[0]) if plain else ALL


def _edge(nodes: Any, *, last: bool) -> tuple[list[tuple[int, int]], bool]:  # noqa: ANN401
    """Give the first or last characters of nodes one after the other, and whether they can be empty."""
    found: list[tuple[int, int]] = []
    for code, argument in reversed(nodes) if last else nodes:
        ranges = ranges_of(code, argument)
        empty = False
        if ranges is not None:
            found += ranges
        elif code is op.BRANCH:
            for branch in argument[1]:
                characters, can_be_empty = _edge(branch, last=last)
                found += characters
                empty |= can_be_empty
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            characters, empty = _edge(argument[2], last=last)
            found += characters
            empty |= not argument[0]
        elif code is op.SUBPATTERN and not argument[1] and not argument[2]:
            characters, empty = _edge(argument[3], last=last)
            found += characters
        else:
            found += ALL
        if not empty:
            return found, False
    return found, True


def has_anchors(expression: str) -> bool:
    r"""Tell whether an expression has anchors, such as ``^`` or ``\b``.

    Raises re.error: the expression is invalid.
    """
    return _has_anchors(parser.parse(expression, re.ASCII))


def _has_anchors(nodes: Any) -> bool:  # noqa: ANN401
    return any(
        code is op.AT
        or (code is op.BRANCH and any(map(_has_anchors, argument[1])))
        or (code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and _has_anchors(argument[2]))
        or (code is op.SUBPATTERN and _has_anchors(argument[3]))
        or (code is op.ATOMIC_GROUP and _has_anchors(argument))
        for code, argument in nodes
    )


@lru_cache(maxsize=4096)
def treats_digits_alike(expression: str) -> bool:
    """Tell whether each set of an expression has all ASCII digits or none.

    Raises re.error: the expression is invalid.
    """
    ranges = characters(parser.parse(expression, re.ASCII))
    return all(high < 48 or low > 57 or (low <= 48 and high >= 57) for low, high in ranges)
