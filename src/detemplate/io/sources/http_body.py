"""HTTP responses as web archives store them: headers, transfer codings, content codings.

FastWARC 2.0 could decode bodies itself, but a page with a wrong or broken ``Content-Encoding`` would then end
the whole archive. So bodies are decoded here, one page at a time, in bounded memory.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from detemplate.io.sources.decoders import MAX_ZSTD_WINDOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SNIFF_SIZE: Final = 1024
"""Number of bytes that are examined."""

_HTML_START: Final = re.compile(
    rb"<(?:!doctype\s+html|html|head|script|iframe|h[1-6]|div|font|table|a|style|title|b|body|br|p"
    rb"|meta|link|span|ul|ol|center|main|article|section|header|nav|form|img|frameset)(?=[\s/>])",
    re.IGNORECASE,
)
"""The tags of the MIME Sniffing standard (section 7.1), and tags that begin fragments and old pages."""

_COMMENTS: Final = re.compile(rb"(?:\s|<!--.*?-->)*", re.DOTALL)
"""White space and comments before the first tag."""

_XHTML: Final = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
"""What an XML document must hold to be XHTML."""


def looks_like_html(start: bytes) -> bool:
    """Return whether bytes look like the start of an HTML or XHTML page.

    ``start``: the first bytes: :data:`SNIFF_SIZE` or more, if there are that many.
    """
    # In UTF-16, every other byte of markup is zero.
    start = start[: 4 * SNIFF_SIZE].replace(b"\0", b"")
    start = start.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    start = start[:SNIFF_SIZE].lstrip()
    if start.startswith(b"<?xml"):
        return _XHTML.search(start) is not None
    comments = _COMMENTS.match(start)
    rest = start[comments.end() :] if comments else start
    # A comment without an end in these bytes counts as HTML, as in browsers.
    return rest.startswith(b"<!--") or _HTML_START.match(rest) is not None


HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
"""Media types of HTML pages."""

_END_OF_HEADERS: Final = re.compile(rb"\r?\n\r?\n")
"""Empty line between HTTP headers and body; carriage returns may be missing."""

_STATUS_LINE: Final = re.compile(r"HTTP/\d+(?:\.\d+)?\s+(\d{3})\b")
"""Beginning of an HTTP status line; group 1 is the status code."""

_CHARSET: Final = re.compile(r"charset\s*+=[\s\"']*+([^\s\"';,]+)", re.IGNORECASE)
"""Parameter ``charset`` of a Content-Type value; group 1 is the charset."""

_ZSTD_SLICE: Final = 1 << 8
"""Encoded bytes per call of the zstd decoder: a block of 4 bytes can hold 128 KiB, so a slice 8 MiB."""

_INFLATE_SLICE: Final = 1 << 14  # encoded bytes per call of the gzip decoder
_OUTPUT: Final = 1 << 16  # decoded bytes per call of the Brotli decoder
_MAX_CODINGS: Final = 4  # codings on top of each other that are accepted
_MAX_CHUNK_LINE: Final = 4096  # bytes within which the line with a chunk's size must end


class UndecodableError(Exception):
    """A body cannot be decoded; the message says why."""


class TooLargeError(Exception):
    """A decoded body exceeds the limit."""


@dataclass(slots=True)
class HttpHead:
    """The status and the headers of a response.

    ``status``: status code; None if there is no valid status line.
    ``headers``: values by header name in lower case.
    """

    status: int | None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """Media type in lower case, without parameters; empty if none is declared."""
        return media_type(self.headers.get("content-type", ""))

    @property
    def codings(self) -> list[str]:
        """Codings in the order in which they were applied: content codings, then transfer codings."""
        return codings_of(*(self.headers.get(f"{each}-encoding", "") for each in ("content", "transfer")))


def codings_of(*values: str) -> list[str]:
    """Return the codings that headers list, in lower case, without those that change nothing."""
    names = (name.strip().lower() for value in values for name in value.split(","))
    return [name for name in names if name not in {"", "identity", "none", "binary"}]


def media_type(content_type: str) -> str:
    """Return the media type of a Content-Type value, in lower case, without its parameters."""
    return re.split("[;,]", content_type, maxsplit=1)[0].strip(" \t\0\"'").lower()


def charset(content_type: str) -> str | None:
    """Return the charset that a Content-Type value declares, if any."""
    match = _CHARSET.search(content_type)
    return match.group(1) if match else None


def end_of_headers(block: bytes) -> tuple[int, int] | None:
    """Return the offsets at which the HTTP headers of a block end and its body begins; None if unknown."""
    match = _END_OF_HEADERS.search(block)
    return (match.start(), match.end()) if match else None


def parse_head(head: bytes) -> HttpHead:
    """Parse a status line and headers; values of equal names are joined by commas."""
    lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    status = _STATUS_LINE.match(lines[0])
    result = HttpHead(int(status.group(1)) if status else None)
    name = ""
    for line in lines[1:]:
        if line[:1] in {" ", "\t"} and name:
            result.headers[name] += " " + line.strip()
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon and name:
            earlier = result.headers.get(name)
            result.headers[name] = value.strip() if earlier is None else f"{earlier}, {value.strip()}"
        else:
            name = ""
    return result


def decode_body(body: bytes, codings: list[str], limit: int) -> bytes:
    """Undo the codings of a body.

    A body that ends early is decoded as far as it goes, as in a browser. Some crawlers store the decoded
    body under the headers of the encoded one; such a body is returned as it is.

    ``body``: the body as stored.
    ``codings``: codings in the order in which they were applied (:attr:`HttpHead.codings`).
    ``limit``: maximum size in bytes after each coding.
    Raises UndecodableError: a coding is unknown, or the data is corrupt.
    Raises TooLargeError: the decoded body has more than ``limit`` bytes.
    """
    if len(codings) > _MAX_CODINGS:
        raise UndecodableError(f"{len(codings)} codings on top of each other")
    for name in reversed(codings):
        decoder = _DECODERS.get(name.removeprefix("x-"))
        if not body:
            break
        try:
            if decoder is None:
                raise UndecodableError(f"unknown coding {name!r}")
            decoded = decoder(body, limit)
            if not decoded and looks_like_html(body):
                continue
            body = decoded
        except UndecodableError:
            if not looks_like_html(body):
                raise
    if len(body) > limit:
        raise TooLargeError
    return body


def _joined(parts: Iterator[bytes], limit: int) -> bytes:
    """Join decoded parts; raises TooLargeError when they exceed the limit."""
    joined: list[bytes] = []
    for part in parts:
        joined.append(part)
        limit -= len(part)
        if limit < 0:
            raise TooLargeError
    return b"".join(joined)


def _inflate(body: bytes, limit: int, wbits: int) -> Iterator[bytes]:
    at = 0
    decoder = zlib.decompressobj(wbits)
    while at < len(body):
        # The decoder copies what it leaves of its input: slices keep many small members from costing more.
        piece = body[at : at + _INFLATE_SLICE]
        try:
            yield decoder.decompress(piece, limit + 1)
        except zlib.error as error:
            raise UndecodableError(str(error)) from error
        at += len(piece) - len(decoder.unconsumed_tail) - len(decoder.unused_data)
        if decoder.eof:
            # Several gzip members are one body; other bytes after the end are ignored, as in browsers.
            if wbits < zlib.MAX_WBITS or not body.startswith(b"\x1f\x8b", at):
                return
            decoder = zlib.decompressobj(wbits)


def _gzip(body: bytes, limit: int) -> bytes:
    return _joined(_inflate(body, limit, 31), limit)


def _deflate(body: bytes, limit: int) -> bytes:
    # "deflate" means the zlib format, but some servers send raw deflate data.
    try:
        return _joined(_inflate(body, limit, 15), limit)
    except UndecodableError:
        return _joined(_inflate(body, limit, -15), limit)


def _brotli(body: bytes, limit: int) -> bytes:
    import brotli  # type: ignore[import-untyped]

    def parts() -> Iterator[bytes]:
        decoder = brotli.Decompressor()
        data, part = body, b""
        while not (decoder.is_finished() or (not data and not part and decoder.can_accept_more_data())):
            part = decoder.process(data, output_buffer_limit=_OUTPUT)
            data = b""
            yield part

    try:
        return _joined(parts(), limit)
    except brotli.error as error:
        raise UndecodableError(str(error)) from error


def _zstd(body: bytes, limit: int) -> bytes:
    import zstandard

    def parts() -> Iterator[bytes]:
        decoder = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW).decompressobj()
        for start in range(0, len(body), _ZSTD_SLICE):
            if decoder.eof:
                return
            yield decoder.decompress(body[start : start + _ZSTD_SLICE])

    try:
        return _joined(parts(), limit)
    except zstandard.ZstdError as error:
        raise UndecodableError(str(error)) from error


def _chunked(body: bytes, _limit: int) -> bytes:
    parts: list[bytes] = []
    at = 0
    while at < len(body):
        end = body.find(b"\n", at, at + _MAX_CHUNK_LINE)
        line = body[at : end if end >= 0 else at + _MAX_CHUNK_LINE].split(b";", 1)[0].strip()
        if end < 0 and len(body) - at < _MAX_CHUNK_LINE:
            break  # the body is cut in the line with a chunk's size
        if not re.fullmatch(rb"[0-9a-fA-F]{1,15}", line):
            raise UndecodableError("a chunk's size is not a number")
        size = int(line, 16)
        if size == 0:
            break
        parts.append(body[end + 1 : end + 1 + size])
        at = end + 1 + size
        if body.startswith(b"\r\n", at):
            at += 2
        elif body.startswith(b"\n", at):
            at += 1
    return b"".join(parts)


_DECODERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
    "chunked": _chunked,
}
"""Decoders by coding: they take a body and the limit in bytes."""
