"""A source of JSON: one object per line, one array of objects, or objects over several lines."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken
from detemplate.io.sources.jsonitems import JsonItems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.compression import InputStream
    from detemplate.io.sources.fields import RecordMaker
    from detemplate.io.sources.inputfile import InputFile

_BUFFER: Final = 1 << 18
"""Bytes per read."""

_BLANK: Final = 1024
"""Bytes of white space before an array that are accepted."""

_BOM: Final = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

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

    def __init__(self, file: InputFile, maker: RecordMaker) -> None:
        super().__init__(file)
        self._maker = maker
        self._line_limit = 6 * maker.limit + (1 << 20)

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        lines = io.BufferedReader(stream, _BUFFER)
        number = 0
        what = "line"
        problem: str | None = None
        if _first_byte(stream) == b"[":
            what = "item"
            items = JsonItems(stream, self._line_limit)
        while what == "line" and (line := lines.readline(self._line_limit + 1)):
            number += 1
            size = len(line)
            whole = line.endswith(b"\n")
            if number == 1:
                line = line.removeprefix(_BOM)
                if line.strip() == b"{":
                    what = "item"
                    items = JsonItems(_Rest(line, lines), self._line_limit)
                    break
            if not whole and size > self._line_limit:
                while (rest := lines.readline(_BUFFER)) and not rest.endswith(b"\n"):
                    size += len(rest)
                yield self._record(size, f"line {number}", number)
                continue
            if not whole and stream.broken:
                break  # the line is cut: the skip below reports it
            self.bytes_read = stream.raw_position
            if line.strip():
                yield self._record(line, f"line {number}", number)
            else:
                number += _skip_blank(lines)
        if what == "item":
            number = 0
            for number, item in enumerate(items, 1):
                self.bytes_read = stream.raw_position
                yield self._record(item, f"item {number}", number)
            problem = "the JSON ends in the middle" if items.cut else None
        problem = stream.broken or problem
        if problem:
            detail = f"{problem}: broke at byte {stream.raw_position} in or after {what} {number}"
            yield broken(self._file.name, number, detail)

    def _record(self, data: bytes | int, where: str, number: int) -> Record | Skip:
        """Make a record of a line or item; an integer is the length of one that is too long."""
        source = SourceRef(self._file.name, number)

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


def _skip_blank(lines: io.BufferedReader[InputStream]) -> int:
    """Skip the blank lines that come next; give their number. It costs less than to read each."""
    count = 0
    while ahead := lines.peek(1):
        blank = ahead[: len(ahead) - len(ahead.lstrip())]
        blank = blank[: blank.rfind(b"\n") + 1]
        lines.read(len(blank))
        count += blank.count(b"\n")
        if len(blank) < len(ahead):
            break
    return count


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
