r"""Sets of characters in regular expressions: read, inverted, and written portably.

``\w`` and other classes differ between engines. A set that is written as its ASCII ranges means the same in
all of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]  # only the standard library's parser
from re import _parser as parser  # type: ignore[attr-defined]  # knows what an expression of re means
from typing import Any, Final

Ranges = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included; sorted, and no two overlap."""

_LAST: Final = 0x10FFFF
"""The last code point."""

_SPECIAL: Final = frozenset(r"\.^$*+?{}[]()|")
"""Characters that have a meaning of their own outside of sets."""

_CATEGORIES: Final[dict[Any, Ranges]] = {
    op.CATEGORY_DIGIT: ((48, 57),),
    op.CATEGORY_SPACE: ((9, 13), (32, 32)),
    op.CATEGORY_WORD: ((48, 57), (65, 90), (95, 95), (97, 122)),
}
"""ASCII characters of the parser's categories."""

_NEGATED: Final[dict[Any, Any]] = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
}
"""Negated categories, and what each is the opposite of."""


def escape(text: str) -> str:
    r"""Escape text so that it matches itself in ``re``, RE2 and PCRE alike.

    Only special characters are escaped. Control characters are written as ``\xHH``.

    Examples
    --------
    >>> escape("hello! (3.5)")
    'hello! \\(3\\.5\\)'
    """
    if text.isalnum():
        return text
    return "".join(
        "\\" + char if char in _SPECIAL else f"\\x{ord(char):02x}" if char < " " or char == "\x7f" else char
        for char in text
    )


def inverse(ranges: Ranges) -> Ranges:
    """Give the characters that are not in a set."""
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
    """Give the characters that a node of the parser's tree matches; None if it is no set of characters."""
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
    """Give the characters of one member of a set."""
    if kind is op.RANGE:
        return ((value[0], value[1]),)
    if kind is op.CATEGORY:
        return inverse(_CATEGORIES[_NEGATED[value]]) if value in _NEGATED else _CATEGORIES[value]
    return ((value, value),)


def repeated_set(expression: str) -> Ranges | None:
    r"""Give the set of an expression of the form ``[set]+`` (also ``\S+``, ``a+``, ``.+``), else None.

    Raises
    ------
    re.error
        The expression is invalid.
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

    Raises
    ------
    re.error
        The expression is invalid.
    """
    return _within(parser.parse(expression, re.ASCII), allowed)


def _within(nodes: Any, allowed: Ranges) -> bool:  # noqa: ANN401
    """Tell whether nodes of the parser's tree, one after the other, can match allowed characters alone."""
    for code, argument in nodes:
        found = ranges_of(code, argument)
        if found is not None:
            if not any(low <= last and first <= high for low, high in found for first, last in allowed):
                return False
        elif code is op.BRANCH:
            if not any(_within(branch, allowed) for branch in argument[1]):
                return False
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            if argument[0] and not _within(argument[2], allowed):
                return False
        elif code in (op.SUBPATTERN, op.ATOMIC_GROUP) and not _within(
            argument[3] if code is op.SUBPATTERN else argument, allowed
        ):
            return False
    return True


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
