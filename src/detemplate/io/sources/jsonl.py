"""A source of JSON: one object a line, one array of objects, or objects over several lines.

A streaming parser (ijson) reads arrays too, but it ends at the first item that is no JSON (NaN, bytes that
are no UTF-8, a control character), and it holds a string of any length. Here items are only parted, by their
brackets and quotes; each is parsed by itself, so that a bad one costs no other.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Final, Protocol

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.compression import InputFile, InputStream
    from detemplate.io.sources.fields import RecordMaker

_BUFFER: Final = 1 << 18  # bytes per read
_BLANK: Final = 1024  # bytes of white space before an array that are accepted
_LINE: Final = "line"  # what is read: objects, one per line
_ITEM: Final = "item"  # what is read: objects wherever they begin and end
_IN_ARRAY: Final = "item of an array"  # what is read: the same, where the bracket of an array came before
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

    Parameters
    ----------
    file
        The file, which may be compressed with gzip or zstd.
    maker
        Makes records of objects. A line or item may be six times as long as its largest page (each character
        as ``\uXXXX``) plus 1 MiB. A longer one yields ``Skip("too large")``: the rest of it is read but not
        kept.
    """

    track_members = True

    def __init__(self, file: InputFile, maker: RecordMaker) -> None:
        super().__init__(file)
        self._maker = maker
        self._number = 0
        self._next: tuple[str, int, list[int]] = ("", 0, [])
        self._line_limit = 6 * maker.limit + (1 << 20)

    def _next_place(self) -> Place:
        """Give what is read, the number of those before, and where the next one begins."""
        return self._next

    def _read(self, stream: InputStream, start: Place) -> Iterator[Record | Skip]:
        what, self._number, place = start or ("", 0, None)
        if place is not None:
            stream.start_at(place)
        items: JsonItems | None = None
        if what in {_ITEM, _IN_ARRAY}:
            items = JsonItems(stream, self._line_limit, stream.tell(), inside=what == _IN_ARRAY)
        elif not what and _first_byte(stream) == b"[":
            items = JsonItems(stream, self._line_limit)
        else:
            items = yield from self._lines(stream)
        if items is not None:
            yield from self._parted(stream, items)
        problem = stream.broken or (
            "the JSON ends in the middle" if items is not None and items.cut else None
        )
        if problem:
            last = f"{_LINE if items is None else _ITEM} {self._number}"
            self._over = True
            detail = f"{problem}: broke at byte {stream.raw_position} in or after {last}"
            yield broken(self._file.name, self._number, detail)

    def _lines(self, stream: InputStream) -> Generator[Record | Skip, None, JsonItems | None]:
        """Read an object per line; return the items if the first line shows objects of several lines."""
        at = stream.tell()
        lines = io.BufferedReader(stream, _BUFFER)
        while line := lines.readline(self._line_limit + 1):
            self._number += 1
            size = len(line)
            at += size
            whole = line.endswith(b"\n")
            if self._number == 1:
                line = line.removeprefix(_BOM)
                if line.strip() == b"{":
                    self._number = 0
                    return JsonItems(_Rest(line, lines), self._line_limit, size - len(line))
            if not whole and size > self._line_limit:
                while not whole and (rest := lines.readline(_BUFFER)):
                    whole = rest.endswith(b"\n")
                    at += len(rest)
                    size += 0 if whole else len(rest)
                    stream.member_start(at)
                self._next = (_LINE, self._number, stream.place(at))
                yield self._record(size, _LINE)
                continue
            if not whole and stream.broken:
                break  # the line is cut: the skip after it reports it
            self.bytes_read = stream.raw_position
            if line.strip():
                self._next = (_LINE, self._number, stream.place(at))
                yield self._record(line, _LINE)
                continue
            for blank in _blanks(lines):
                self._number += blank.count(b"\n")
                at += len(blank)
                stream.member_start(at)
        return None

    def _parted(self, stream: InputStream, items: JsonItems) -> Iterator[Record | Skip]:
        """Read objects wherever they begin and end."""
        for item in items:
            self._number += 1
            self.bytes_read = stream.raw_position
            self._next = (_IN_ARRAY if items.inside else _ITEM, self._number, stream.place(items.at))
            yield self._record(item, _ITEM)

    def _record(self, data: bytes | int, what: str) -> Record | Skip:
        """Make a record of a line or item; an integer is the length of one that is too long."""
        where = f"{what} {self._number}"
        source = SourceRef(self._file.name, self._number)

        def bad(why: str, url: str = "") -> Skip:
            return Skip(url, "bad record", f"{where}: {why}", source, rejected=True)

        if isinstance(data, int):
            detail = f"{where} is longer than {self._line_limit} bytes"
            return Skip("", "too large", detail, source, rejected=True)
        try:
            value = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            return bad(_why(error))
        if not isinstance(value, dict):
            return bad(f"not an object but {_JSON_NAMES.get(type(value), 'a number')}")
        result = self._maker.record(value, source)
        if isinstance(result, Skip) and result.reason == "bad record":
            return bad(result.detail, result.url)
        return result


class _Rest:
    """A line, and the lines after it."""

    def __init__(self, line: bytes, lines: io.BufferedReader[InputStream]) -> None:
        self._line = line
        self._lines = lines

    def read(self, size: int, /) -> bytes:
        line, self._line = self._line, b""
        return line or self._lines.read1(size)


def _blanks(lines: io.BufferedReader[InputStream]) -> Iterator[bytes]:
    """Yield the blank lines that come next, many at a time. It costs less than to read each."""
    while ahead := lines.peek(1):
        blank = ahead[: len(ahead) - len(ahead.lstrip())]
        blank = blank[: blank.rfind(b"\n") + 1]
        lines.read(len(blank))
        yield blank
        if len(blank) < len(ahead):
            break


def _first_byte(stream: InputStream) -> bytes:
    """Return the first byte that is no white space, without waiting for more of a slow pipe than that."""
    size = 1
    while size < _BLANK:
        start = stream.peek(size)
        if len(start) < size:
            break
        if (start == _BOM or not _BOM.startswith(start)) and (start := start.removeprefix(_BOM).lstrip()):
            return start[:1]
        size += 1
    return b""


def _why(error: ValueError | RecursionError) -> str:
    """Say why bytes are no JSON."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    return (
        "nested too deeply"
        if isinstance(error, RecursionError)
        else f"not JSON: {getattr(error, 'msg', error)}"
    )


_READ: Final = 1 << 18  # bytes per read

_STRING: Final = re.compile(rb'(?:[^"\\]|\\.)*+', re.DOTALL)
"""The inside of a string, as far as it is there. It ends before a quote or before a backslash at the end."""

_MARK: Final = re.compile(rb'["{}\[\],]')
"""The characters that part items, and those between which they do not."""

_OPENING: Final = (b"{", b"[")
_CLOSING: Final = (b"}", b"]")
_BETWEEN: Final = b" \t\r\n,"  # bytes that stand between objects that follow each other


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


class _Readable(Protocol):
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

    def __init__(self, stream: _Readable, limit: int, at: int = 0, *, inside: bool = False) -> None:
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
