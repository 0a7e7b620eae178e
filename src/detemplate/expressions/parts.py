"""Patterns of parts of tokens: where they may match, and which tokens may have one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.expressions.charsets import characters_of, inverse, needed_text, overlap
from detemplate.expressions.edges import edge_characters, has_anchors
from detemplate.expressions.safety import linear_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.expressions.charsets import Ranges

_EDGE: Final = r"(?:(?<![0-9A-Za-z])|(?![0-9A-Za-z]))"
"""Matches where no word of letters and digits is cut."""

_LEFT: Final = r"(?:^|\b|[^0-9A-Za-z\n])"
"""For RE2, in lines: matches before a part that cuts no word and does not begin with an underscore."""

_RIGHT: Final = r"(?:$|\b|[^0-9A-Za-z\n])"
"""For RE2, in lines: matches after a part that cuts no word and does not end with an underscore."""

_UNDERSCORE: Final = ((95, 95),)


class Part(NamedTuple):
    """A pattern of parts of tokens."""

    expression: str
    """The expression."""
    pattern: re.Pattern[str]
    """The expression, compiled."""
    others: re.Pattern[str]
    """Matches a character that the pattern cannot match."""
    needed: str
    """Finds what every match has."""
    first: Ranges
    """Characters that matches begin with."""

    @classmethod
    def of(cls, expression: str) -> Part:
        """Make the pattern of an expression."""
        others = _outside(characters_of(expression))
        compiled = re.compile(expression, re.ASCII)
        return cls(expression, compiled, others, needed_text(expression), edge_characters(expression))


class Possible:
    """The patterns of parts that a token may have.

    ``parts``: the patterns.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._beginning: dict[str, list[Part]] = {}
        any_of = "|".join(f"(?:{part.expression})" for part in parts) or "(?!)"
        self.begins = re.compile(f"{_EDGE}(?:{any_of}){_EDGE}", re.ASCII)
        """Finds where one of them may match."""

    def beginning(self, character: str) -> list[Part]:
        """Give those that can begin with a character."""
        known = self._beginning.get(character)
        if known is None:
            code = ord(character)
            known = [part for part in self._parts if overlap(part.first, ((code, code),))]
            if code < 128:
                self._beginning[character] = known
        return known


def in_lines(expressions: Sequence[str], within: Sequence[str]) -> Any:  # noqa: ANN401  # RE2 has no types
    """Compile what finds the lines in which some pattern may match, whole or, if `within`, in part.

    None if RE2 is not installed, or a pattern has anchors, which would mean lines.
    """
    if any(map(has_anchors, expressions)):
        return None
    found = []
    for each in expressions:
        left = right = ""
        if each not in within:
            left, right = "^", "$"
        else:
            # A part cuts no word. Beside an underscore, "\b" does not tell.
            if not overlap(edge_characters(each), _UNDERSCORE):
                left = _LEFT
            if not overlap(edge_characters(each, last=True), _UNDERSCORE):
                right = _RIGHT
        found.append(f"{left}(?:{each}){right}")
    return linear_or_none(f"(?m)(?:{'|'.join(found)})[^\n]*") if found else None


def _outside(ranges: Ranges) -> re.Pattern[str]:
    """Compile an expression of one character that is not in a set."""
    others = inverse(ranges)
    members = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in others)
    return re.compile(f"[{members}]" if members else "(?!)")
