"""The items of a JSON array, or the objects that follow each other, of any file in bounded memory.

A streaming parser (ijson) reads arrays too, but it ends at the first item that is no JSON (NaN, bytes that
are no UTF-8, a control character), and it holds a string of any length. Here items are only separated, by
their brackets and quotes; each is parsed by itself, so that a bad one costs no other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STRING: Final = re.compile(rb'(?:[^"\\]|\\.)*+', re.DOTALL)
"""The inside of a string, as far as it is there. It ends before a quote or before a backslash at the end."""

_MARK: Final = re.compile(rb'["{}\[\],]')
"""The characters that separate items, and those between which they do not."""

_BETWEEN: Final = b" \t\r\n,"  # bytes that stand between objects that follow each other


def json_items(chunks: Iterable[bytes], longest: int) -> Iterator[bytes | None]:
    """Yield each item; None for one that is too long.

    ``chunks``: the JSON. What stands before its first bracket is ignored if that opens an array.
    ``longest``: the longest item in bytes.
    Raises EOFError: after the last item: the JSON ends in the middle of an item or of the array.
    """
    item = _Item(longest)
    carry = b""
    depth = 0
    top = -1  # depth of the items: 1 in an array, else 0; -1 before the first bracket
    in_string = False
    for chunk in chunks:
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
            closing = kind in b"}]"
            depth += (kind in b"{[") - closing
            in_string = kind == b'"'
            if top < 0 and kind in b"{[":
                top = int(kind == b"[")
                start = at if top else start
            if top >= 0 and ((kind == b"," and depth == top == 1) or (closing and depth <= 0)):
                item.add(data[start : at - top])
                if depth <= 0:
                    depth, top = 0, -1
                yield from item.take()
                start = at
        item.add(data[start : len(data) - len(carry)])
    if depth > 0 or in_string:
        raise EOFError("the JSON ends in the middle")
    yield from item.take()


class _Item:
    """An item as far as it has been read; of one that is too long, only the length."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._held = bytearray()
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._longest:
            self._held += piece
        else:
            self._held.clear()

    def take(self) -> Iterator[bytes | None]:
        """Yield the item, unless it is blank, and begin another."""
        too_long = self._size > self._longest
        taken = bytes(self._held).strip(_BETWEEN)
        self._held.clear()
        self._size = 0
        if too_long or taken:
            yield None if too_long else taken
