"""A source of WARC files: ``.warc``, ``.warc.gz``, ``.warc.zst`` (also with a dictionary)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken
from detemplate.io.sources.http_body import (
    HTML_TYPES,
    SNIFF_SIZE,
    HttpHead,
    TooLargeError,
    UndecodableError,
    charset,
    decode_body,
    end_of_headers,
    looks_like_html,
    media_type,
    parse_head,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from fastwarc.warc import WarcRecord, WarcRecordPayloadReader

    from detemplate.io.sources.compression import InputFile, InputStream


_HEAD: Final = 1 << 14  # bytes in which the HTTP headers are looked for first
_MAX_HTTP_HEAD: Final = 1 << 18  # largest HTTP headers that are accepted, in bytes

_LOST: Final = ("bad record", "too large", "undecodable")  # reasons of records that should have been pages


class BrokenRecordError(Exception):
    """The record ends early: the file is broken here."""


class _NotAPageError(Exception):
    """The record is not a page; the arguments are the reason and the detail of the skip to yield."""


def page_of(record: WarcRecord, limit: int, source: SourceRef) -> Record | Skip:
    """Make a record of a ``response`` or ``resource`` record with a page, a skip of any other one.

    ``record``: the record, whose block has not been read.
    ``limit``: the largest page in decoded bytes.
    ``source``: where it is.
    Raises BrokenRecordError: its block is shorter than it states.
    """
    # Old tools write the URI in angle brackets.
    url = (record.headers.get("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">")
    body = _Body(record)
    result: Record | Skip
    try:
        html, content_type = _page(record, url, body, limit)
        declared = media_type(content_type) or None
        result = Record(url, html, charset=charset(content_type), media_type=declared, source=source)
    except _NotAPageError as error:
        reason, detail = error.args
        result = Skip(url, reason, detail, source, rejected=reason in _LOST)
    # FastWARC ends a cut record silently; only its end tells whether it was whole.
    body.finish()
    return result


def _page(record: WarcRecord, url: str, body: _Body, limit: int) -> tuple[bytes, str]:
    """Return a record's HTML and Content-Type; raises _NotAPageError if it is not a page."""
    from fastwarc.warc import WarcRecordType

    kind = record.record_type
    if kind == WarcRecordType.revisit:
        raise _NotAPageError("revisit", "")
    if kind not in (WarcRecordType.response, WarcRecordType.resource):  # unhashable: no set
        raise _NotAPageError("not a page", record.headers.get("WARC-Type") or "no WARC-Type")
    if not url:
        raise _NotAPageError("bad record", "no WARC-Target-URI")
    block_type = record.headers.get("Content-Type") or ""
    is_http = media_type(block_type) == "application/http"
    head = _http_head(body)
    if head is None:
        # A page archived without HTTP headers is still a page.
        if is_http and not looks_like_html(body.peek(SNIFF_SIZE)):
            raise _NotAPageError("bad record", "no HTTP headers")
        head = HttpHead(200, {} if is_http else {"content-type": block_type})
    if head.status is None or not 200 <= head.status < 300:
        raise _NotAPageError("http status", str(head.status or "none"))
    declared = head.media_type
    if declared and declared not in HTML_TYPES:
        raise _NotAPageError("not html", declared)
    payload = _payload(head, body, limit)
    if not declared and not looks_like_html(payload):
        raise _NotAPageError("not html", "no content type")
    return payload, head.headers.get("content-type", "")


def _payload(head: HttpHead, body: _Body, limit: int) -> bytes:
    """Read and decode the body; raises _NotAPageError if it is too large or cannot be decoded."""
    codings = head.codings
    # An encoded body may be larger than the decoded one; a chunked one up to twice as large.
    if body.left > (2 * limit + _HEAD if codings else limit):
        if not head.media_type and not codings and not looks_like_html(body.peek(SNIFF_SIZE)):
            raise _NotAPageError("not html", "no content type")
        raise _NotAPageError("too large", f"{body.left} bytes")
    payload = body.read_all()
    try:
        return decode_body(payload, codings, limit)
    except TooLargeError:
        raise _NotAPageError("too large", f"more than {limit} bytes") from None
    except UndecodableError as error:
        raise _NotAPageError("undecodable", f"{', '.join(codings)}: {error}") from error


def _http_head(body: _Body) -> HttpHead | None:
    """Take the HTTP headers from a body; None if it has none."""
    if body.peek(5) != b"HTTP/":
        return None
    size = _HEAD
    end = end_of_headers(block := body.peek(size))
    while end is None and len(block) == size:
        if size >= _MAX_HTTP_HEAD:
            raise _NotAPageError("bad record", f"HTTP headers of more than {_MAX_HTTP_HEAD} bytes")
        size *= 4
        end = end_of_headers(block := body.peek(size))
    # Headers without an end belong to a response without a body.
    stop, start = end or (len(block), len(block))
    body.drop(start)
    return parse_head(block[:stop])


class _Body:
    """The rest of a record's block, which can be peeked into."""

    def __init__(self, record: WarcRecord) -> None:
        self._reader: WarcRecordPayloadReader = record.reader
        self._unread = record.content_length
        self._ahead = b""

    @property
    def left(self) -> int:
        """Number of bytes not taken yet, by the block's stated length."""
        return len(self._ahead) + self._unread

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes without taking them; fewer at the end of the block."""
        while len(self._ahead) < size and (more := self._read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def drop(self, size: int) -> None:
        """Take bytes that were peeked at, without returning them."""
        self._ahead = self._ahead[size:]

    def read_all(self) -> bytes:
        """Take and return the rest."""
        parts = [self._ahead]
        self._ahead = b""
        while self._unread and (more := self._read(self._unread)):
            parts.append(more)
        return b"".join(parts)

    def finish(self) -> None:
        """Skip the rest; raises BrokenRecordError if the block is shorter than its stated length."""
        try:
            self._unread -= self._reader.consume()
        except OSError as error:
            raise BrokenRecordError(str(error)) from error
        if self._unread:
            raise BrokenRecordError("the last record is cut")

    def _read(self, size: int) -> bytes:
        try:
            data = self._reader.read(size)
        except OSError as error:
            raise BrokenRecordError(str(error)) from error
        self._unread -= len(data)
        return data


_MAX_HEAD: Final = 1 << 20  # largest WARC headers that are accepted, in bytes
_START: Final = b"WARC/"  # first bytes of a record


class WarcSource(FileSource):
    """A source of the HTML pages of one WARC file, in file order.

    A page is a ``response`` or ``resource`` record with a 2xx status and a declared HTML type, or without a
    declared type if it starts like HTML. All other records yield skips. A file that is cut or corrupt yields
    everything before the damage, then one ``Skip("truncated")``; a compressed file goes on with the next gzip
    member or zstd frame that begins with a record. At most ``max_page_bytes`` of a body are
    held in memory, or twice that while it is encoded.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``max_page_bytes``: the largest page in decoded bytes. A larger one yields ``Skip("too large")``.
    Raises UserError: the file does not begin with ``WARC/``.
    """

    track_members = True

    def __init__(self, file: InputFile, *, max_page_bytes: int) -> None:
        super().__init__(file)
        self._limit = max_page_bytes
        if file.rereadable:
            with file.open() as stream:
                start = stream.peek(64)
                if start and not stream.broken and not is_warc(start):
                    raise UserError(
                        f"{file.name} is not a WARC file (it does not begin with 'WARC/'); "
                        "say what it is with --input-format"
                    )

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        where = yield from self._records(stream)
        while where is not None and stream.resume(_START, where):
            where = yield from self._records(stream)

    def _records(self, stream: InputStream) -> Generator[Record | Skip, None, int | None]:
        """Read records up to the end or to damage; return the offset of the damaged member, if any."""
        from fastwarc.warc import ArchiveIterator

        records = 0
        problem = "" if stream.peek(1) else stream.broken or "the file is empty"
        where = stream.member_start(stream.tell())
        # The stream is decompressed already: FastWARC need not detect a compression.
        archive = iter(
            ArchiveIterator(stream, parse_http=False, stream_detect=False, max_header_len=_MAX_HEAD)
        )
        while not problem:
            try:
                record = next(archive, None)
            except OSError as error:
                problem = f"{error} after the record"
                where = (stream.next_member() if records else None) or where
                break
            if record is None:
                break
            where = stream.member_start(record.stream_pos)
            try:
                result = self._record(record, where)
            except BrokenRecordError as error:
                problem = str(error)
                break
            records += 1
            self.bytes_read = stream.raw_position
            yield result
        if stream.broken:
            where = stream.broken_at
            problem = stream.broken
        if not problem:
            return None
        yield broken(self._file.name, where, f"{problem}: broke at byte {where} after {records} records")
        return where

    def _record(self, record: WarcRecord, where: int) -> Record | Skip:
        headers = record.headers
        length = (headers.get("Content-Length") or "").strip(" \t\r")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) != record.content_length:
            raise BrokenRecordError("a record without a valid Content-Length")
        source = SourceRef(
            self._file.name, where, record_id=headers.get("WARC-Record-ID"), date=headers.get("WARC-Date")
        )
        return page_of(record, self._limit, source)


def is_warc(start: bytes) -> bool:
    """Return whether decompressed bytes are the start of a WARC file."""
    return start.lstrip(b"\r\n").startswith(_START)
