r"""What is told of a regular expression by its tree: sets of characters, first and last ones, anchors.

``\w`` and other classes differ between engines. A set that is written as its ASCII ranges means the same in
all of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from re import _constants as op  # type: ignore[attr-defined]  # only the standard library's parser
from re import _parser as parser  # type: ignore[attr-defined]  # knows what an expression of re means
from typing import Any, Final

Ranges = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included; sorted, and no two overlap."""

_LAST: Final = 0x10FFFF

ALL: Final[Ranges] = ((0, _LAST),)
"""All characters."""

_SPECIAL: Final = frozenset(r"\.^$*+?{}[]()|")  # characters that have a meaning of their own outside of sets

_ESCAPES: Final = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | {
    ord(char): f"\\{char}" for char in _SPECIAL
}
"""What stands for special and control characters outside of sets."""

_CATEGORIES: Final[dict[Any, Ranges]] = {
    op.CATEGORY_DIGIT: ((48, 57),),
    op.CATEGORY_SPACE: ((9, 13), (32, 32)),
    op.CATEGORY_WORD: ((48, 57), (65, 90), (95, 95), (97, 122)),
}

_NEGATED: Final[dict[Any, Any]] = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
}

_REPEATS: Final = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


def escape(text: str) -> str:
    r"""Escape text so that it matches itself in ``re``, RE2 and PCRE alike.

    Only special characters are escaped. Control characters are written as ``\xHH``.

    Examples
    --------
    >>> escape("hello! (3.5)")
    'hello! \\(3\\.5\\)'
    """
    return text if text.isalnum() else text.translate(_ESCAPES)


def inverse(ranges: Ranges) -> Ranges:
    """Return the characters that are not in a set."""
    found = []
    at = 0
    for low, high in ranges:
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    if at <= _LAST:
        found.append((at, _LAST))
    return tuple(found)


def union(ranges: list[tuple[int, int]]) -> Ranges:
    """Sort ranges and join those that touch or overlap."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def ranges_of(code: Any, argument: Any) -> Ranges | None:  # noqa: ANN401  # the parser's own tree
    """Return the characters that a node of the parser's tree matches; None if it is no set of characters."""
    if code is op.LITERAL:
        return ((argument, argument),)
    if code is op.NOT_LITERAL:
        return inverse(((argument, argument),))
    if code is op.ANY:
        return inverse(((10, 10),))
    if code is op.IN:
        members = [(kind, value) for kind, value in argument if kind is not op.NEGATE]
        found = union([each for member in members for each in _member(*member)])
        return found if len(members) == len(argument) else inverse(found)
    return None


def _member(kind: Any, value: Any) -> Ranges:  # noqa: ANN401
    """Return the characters of one member of a set."""
    if kind is op.RANGE:
        return ((value[0], value[1]),)
    if kind is op.CATEGORY:
        return inverse(_CATEGORIES[_NEGATED[value]]) if value in _NEGATED else _CATEGORIES[value]
    return ((value, value),)


def repeated_set(expression: str) -> Ranges | None:
    r"""Return the set of an expression of the form ``[set]+`` (also ``\S+``, ``a+``, ``.+``), else None.

    Raises re.error: the expression is invalid.
    """
    tree = parser.parse(expression, re.ASCII)
    if len(tree) != 1 or tree[0][0] is not op.MAX_REPEAT or tree.state.groups > 1:
        return None
    least, most, body = tree[0][1]
    if (least, most) != (1, op.MAXREPEAT) or len(body) != 1 or tree.state.flags & ~re.ASCII & ~re.UNICODE:
        return None
    return ranges_of(*body[0])


@lru_cache(maxsize=4096)
def matches_within(expression: str, allowed: Ranges) -> bool:
    """Tell whether an expression can match text of some characters alone.

    Raises re.error: the expression is invalid.
    """
    return _within(parser.parse(expression, re.ASCII), allowed)


def _within(nodes: Any, allowed: Ranges) -> bool:  # noqa: ANN401  # the parser's own tree
    """Tell whether nodes of the parser's tree, one after the other, can match allowed characters alone."""
    for code, argument in nodes:
        found = ranges_of(code, argument)
        if found is not None:
            if not overlap(found, allowed):
                return False
        elif code not in _REPEATS or argument[0]:
            inner = _inner(code, argument)
            if inner and not any(_within(each, allowed) for each in inner):
                return False
    return True


def _inner(code: Any, argument: Any) -> list[Any]:  # noqa: ANN401
    """Return the lists of nodes inside a node of the parser's tree: of a branch, one an alternative."""
    if code is op.BRANCH:
        return list(argument[1])
    if code in _REPEATS:
        return [argument[2]]
    if code is op.SUBPATTERN:
        return [argument[3]]
    return [argument] if code is op.ATOMIC_GROUP else []


@lru_cache(maxsize=4096)
def characters_of(expression: str) -> Ranges:
    """Return all characters that texts which an expression matches can have.

    Raises re.error: the expression is invalid.
    """
    return union(_characters(parser.parse(expression, re.ASCII)))


def _characters(nodes: Any) -> list[tuple[int, int]]:  # noqa: ANN401
    """Return the characters of nodes of the parser's tree, in any order."""
    found: list[tuple[int, int]] = []
    for code, argument in nodes:
        found += ranges_of(code, argument) or ()
        for each in _inner(code, argument):
            found += _characters(each)
    return found


@lru_cache(maxsize=4096)
def first_characters(expression: str) -> Ranges:
    """Return all characters that matches of an expression can begin with.

    All characters, where it has anchors or flags of its own.

    Raises re.error: the expression is invalid.
    """
    tree = parser.parse(expression, re.ASCII)
    plain = not tree.state.flags & ~(re.ASCII | re.UNICODE)
    return union(_first(tree)[0]) if plain else ALL


def _first(nodes: Any) -> tuple[list[tuple[int, int]], bool]:  # noqa: ANN401
    """Return the first characters of nodes one after the other, and whether they can be empty."""
    found: list[tuple[int, int]] = []
    for code, argument in nodes:
        ranges = ranges_of(code, argument)
        has_flags = code is op.SUBPATTERN and (argument[1] or argument[2])
        inner = [] if has_flags else [_first(each) for each in _inner(code, argument)]
        empty = any(can_be_empty for _, can_be_empty in inner) or (code in _REPEATS and not argument[0])
        found += ranges or [each for characters, _ in inner for each in characters]
        if ranges is None and not inner:
            found += ALL
        if not empty:
            return found, False
    return found, True


@lru_cache(maxsize=1 << 16)
def fixed_ends(expression: str) -> tuple[str, str]:
    """Return the text that all matches of an expression begin with, and the text that they end with.

    Either may be shorter than it could be. Both are the same text for an expression of literal characters.

    Raises re.error: the expression is invalid.
    """
    nodes = list(parser.parse(expression, re.ASCII))
    fixed = ["".join(chr(argument) for _, argument in takewhile(_is_literal, side)) for side in
             (nodes, reversed(nodes))]  # fmt: skip
    return fixed[0], fixed[1][::-1]


def _is_literal(node: tuple[Any, Any]) -> bool:
    return node[0] is op.LITERAL


def closed(expression: str) -> str:
    """Put an expression into a group if it has alternatives outside of groups."""
    depth, inside, at = 0, False, 0
    while at < len(expression):
        char = expression[at]
        if char == "\\":
            at += 1
        elif inside:
            inside = char != "]"
        elif char == "[":
            inside = True
            at += expression.startswith("^", at + 1)
            at += expression.startswith("]", at + 1)
        elif char == "|" and not depth:
            return f"(?:{expression})"
        else:
            depth += (char == "(") - (char == ")")
        at += 1
    return expression


def overlap(one: Ranges, other: Ranges) -> bool:
    """Tell whether two sets share a character."""
    return any(low <= last and first <= high for low, high in one for first, last in other)


def write_set(ranges: Ranges) -> str:
    r"""Write a set of characters: ``\s`` for ASCII white space, else ``[a-z]`` or ``[^a-z]``."""
    if ranges == _CATEGORIES[op.CATEGORY_SPACE]:
        return r"\s"
    negated = bool(ranges) and ranges[-1][1] == _LAST
    written = "".join(
        _char(low) if low == high else f"{_char(low)}{'-' if high > low + 1 else ''}{_char(high)}"
        for low, high in (inverse(ranges) if negated else ranges)
    )
    return f"[{'^' if negated else ''}{written}]"


def _char(code: int) -> str:
    """Write a character inside a set."""
    char = chr(code)
    if char < " " or char == "\x7f":
        return f"\\x{code:02x}"
    return "\\" + char if char in r"\]^-[" else char
