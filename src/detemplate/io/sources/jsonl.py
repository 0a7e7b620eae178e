"""A source of JSON: one object a line, one array of objects, or objects over several lines."""

from __future__ import annotations

import io
import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from detemplate.io.sources.compression import InputFile, InputStream
    from detemplate.io.sources.fields import RecordMaker


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


_READ: Final = 1 << 18  # bytes per read
_BLANK: Final = 1024  # bytes of white space before an array that are accepted
_BOM: Final = b"\xef\xbb\xbf"

_JSON_NAMES: Final[dict[type, str]] = {
    list: "an array",
    str: "a string",
    type(None): "null",
    bool: "a boolean",
}
"""JSON's names of the types of Python."""


class JsonlSource(FileSource):
    r"""A source of the pages of one JSON Lines or JSON file, in file order.

    A file whose first line begins with ``[``, or is ``{`` alone, is one array, or objects over several lines.
    Any other has one object per line. Which keys of an object are its page and URL,
    :class:`~detemplate.io.sources.fields.RecordMaker` says. What is no object with a page yields
    ``Skip("bad record")``; blank lines yield nothing. A compressed file that is cut or corrupt yields
    everything before the damage, then one ``Skip("truncated")``.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``maker``: makes records of objects. A line or item may be six times as long as its largest page (each
        character as ``\uXXXX``) plus 1 MiB. A longer one yields ``Skip("too large")``: the rest of it is read
        but not kept.
    """

    def __init__(self, file: InputFile, maker: RecordMaker) -> None:
        super().__init__(file)
        self._maker = maker
        self._longest = 6 * maker.limit + (1 << 20)
        self._number = 0  # of the last line or item

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        self._number = 0
        unit = "item"
        lines = io.BufferedReader(stream, _READ)
        chunks = iter(lambda: lines.read1(_READ), b"")
        problem = None
        if _first_byte(stream) == b"[":
            items = self._items(chunks)
        elif (first := lines.readline(self._longest + 1)).removeprefix(_BOM).strip() == b"{":
            items = self._items(chain([first.removeprefix(_BOM)], chunks))
        else:
            unit, items = "line", self._lines(first, lines, stream)
        try:
            for data in items:
                self.bytes_read = stream.raw_position
                yield self._record(data, f"{unit} {self._number}")
        except EOFError as error:
            problem = str(error)
        if problem := stream.broken or problem:
            where = f"broke at byte {stream.raw_position} in or after {unit} {self._number}"
            yield broken(self._file.name, self._number, f"{problem}: {where}")

    def _items(self, chunks: Iterator[bytes]) -> Iterator[bytes | None]:
        """Yield objects wherever they begin and end; None for one that is too long."""
        for item in json_items(chunks, self._longest):
            self._number += 1
            yield item

    def _lines(
        self, line: bytes, lines: io.BufferedReader[InputStream], stream: InputStream
    ) -> Iterator[bytes | None]:
        """Yield a line and those after it, without blank ones; None for one that is too long."""
        while line:
            self._number += 1
            whole = line.endswith(b"\n")
            if not whole and len(line) > self._longest:
                while not whole and (rest := lines.readline(_READ)):
                    whole = rest.endswith(b"\n")
                yield None
            elif not whole and stream.broken:
                return  # the line is cut: the skip after it reports it
            elif (line := line.removeprefix(_BOM) if self._number == 1 else line).strip():
                yield line
            else:
                self._number += _skip_blank_lines(lines)
            line = lines.readline(self._longest + 1)

    def _record(self, data: bytes | None, where: str) -> Record | Skip:
        source = SourceRef(self._file.name, self._number)
        if data is None:
            detail = f"{where} is longer than {self._longest} bytes"
            return Skip("", "too large", detail, source, rejected=True)
        try:
            value = json.loads(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            why = f"not UTF-8 at byte {error.start}"
        except RecursionError:
            why = "nested too deeply"
        except ValueError as error:
            why = f"not JSON: {getattr(error, 'msg', error)}"
        else:
            if isinstance(value, dict):
                return self._maker.record(value, source, where)
            why = f"not an object but {_JSON_NAMES.get(type(value), 'a number')}"
        return Skip("", "bad record", f"{where}: {why}", source, rejected=True)


def _skip_blank_lines(lines: io.BufferedReader[InputStream]) -> int:
    """Read the blank lines that come next, many at a time, and return their number."""
    number = 0
    while ahead := lines.peek(1):
        blank = ahead[: len(ahead) - len(ahead.lstrip())]
        blank = blank[: blank.rfind(b"\n") + 1]
        lines.read(len(blank))
        number += blank.count(b"\n")
        if len(blank) < len(ahead):
            break
    return number


def _first_byte(stream: InputStream) -> bytes:
    """Return the first byte that is no white space, without waiting for more of a slow pipe than that."""
    for size in range(1, _BLANK):
        start = stream.peek(size)
        if len(start) < size:
            break
        if (start == _BOM or not _BOM.startswith(start)) and (start := start.removeprefix(_BOM).lstrip()):
            return start[:1]
    return b""
