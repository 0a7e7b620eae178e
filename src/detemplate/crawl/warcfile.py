"""The WARC file of a crawl: a request and a response record for each answer, revisit records for repeats.

The file is the crawl's memory, too. What is in it needs not be fetched again: a crawl that was killed reads
it, takes what it says as if it had just been fetched, and appends to it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from detemplate.crawl.fetched import Fetched
from detemplate.files.atomic import writing
from detemplate.files.moment import utc_now
from detemplate.io.record import SourceRef
from detemplate.io.sinks.warc import header_uri, packer, warcinfo_fields
from detemplate.io.sources.http_body import end_of_headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

HOPS: Final = "WARC-Detemplate-Hops"
"""Header of a response record: number of links from a start URL, and of redirects in a row."""

ROBOTS: Final = "robots"
"""Value of that header for the answers of robots.txt."""

_REVISIT: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""Profile of revisit records whose payload is that of another record."""

_LEAST_REPEAT: Final = 64
"""Bytes of the smallest payload of which a repeat is written as a revisit."""

_MOST_PAYLOADS: Final = 1_000_000
"""Payloads among which repeats are known; later ones are not remembered."""

_MOST_HEADERS: Final = 1 << 20
"""Bytes of the WARC headers of a record that are read."""

_START: Final = b"WARC/"
"""First bytes of a record."""

_BEHIND: Final = b"\r\n\r\n"
"""What stands behind the block of a record."""

_GZIP: Final = 31
"""What tells zlib to read gzip."""

_CHUNK: Final = 1 << 20
"""Bytes that are read at a time."""

SUFFIXES: Final = (".warc", ".warc.gz")
"""Endings of the files that a crawl can write."""


class Place(NamedTuple):
    """Where a payload stands.

    Attributes
    ----------
    url, date, record
        URL, date and id of its response record.
    offset
        Where that record begins in the file.
    """

    url: str
    date: str
    record: str
    offset: int


class Written(NamedTuple):
    """What was written of an answer.

    Attributes
    ----------
    source
        Where its record is.
    repeat
        Whether it was a revisit record: another URL had the same payload.
    """

    source: SourceRef
    repeat: bool


class WarcWriter:
    """Writes the answers of a crawl.

    Each answer is in the file, as far as the system is concerned, when :meth:`write` returns: it outlives the
    process.

    Parameters
    ----------
    file
        The open file; it is appended to.
    name
        Name of the output, for messages and for its kind: ``.warc.gz`` or ``.warc``.
    fields
        Further lines of the ``warcinfo`` record, by name.
    payloads
        Payloads that are in the file already, by digest (:func:`stored` collects them).
    """

    def __init__(
        self,
        file: BinaryIO,
        name: str,
        *,
        fields: Mapping[str, str],
        payloads: dict[str, Place] | None = None,
    ) -> None:
        from fastwarc.warc import WarcRecordType

        self._types = WarcRecordType
        self._file = file
        self._name = name
        self._pack = packer(".gz" if name.endswith(".gz") else "")
        self._payloads = {} if payloads is None else payloads
        self._offset = file.seek(0, os.SEEK_END)
        self.responses = 0
        if not self._offset:
            info = warcinfo_fields(fields)
            self._append(
                [self._record(WarcRecordType.warcinfo, info, {"Content-Type": "application/warc-fields"})[0]]
            )

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._offset

    def write(self, fetched: Fetched, *, robots: bool = False) -> Written:
        """Write the records of an answer.

        Raises
        ------
        UserError
            The file cannot be written.
        """
        date = fetched.date or utc_now()
        digest = payload_digest(fetched.body)
        target = header_uri(fetched.url)
        known = self._payloads.get(digest) if fetched.is_page and not fetched.cut else None
        repeat = known is not None and len(fetched.body) >= _LEAST_REPEAT
        headers = {
            "WARC-Date": date,
            "WARC-Target-URI": target,
            "WARC-Payload-Digest": digest,
            HOPS: ROBOTS if robots else f"{fetched.depth} {fetched.redirects}",
            "Content-Type": "application/http; msgtype=response",
        }
        if fetched.address:
            headers["WARC-IP-Address"] = fetched.address
        if fetched.cut:
            headers["WARC-Truncated"] = "unspecified"
        kind, block = self._types.response, fetched.head + b"\r\n\r\n" + fetched.body
        if repeat and known is not None:
            kind, block = self._types.revisit, fetched.head + b"\r\n\r\n"
            headers |= {
                "WARC-Profile": _REVISIT,
                "WARC-Refers-To": known.record,
                "WARC-Refers-To-Target-URI": header_uri(known.url),
                "WARC-Refers-To-Date": known.date,
            }
        response, identity = self._record(kind, block, headers)
        asked = {
            "WARC-Date": date,
            "WARC-Target-URI": target,
            "WARC-Concurrent-To": identity,
            "Content-Type": "application/http; msgtype=request",
        }
        request = (
            self._record(self._types.request, fetched.request + b"\r\n\r\n", asked)[0]
            if fetched.request
            else b""
        )
        offset = self._offset
        self._append([response, request])
        self.responses += 1
        if not repeat and fetched.is_page and not fetched.cut and len(self._payloads) < _MOST_PAYLOADS:
            self._payloads.setdefault(digest, Place(fetched.url, date, identity, offset))
        return Written(SourceRef(self._name, offset, record_id=identity, date=date), repeat)

    def _record(self, kind: Any, block: bytes, headers: Mapping[str, str]) -> tuple[bytes, str]:  # noqa: ANN401
        """Give a record's bytes, and its id."""
        from fastwarc.warc import WarcRecord

        record = WarcRecord()
        record.init_headers(kind)
        for name, value in headers.items():
            record.headers[name] = value
        record.set_bytes_content(block)
        buffer = io.BytesIO()
        record.write(buffer, checksum_data=True)
        return self._pack(buffer.getvalue()), record.record_id or ""

    def _append(self, records: list[bytes]) -> None:
        with writing(self._name):
            for record in filter(None, records):
                self._file.write(record)
                self._offset += len(record)
            self._file.flush()


def payload_digest(body: bytes) -> str:
    """Give the digest of a payload, as archives write it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()


def repair(path: Path) -> int:
    """Cut a file after its last whole record: a crawl that was killed may have left a part of one.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    int
        Number of bytes that were cut off.

    Raises
    ------
    OSError
        The file cannot be read or cut.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        end = _end_of_members(file) if path.suffix == ".gz" else _end_of_records(file, size)
    if end < size:
        os.truncate(path, end)
    return size - end


def _end_of_members(file: BinaryIO) -> int:
    """Give the place behind the last gzip member that is whole and holds a record."""
    end, data = 0, b""
    while True:
        member, taken, start = zlib.decompressobj(_GZIP), 0, b""
        while not member.eof:
            data = data or file.read(_CHUNK)
            if not data:
                return end
            try:
                found = member.decompress(data)
            except zlib.error:
                return end
            start = start or found[: len(_START)]
            taken += len(data) - len(member.unused_data)
            data = member.unused_data
        if start != _START:
            return end
        end += taken


def _end_of_records(file: BinaryIO, size: int) -> int:
    """Give the place behind the last record of a file that is not compressed."""
    end = 0
    while True:
        file.seek(end)
        length = None
        if file.readline(_CHUNK)[: len(_START)] != _START:
            return end
        while (line := file.readline(_CHUNK)).strip():
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        stop = file.tell() + (length or 0)
        if length is None or not line or stop + len(_BEHIND) > size:
            return end
        file.seek(stop)
        if file.read(len(_BEHIND)) != _BEHIND:
            return end
        end = stop + len(_BEHIND)


def stored(path: Path, payloads: dict[str, Place]) -> Iterator[tuple[Fetched, Written]]:
    """Read the answers in a file that a :class:`WarcWriter` wrote, in their order.

    Those of robots.txt are left out. A revisit record comes with the body of the record that it refers to.

    Parameters
    ----------
    path
        The file; every record is whole (:func:`repair`).
    payloads
        Is filled with the payloads, by digest.
    """
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    types = WarcRecordType.response | WarcRecordType.revisit
    with path.open("rb") as stream:
        for record in ArchiveIterator(
            stream, record_types=types, parse_http=False, max_header_len=_MOST_HEADERS
        ):
            headers = record.headers
            block = record.reader.read()
            url, date = headers.get("WARC-Target-URI") or "", headers.get("WARC-Date") or ""
            digest, identity = headers.get("WARC-Payload-Digest") or "", record.record_id or ""
            repeat = record.record_type == WarcRecordType.revisit
            head, body = _parted(block)
            known = payloads.get(digest)
            if repeat and known is not None:
                body = _body_at(path, known.offset)
            cut = headers.get("WARC-Truncated") is not None
            hops = headers.get(HOPS) or "0 0"
            depth, redirects = (0, 0) if hops == ROBOTS else map(int, hops.split())
            fetched = Fetched(url, head, body, depth, redirects, cut=cut, date=date)
            if not repeat and fetched.is_page and not cut:
                payloads.setdefault(digest, Place(url, date, identity, record.stream_pos))
            if hops != ROBOTS:
                source = SourceRef(path.name, record.stream_pos, record_id=identity, date=date)
                yield fetched, Written(source, repeat)


def _parted(block: bytes) -> tuple[bytes, bytes]:
    """Part a block into the lines of its HTTP headers and the body."""
    stop, start = end_of_headers(block) or (len(block), len(block))
    return block[:stop], block[start:]


def _body_at(path: Path, offset: int) -> bytes:
    from fastwarc.warc import ArchiveIterator

    with path.open("rb") as stream:
        stream.seek(offset)
        record = next(iter(ArchiveIterator(stream, parse_http=False)), None)
        return b"" if record is None else _parted(record.reader.read())[1]
