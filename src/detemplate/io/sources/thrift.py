"""A reader of Thrift structures in the compact protocol, as Parquet files hold them.

See https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST: Final = 32  # deepest nesting of a structure


class Struct:
    """A structure.

    ``data``: bytes that begin with it.
    ``at``: number of bytes read so far.
    Raises IndexError: reading: it is cut.
    Raises ValueError: reading: it is none.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def items(self, wanted: int) -> Iterator[Any]:
        """Yield the items of a list, a field of this structure, one at a time."""
        for field, kind in self._fields():
            if field == wanted and kind == 9:
                yield from self._list(1)
            else:
                self._value(kind, 1)

    def struct(self, depth: int) -> dict[int, Any]:
        """Return the fields of a structure by their numbers."""
        return {field: self._value(kind, depth + 1) for field, kind in self._fields()}

    def _fields(self) -> Iterator[tuple[int, int]]:
        field = 0
        while kind := self._byte():
            step = kind >> 4
            field = field + step if step else self._signed()
            yield field, kind & 15

    def _list(self, depth: int) -> Iterator[Any]:
        head = self._byte()
        count = head >> 4
        if count == 15:
            count = self._unsigned()
        if count > len(self._data):
            raise ValueError("a list that is longer than the file")
        for _ in range(count):
            yield self._byte() if head & 15 in {1, 2} else self._value(head & 15, depth)

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        value: Any = None  # of texts and fractions, and of truth values, which have no bytes
        if kind == 3:
            value = self._byte()
        elif kind in {4, 5, 6}:
            value = self._signed()
        elif kind in {7, 8}:
            self._skip(8 if kind == 7 else self._unsigned())
        elif kind in {9, 10}:
            value = list(self._list(depth + 1))
        elif kind == 12:
            value = self.struct(depth)
        elif kind not in {1, 2}:
            raise ValueError(f"unknown type {kind}")  # maps do not occur in Parquet
        return value

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise IndexError(self.at)

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)
