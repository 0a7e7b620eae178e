"""HTTP messages as web archives store them: headers, transfer and content codings.

The archive reader could decode while it reads, but then one page with a wrong or broken
``Content-Encoding`` ends the whole archive (FastWARC 2.0), so bodies are decoded here, a page at a
time, within a bound on memory.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from detemplate.io.sources.compression import MAX_ZSTD_WINDOW
from detemplate.io.sources.html_sniff import looks_like_html

if TYPE_CHECKING:
    from collections.abc import Callable

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(r"HTTP/\d+(?:\.\d+)?\s+(\d{3})\b")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_SLICE = 1 << 8  # of zstd: a block of 4 bytes can become 128 KiB, so one slice makes 8 MiB at most
_OUTPUT = 1 << 16
_MAX_CODINGS = 4


class UndecodableError(Exception):
    """A body cannot be decoded; the message says why."""


class TooLargeError(Exception):
    """A body has more bytes than are allowed."""


@dataclass(slots=True)
class HttpHead:
    """The status and the headers of a response; header names are in lower case."""

    status: int | None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """The media type in lower case without parameters; empty if none is declared."""
        return media_type(self.headers.get("content-type", ""))

    @property
    def codings(self) -> list[str]:
        """The codings in the order in which they were applied: content first, then transfer."""
        names: list[str] = []
        for header in ("content-encoding", "transfer-encoding"):
            names += [name.strip().lower() for name in self.headers.get(header, "").split(",")]
        return [name for name in names if name not in {"", "identity", "none", "binary"}]


def media_type(content_type: str) -> str:
    """Return the media type of a Content-Type value, in lower case, without its parameters."""
    return re.split("[;,]", content_type, maxsplit=1)[0].strip(" \t\0\"'").lower()


def charset(content_type: str) -> str | None:
    """Return the charset that a Content-Type value declares, if any."""
    found = _CHARSET.search(content_type)
    return found.group(1) if found else None


def end_of_headers(block: bytes) -> tuple[int, int] | None:
    """Return where the HTTP headers at the start of a block end and where the body begins."""
    found = _END_OF_HEADERS.search(block)
    return (found.start(), found.end()) if found else None


def parse_head(head: bytes) -> HttpHead:
    """Parse a status line and headers; several headers of one name are joined by commas.

    A head without a valid status line gets the status None.
    """
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

    A body that ends early gives what it holds, as in a browser. A body that was stored decoded
    under the headers of the encoded one, which some crawlers do, comes back as it is.

    Parameters
    ----------
    body
        The body as stored.
    codings
        The codings in the order in which they were applied (see `HttpHead.codings`).
    limit
        The most bytes that may come out of any coding.

    Raises
    ------
    UndecodableError
        A coding is unknown or the data is corrupt.
    TooLargeError
        More than ``limit`` bytes come out.
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


def _inflate(body: bytes, limit: int, wbits: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    data = body
    while data:
        decoder = zlib.decompressobj(wbits)
        while data and not decoder.eof:
            try:
                part = decoder.decompress(data, limit + 1 - size)
            except zlib.error as error:
                raise UndecodableError(str(error)) from error
            parts.append(part)
            size += len(part)
            if size > limit:
                raise TooLargeError
            data = decoder.unconsumed_tail
        data = decoder.unused_data
        # Several gzip members are one body; anything else after the end is ignored, as browsers do.
        if wbits < zlib.MAX_WBITS or not data.startswith(b"\x1f\x8b"):
            break
    return b"".join(parts)


def _gzip(body: bytes, limit: int) -> bytes:
    return _inflate(body, limit, 31)


def _deflate(body: bytes, limit: int) -> bytes:
    # "deflate" means the zlib format, but some servers send raw deflate data.
    try:
        return _inflate(body, limit, 15)
    except UndecodableError:
        return _inflate(body, limit, -15)


def _brotli(body: bytes, limit: int) -> bytes:
    import brotli  # type: ignore[import-untyped]

    decoder = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    data = body
    try:
        while True:
            part: bytes = decoder.process(data, output_buffer_limit=_OUTPUT)
            parts.append(part)
            size += len(part)
            if size > limit:
                raise TooLargeError
            if decoder.is_finished() or (not part and decoder.can_accept_more_data()):
                break
            data = b""
    except brotli.error as error:
        raise UndecodableError(str(error)) from error
    return b"".join(parts)


def _zstd(body: bytes, limit: int) -> bytes:
    import zstandard

    context = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW)
    decoder = context.decompressobj()
    parts: list[bytes] = []
    size = 0
    try:
        for start in range(0, len(body), _SLICE):
            part = decoder.decompress(body[start : start + _SLICE])
            parts.append(part)
            size += len(part)
            if size > limit:
                raise TooLargeError
            if decoder.eof:
                break
    except zstandard.ZstdError as error:
        raise UndecodableError(str(error)) from error
    return b"".join(parts)


def _chunked(body: bytes, _limit: int) -> bytes:
    parts: list[bytes] = []
    at = 0
    while at < len(body):
        end = body.find(b"\n", at, at + 4096)
        line = body[at : end if end >= 0 else at + 4096].split(b";", 1)[0].strip()
        if end < 0 and len(body) - at < 4096:
            break  # cut inside the line that gives a chunk's size
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


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
    "chunked": _chunked,
}
