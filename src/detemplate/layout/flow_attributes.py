"""Reads what start tags and inline styles state, for the reference of the flow layout."""

from __future__ import annotations

import re
from typing import Final

from detemplate.layout.defaults import INPUT, SIZED
from detemplate.layout.flowrows import HIDE, MOST_COLUMNS, OPEN, OUT, UNSTATED
from detemplate.page.whitespace import WHITE_SPACE_BYTES

_ATTRIBUTE: Final = re.compile(rb' (.[^=]*)="([^"]*)"', re.DOTALL)
"""An attribute of a canonical start tag: its name (group 1) and its value (group 2)."""

_LENGTH: Final = re.compile(rb"([0-9]{1,5})(?:\.[0-9]*)?(px|%|)", re.IGNORECASE)
"""A length: up to five digits (group 1) and ``px``, ``%`` or no unit (group 2). A fraction is dropped."""


def stated(data: bytes, start: int, traits: int) -> tuple[float, float, int, int]:
    """Read the start tag at ``start``.

    Parameters
    ----------
    data
        The canonical serialisation.
    start
        Where the tag begins.
    traits
        Traits of the tag (:data:`detemplate.layout.defaults.TRAITS_BY_TAG`).

    Returns
    -------
    tuple of two floats and two ints
        Width and height (pixels, percent as a negative number, or ``UNSTATED``), columns of a cell, flags.
    """
    width = height = UNSTATED
    span, flags = 1, 0
    at = start + 1
    while data[at] not in b" >":
        at += 1
    while attribute := _ATTRIBUTE.match(data, at):
        at = attribute.end()
        name, value = attribute[1], attribute[2]
        if name == b"hidden" or (name == b"type" and traits & INPUT and value.lower() == b"hidden"):
            flags |= HIDE
        elif name == b"open":
            flags |= OPEN
        elif name == b"colspan" and (number := _LENGTH.match(value)):
            span = min(max(int(number[1]), 1), MOST_COLUMNS)
        elif name == b"width" and traits & SIZED and width == UNSTATED:
            width = _length(value, bare=True)
        elif name == b"height" and traits & SIZED and height == UNSTATED:
            height = _length(value, bare=True)
        elif name == b"style":
            width, height, declared = _declared(value, width, height)
            flags |= declared
    return width, height, span, flags


def _length(value: bytes, *, bare: bool) -> float:
    """Read a length: pixels, or percent as a negative number; ``bare``: numbers need no unit."""
    length = _LENGTH.match(value)
    if length is None or not (length[2] or bare):
        return UNSTATED
    number = int(length[1])
    return float(-min(number, 100)) if length[2] == b"%" else float(number)


def _declared(style: bytes, width: float, height: float) -> tuple[float, float, int]:
    """Read an inline style: width and height, which stay as they are unless it states them, and flags."""
    flags = 0
    for declaration in style.split(b";"):
        key, _, value = declaration.partition(b":")
        key, value = key.strip(WHITE_SPACE_BYTES).lower(), value.strip(WHITE_SPACE_BYTES)
        if key == b"display" and value[:4].lower() == b"none":
            flags |= HIDE
        elif key == b"position" and value[:5].lower() in {b"absol", b"fixed"}:
            flags |= OUT
        elif key == b"width" and (length := _length(value, bare=False)) != UNSTATED:
            width = length
        elif key == b"height" and (length := _length(value, bare=False)) != UNSTATED:
            height = length
    return width, height, flags


def is_wide(byte: int) -> bool:
    """Tell whether a byte begins a character that is twice as wide: CJK, most symbols beyond."""
    return 0xE3 <= byte <= 0xED or byte >= 0xF0


def kept_lines(written: bytes) -> tuple[int, int]:
    """Count the lines of preformatted text, white space at both ends aside, and the longest's columns."""
    lines = longest = columns = 0
    entity = False
    for byte in written.strip(WHITE_SPACE_BYTES) + b"\n":
        if byte == ord("\n"):
            lines += 1
            longest = max(longest, columns)
            columns = 0
            entity = False
        elif entity:
            entity = byte != ord(";")
        elif byte & 0xC0 != 0x80:
            columns += 2 if is_wide(byte) else 1
            entity = byte == ord("&")
    return lines, longest
