"""The items of a JSON array, or JSON objects one after the other, as bytes, one at a time.

A streaming parser (ijson) reads such files too, but it ends at the first item that is no JSON (NaN, bytes
that are no UTF-8, a control character), and it holds a string of any length. Here items are only parted, by
their brackets and quotes; the caller parses each by itself, so that a bad one costs no other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_READ: Final = 1 << 18
"""Bytes per read."""

_STRING: Final = re.compile(rb'(?:[^"\\]|\\.)*+', re.DOTALL)
"""The inside of a string, as far as it is there. It ends before a quote or before a backslash at the end."""

_MARK: Final = re.compile(rb'["{}\[\],]')
"""The characters that part items, and those between which they do not."""

_OPENING: Final = (b"{", b"[")
"""The opening brackets."""

_CLOSING: Final = (b"}", b"]")
"""The closing brackets."""

_BETWEEN: Final = b" \t\r\n,"
"""Bytes that stand between objects that follow each other."""


class _Item:
    """An item as far as it has been read; of one that is too long, only the length."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._held += piece
        else:
            self._held.clear()

    def take(self) -> bytes | int | None:
        """Give the item and begin another; its length if it is too long, None if it is blank."""
        taken = bytes(self._held).strip(_BETWEEN) if self._size <= self._limit else self._size
        self._held.clear()
        self._size = 0
        return taken or None


class Readable(Protocol):
    """What gives bytes."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes; empty at the end."""


class JsonItems:
    """The items of an array, or the objects that follow each other.

    Parameters
    ----------
    stream
        The JSON. What stands before its first bracket is ignored if that opens an array.
    limit
        The longest item in bytes.
    at, inside
        Where the stream begins: the offset of its first byte, and whether that is inside of an array whose
        bracket came before.

    Attributes
    ----------
    at, inside
        After an item was given, the same of the byte after it.
    cut
        Whether the JSON ended in the middle of an item or of the array; known at the end.
    """

    def __init__(self, stream: Readable, limit: int, at: int = 0, *, inside: bool = False) -> None:
        self.at = at
        self.inside = inside
        self.cut = False
        self._stream = stream
        self._limit = limit

    def __iter__(self) -> Iterator[bytes | int]:  # noqa: PLR0912  # one automaton
        """Yield each item; in place of one that is longer than the limit, its length. None that is cut."""
        item = _Item(self._limit)
        carry = b""
        depth = int(self.inside)
        # Depth of the items: 1 in an array, else 0; -1 before the first bracket.
        top = 1 if self.inside else -1
        in_string = False
        data, base = b"", self.at
        while chunk := self._stream.read(_READ):
            base += len(data) - len(carry)
            data = carry + chunk
            carry = b""
            at = start = 0
            while at < len(data):
                if in_string:
                    match = _STRING.match(data, at)
                    at = match.end() if match else at
                    if data[at : at + 1] == b"\\":  # the rest of the escape is in the next chunk
                        carry = b"\\"
                        break
                    in_string = at == len(data)
                    at += 1
                    continue
                mark = _MARK.search(data, at)
                if mark is None:
                    break
                at = mark.end()
                kind = mark[0]
                if kind == b'"':
                    in_string = True
                elif kind in _OPENING:
                    depth += 1
                    if top < 0:
                        top = int(kind == b"[")
                        start = at if top else start
                elif kind in _CLOSING:
                    depth -= 1
                if top >= 0 and ((kind == b"," and depth == top == 1) or (kind in _CLOSING and depth <= 0)):
                    item.add(data[start : at - top])
                    if depth <= 0:
                        depth, top = 0, -1
                    if (taken := item.take()) is not None:
                        self.at, self.inside = base + at, top == 1
                        yield taken
                    start = at
            item.add(data[start : len(data) - len(carry)])
        self.cut = depth > 0 or in_string
        if not self.cut and (taken := item.take()) is not None:
            self.at, self.inside = base + len(data), False
            yield taken
