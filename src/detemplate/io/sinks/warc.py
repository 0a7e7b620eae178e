r"""A sink that writes WARC: one ``conversion`` record per page.

The block of a page's record is its text. The other fields of its row (site, title, template_share, …, and the
carried keys) are one line of ASCII JSON in the extension header ``WARC-Detemplate-Metadata``. If that would
be longer than 16 KiB, a ``metadata`` record (``application/json``) follows instead, which refers to the
page's record.

``WARC-Date`` is the date of the capture, if the source has one, as in Common Crawl's conversions. Record ids
are derived from content, so that equal runs write equal records.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import uuid
from typing import TYPE_CHECKING, Final, TypeGuard
from urllib.parse import quote

from detemplate._version import __version__
from detemplate.files.jsonvalues import to_json, utc_now, without_surrogates
from detemplate.io.sinks.out import FORMATS, OutSink

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastwarc.warc import WarcRecordType

    from detemplate.io.record import Record
    from detemplate.io.sinks.out import Out

METADATA_HEADER: Final = "WARC-Detemplate-Metadata"
"""The header with all fields of a row but its URL and its text, as ASCII JSON."""

_MAX_METADATA: Final = 16 << 10
"""Longest value of that header, in bytes; readers allow 32 KiB for all headers of a record."""

_MAX_URL: Final = 8 << 10  # longest ``WARC-Target-URI``, in bytes
_MAX_COPIED: Final = 255  # longest value of a source record's header that is copied, in characters
_NAMESPACE: Final = uuid.UUID("7a1ff6c4-3f3e-5b7e-9a53-0d0c9a2ac0de")


class WarcSink(OutSink):
    """A ``warcinfo`` record, then one ``conversion`` record per page.

    Each record is a gzip member or zstd frame of its own, so that readers can seek.

    ``out``: where the bytes go.
    ``format``: ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text.
    ``compression``: ``""``, ``".gz"``, ``".zst"`` or ``".zstd"``.
    Raises UserError: the first record cannot be written.
    """

    def __init__(self, out: Out, *, format: str, compression: str = "") -> None:  # noqa: A002
        from fastwarc.warc import WarcRecordType

        super().__init__(out)
        self._format = format
        self._media_type = FORMATS[format][0] + "; charset=utf-8"
        self._pack = packer(compression)
        self._types = WarcRecordType
        self._now = utc_now()
        self._count = 0
        try:
            fields = warcinfo_fields({})
            self._put(WarcRecordType.warcinfo, "application/warc-fields", fields, {}, self._now)
        except BaseException:
            self.abort()
            raise

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write a page's record; raises UserError if that fails."""
        source = record.source
        url = without_surrogates(str(row["url"]))
        target = header_uri(url)
        block = without_surrogates(str(row[self._format])).encode("utf-8")
        fields = {key: value for key, value in row.items() if key not in {"url", self._format}}
        if target != url:
            fields = {"url": url, **fields}
        metadata = to_json(fields, ascii_only=True)
        headers = {"WARC-Target-URI": target}
        date = self._now
        if source is not None and _fits_a_header(source.record_id):
            headers["WARC-Refers-To"] = source.record_id
        if source is not None and _fits_a_header(source.date):
            date = source.date
        fits = len(metadata) <= _MAX_METADATA
        extra = {METADATA_HEADER: metadata} if fits else {}
        identity = self._put(self._types.conversion, self._media_type, block, {**headers, **extra}, date)
        if not fits:
            headers["WARC-Refers-To"] = identity
            self._put(self._types.metadata, "application/json", metadata.encode(), headers, date)

    def _put(
        self, kind: WarcRecordType, content_type: str, block: bytes, headers: Mapping[str, str], date: str
    ) -> str:
        """Write one record and return its id."""
        # The number distinguishes equal records; the content distinguishes runs.
        name = f"{self._count}\n{kind}\n{sorted(headers.items())}\n{date}\n".encode() + block
        identity = uuid.uuid5(_NAMESPACE, hashlib.sha256(name).hexdigest())
        self._count += 1
        every = {"WARC-Date": date, **headers, "Content-Type": content_type}
        data, found = record_bytes(kind, every, block, f"uuid:{identity}".encode())
        self._out.write(self._pack(data))
        return found


def record_bytes(
    kind: WarcRecordType, headers: Mapping[str, str], block: bytes, urn: bytes | None = None
) -> tuple[bytes, str]:
    """Make a record, with digests.

    ``kind``, ``headers``, ``block``: its type, its headers in their order, its content.
    ``urn``: its id; None: a random one.
    Returns: the record, and its id as other records refer to it.
    """
    from fastwarc.warc import WarcRecord

    record = WarcRecord()
    record.init_headers(kind, record_urn=urn)
    for name, value in headers.items():
        record.headers[name] = value
    record.set_bytes_content(block)
    buffer = io.BytesIO()
    record.write(buffer, checksum_data=True)
    return buffer.getvalue(), record.record_id or ""


def warcinfo_fields(fields: Mapping[str, str]) -> bytes:
    """Return the block of a ``warcinfo`` record: this software, and other fields, each in one line."""
    lines = {"software": f"detemplate/{__version__}", "format": "WARC File Format 1.1", **fields}
    return "".join(
        f"{name}: {' '.join(without_surrogates(value).split())}\r\n" for name, value in lines.items()
    ).encode()


def packer(compression: str) -> Callable[[bytes], bytes]:
    """Return the function that compresses one record, by the ending of a file's name."""
    if compression == ".gz":
        return lambda data: gzip.compress(data, compresslevel=6, mtime=0)
    if compression:
        import zstandard

        return zstandard.ZstdCompressor(level=3).compress
    return bytes


def header_uri(url: str) -> str:
    """Return a URL for a header: ASCII without spaces and control characters, at most 8 KiB."""
    return quote(url, safe="!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")[:_MAX_URL]


def _fits_a_header(value: str | None) -> TypeGuard[str]:
    return value is not None and value.isascii() and value.isprintable() and 0 < len(value) <= _MAX_COPIED
