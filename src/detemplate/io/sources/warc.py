"""Pages from WARC files: ``.warc``, ``.warc.gz``, ``.warc.zst`` (with a dictionary, too)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.html_sniff import SNIFF_SIZE, looks_like_html
from detemplate.io.sources.http_body import (
    HTML_TYPES,
    HttpHead,
    TooLargeError,
    UndecodableError,
    charset,
    decode_body,
    end_of_headers,
    media_type,
    parse_head,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastwarc.warc import WarcRecord, WarcRecordPayloadReader

    from detemplate.io.sources.compression import InputFile, InputStream

_HEAD = 1 << 14
_MAX_HTTP_HEAD = 1 << 18
_MAX_WARC_HEAD = 1 << 20


class _BrokenRecordError(Exception):
    """The record ends before its Content-Length, or has none: the file is broken here."""


class _NotAPageError(Exception):
    """What a record is instead of a page."""

    def __init__(self, reason: str, detail: str = "", *, rejected: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.rejected = rejected


class WarcSource:
    """The HTML pages of one WARC file, in file order.

    Pages are ``response`` and ``resource`` records with a 2xx status whose declared type is HTML,
    or, where none is declared, whose first bytes look like HTML. Everything else gives a `Skip`.
    A file that is cut or corrupt gives everything before the break and then one
    ``Skip("truncated")``. Nothing larger than ``max_page_bytes`` is held in memory, encoded bodies
    excepted, of which twice as much is.

    Parameters
    ----------
    file
        What to read.
    max_page_bytes
        The largest page, in decoded bytes; larger ones give ``Skip("too large")``.

    Raises
    ------
    UserError
        The file does not begin like a WARC file.
    """

    def __init__(self, file: InputFile, *, max_page_bytes: int) -> None:
        self.rereadable = file.rereadable
        self.total_bytes = file.size
        self._file = file
        self._limit = max_page_bytes
        self._bytes_read = 0
        if file.rereadable:
            with file.open() as stream:
                start = stream.peek(64)
                if start and not stream.broken and not is_warc(start):
                    raise UserError(
                        f"{file.name} is not a WARC file (it does not begin with 'WARC/'); "
                        "say what it is with --input-format"
                    )

    @property
    def bytes_read(self) -> int:
        """Stored bytes read in the current pass."""
        return self._bytes_read

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file from its beginning."""
        self._bytes_read = 0
        try:
            stream = self._file.open(track_members=True)
        except OSError as error:
            yield Skip("", "unreadable", str(error), SourceRef(self._file.name), rejected=True)
            return
        with stream:
            yield from self._read(stream)
            self._bytes_read = stream.raw_position

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        from fastwarc.warc import ArchiveIterator

        where = records = 0
        problem = "" if stream.peek(1) else stream.broken or "the file is empty"
        # Plain WARC goes in (the stream has decompressed it), so there is nothing to detect.
        archive = iter(
            ArchiveIterator(
                stream,
                parse_http=False,
                stream_detect=False,
                max_header_len=_MAX_WARC_HEAD,
            )
        )
        while not problem:
            try:
                record = next(archive, None)
            except OSError as error:
                problem = f"{error} after the record"
                break
            if record is None:
                break
            where = stream.member_start(record.stream_pos)
            try:
                result = self._record(record, where)
            except _BrokenRecordError as error:
                problem = str(error)
                break
            records += 1
            self._bytes_read = stream.raw_position
            yield result
        if stream.broken:
            where = stream.raw_position
            problem = stream.broken
        if problem:
            detail = f"{problem}: broke at byte {where} after {records} records"
            yield Skip("", "truncated", detail, SourceRef(self._file.name, where), rejected=True)

    def _record(self, record: WarcRecord, where: int) -> Record | Skip:
        headers = record.headers
        length = (headers.get("Content-Length") or "").strip(" \t\r")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) != record.content_length:
            raise _BrokenRecordError("a record without a valid Content-Length")
        source = SourceRef(
            self._file.name, where, record_id=headers.get("WARC-Record-ID"), date=headers.get("WARC-Date")
        )
        # Some old tools write the URI in angle brackets.
        url = (headers.get("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">")
        body = _Body(record)
        result: Record | Skip
        try:
            html, declared_charset = self._page(record, url, body)
            result = Record(url, html, charset=declared_charset, source=source)
        except _NotAPageError as skip:
            result = Skip(url, skip.reason, skip.detail, source, skip.rejected)
        # Only now is it known whether the record is whole: FastWARC ends a cut one silently.
        body.finish()
        return result

    def _page(self, record: WarcRecord, url: str, body: _Body) -> tuple[bytes, str | None]:
        """Return a record's HTML and declared charset, or raise what it is instead."""
        from fastwarc.warc import WarcRecordType

        kind = record.record_type
        if kind == WarcRecordType.revisit:
            raise _NotAPageError("revisit")
        if kind not in (WarcRecordType.response, WarcRecordType.resource):  # unhashable: no set
            raise _NotAPageError("not a page", record.headers.get("WARC-Type") or "no WARC-Type")
        if not url:
            raise _NotAPageError("bad record", "no WARC-Target-URI", rejected=True)
        block_type = record.headers.get("Content-Type") or ""
        is_http = media_type(block_type) == "application/http"
        head = _http_head(body)
        if head is None:
            # A page that was archived without its headers is still a page.
            if is_http and not looks_like_html(body.peek(SNIFF_SIZE)):
                raise _NotAPageError("bad record", "no HTTP headers", rejected=True)
            head = HttpHead(200, {} if is_http else {"content-type": block_type})
        if head.status is None or not 200 <= head.status < 300:
            raise _NotAPageError("http status", str(head.status or "none"))
        declared = head.media_type
        if declared and declared not in HTML_TYPES:
            raise _NotAPageError("not html", declared)
        payload = self._payload(head, body)
        if not declared and not looks_like_html(payload):
            raise _NotAPageError("not html", "no content type")
        return payload, charset(head.headers.get("content-type", ""))

    def _payload(self, head: HttpHead, body: _Body) -> bytes:
        codings = head.codings
        # An encoded body may be larger than what comes out of it; a chunked one up to twice.
        if body.left > (2 * self._limit + _HEAD if codings else self._limit):
            if not head.media_type and not codings and not looks_like_html(body.peek(SNIFF_SIZE)):
                raise _NotAPageError("not html", "no content type")
            raise _NotAPageError("too large", f"{body.left} bytes", rejected=True)
        payload = body.read_all()
        try:
            return decode_body(payload, codings, self._limit)
        except TooLargeError:
            raise _NotAPageError("too large", f"more than {self._limit} bytes", rejected=True) from None
        except UndecodableError as error:
            detail = f"{', '.join(codings)}: {error}"
            raise _NotAPageError("undecodable", detail, rejected=True) from error


class _Body:
    """What is still unread of a record's block, with bytes that were read ahead."""

    def __init__(self, record: WarcRecord) -> None:
        self._reader: WarcRecordPayloadReader = record.reader
        self._unread = record.content_length
        self._ahead = b""

    @property
    def left(self) -> int:
        """Bytes of the block that were not taken yet, as its length says."""
        return len(self._ahead) + self._unread

    def peek(self, size: int) -> bytes:
        """Return the next bytes without taking them; fewer at the end of the block."""
        while len(self._ahead) < size and (more := self._read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def drop(self, size: int) -> None:
        """Take bytes that were peeked at."""
        self._ahead = self._ahead[size:]

    def read_all(self) -> bytes:
        """Take all that is left."""
        parts = [self._ahead]
        self._ahead = b""
        while self._unread and (more := self._read(self._unread)):
            parts.append(more)
        return b"".join(parts)

    def finish(self) -> None:
        """Skip the rest; raises when the block is shorter than its length says."""
        try:
            self._unread -= self._reader.consume()
        except OSError as error:
            raise _BrokenRecordError(str(error)) from error
        if self._unread:
            raise _BrokenRecordError("the last record is cut")

    def _read(self, size: int) -> bytes:
        try:
            data = self._reader.read(size)
        except OSError as error:
            raise _BrokenRecordError(str(error)) from error
        self._unread -= len(data)
        return data


def is_warc(start: bytes) -> bool:
    """Tell whether decompressed bytes are the beginning of a WARC file."""
    return start.lstrip(b"\r\n").startswith(b"WARC/")


def _http_head(body: _Body) -> HttpHead | None:
    """Take the HTTP head from a body; None where there is none."""
    if body.peek(5) != b"HTTP/":
        return None
    size = _HEAD
    end = end_of_headers(block := body.peek(size))
    while end is None and len(block) == size:
        if size >= _MAX_HTTP_HEAD:
            raise _NotAPageError(
                "bad record", f"HTTP headers of more than {_MAX_HTTP_HEAD} bytes", rejected=True
            )
        size *= 4
        end = end_of_headers(block := body.peek(size))
    # Headers without an end are those of a response without a body.
    stop, start = end or (len(block), len(block))
    body.drop(start)
    return parse_head(block[:stop])
