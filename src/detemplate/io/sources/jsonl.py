"""A source of JSON Lines: one object per line, with ``url`` and ``html``."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.compression import InputFile, InputStream

_BUFFER: Final = 1 << 18
"""Bytes per read."""

_BOM: Final = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

_JSON_NAMES: Final[dict[type, str]] = {
    list: "an array",
    str: "a string",
    type(None): "null",
    bool: "a boolean",
}
"""JSON's names of the types of Python."""


class JsonlSource:
    r"""A source of the pages of one JSON Lines file, in file order.

    The keys ``url`` and ``html`` are strings. The optional key ``site`` names the page's site. All other
    keys are carried. Any other line yields ``Skip("bad record")``; blank lines yield nothing. A compressed
    file that is cut or corrupt yields everything before the damage, then one ``Skip("truncated")``.

    Parameters
    ----------
    file
        The file, which may be compressed with gzip or zstd.
    max_page_bytes
        The largest page in bytes of UTF-8. A larger one yields ``Skip("too large")``. A line may be six
        times as long (each character as ``\uXXXX``) plus 1 MiB; of a longer line, the rest is read but
        not kept.

    Raises
    ------
    UserError
        The file is one JSON document over several lines, not one object per line.
    """

    def __init__(self, file: InputFile, *, max_page_bytes: int) -> None:
        self.rereadable = file.rereadable
        self.total_bytes = file.size
        self._file = file
        self._limit = max_page_bytes
        self._line_limit = 6 * max_page_bytes + (1 << 20)
        self._bytes_read = 0
        if file.rereadable:
            with file.open() as stream:
                start = stream.peek(1024).removeprefix(_BOM).lstrip()
            if start[:1] == b"[" or re.match(rb"\{\s*\n", start):
                raise UserError(
                    f"{file.name} is one JSON document, not one object a line; convert it first, "
                    "for example with: jq -c '.[]'"
                )

    @property
    def bytes_read(self) -> int:
        """Stored bytes that the current pass has read."""
        return self._bytes_read

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file from its beginning."""
        self._bytes_read = 0
        try:
            stream = self._file.open()
        except OSError as error:
            yield Skip("", "unreadable", str(error), SourceRef(self._file.name), rejected=True)
            return
        with stream:
            yield from self._read(stream)
            self._bytes_read = stream.raw_position

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        lines = io.BufferedReader(stream, _BUFFER)
        number = 0
        while line := lines.readline(self._line_limit + 1):
            number += 1
            source = SourceRef(self._file.name, number)
            whole = line.endswith(b"\n")
            if not whole and len(line) > self._line_limit:
                while (rest := lines.readline(_BUFFER)) and not rest.endswith(b"\n"):
                    pass
                detail = f"line {number} is longer than {self._line_limit} bytes"
                yield Skip("", "too large", detail, source, rejected=True)
                continue
            if not whole and stream.broken:
                break  # the line is cut: the skip below reports it
            self._bytes_read = stream.raw_position
            if number == 1:
                line = line.removeprefix(_BOM)
            if line.strip():
                yield self._parse(line, number, source)
        if stream.broken:
            detail = f"{stream.broken}: broke at byte {stream.raw_position} in or after line {number}"
            yield Skip("", "truncated", detail, SourceRef(self._file.name, number), rejected=True)

    def _parse(self, line: bytes, number: int, source: SourceRef) -> Record | Skip:
        def bad(why: str, url: str = "") -> Skip:
            return Skip(url, "bad record", f"line {number}: {why}", source, rejected=True)

        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            return bad(f"not UTF-8 at byte {error.start}")
        except ValueError as error:
            return bad(f"not JSON: {getattr(error, 'msg', error)}")
        except RecursionError:
            return bad("nested too deeply")
        if not isinstance(value, dict):
            return bad(f"not an object but {_JSON_NAMES.get(type(value), 'a number')}")
        result = record_from_fields(value, self._limit, source)
        if isinstance(result, Skip) and result.reason == "bad record":
            return bad(result.detail, result.url)
        return result


def record_from_fields(fields: dict[str, object], limit: int, source: SourceRef) -> Record | Skip:
    """Make a record from a row's fields: ``url``, ``html`` and optionally ``site``; the others are carried.

    Parameters
    ----------
    fields
        The fields by name; ``url``, ``html`` and ``site`` are removed from it.
    limit
        The largest ``html`` in bytes; text counts in UTF-8.
    source
        Where the fields came from.

    Returns
    -------
    Record or Skip
        A skip, ``"bad record"`` or ``"too large"``, if there is no usable page.
    """
    url = fields.pop("url", None)
    if not isinstance(url, str) or not url:
        return Skip("", "bad record", "no 'url' that is a string", source, rejected=True)
    html = fields.pop("html", None)
    if not isinstance(html, str | bytes):
        return Skip(url, "bad record", "no 'html' that is a string", source, rejected=True)
    site = fields.pop("site", None)
    if site is not None and not isinstance(site, str):
        return Skip(url, "bad record", "'site' is not a string", source, rejected=True)
    # A character takes at most four bytes, so most pages are measured without encoding them.
    if len(html) * (4 if isinstance(html, str) else 1) > limit:
        size = len(html.encode("utf-8", "surrogatepass")) if isinstance(html, str) else len(html)
        if size > limit:
            return Skip(url, "too large", f"{size} bytes", source, rejected=True)
    return Record(url, html, site=site or None, carried=fields, source=source)
