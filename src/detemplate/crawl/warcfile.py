"""The WARC file of a crawl: a response and a request record for each answer, revisit records for repeats.

The file is the crawl's memory, too: a crawl that was killed reads its answers, and appends to it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.utils.response import response_status_message

from detemplate.files.atomic import writing
from detemplate.files.moment import utc_now
from detemplate.io.record import SourceRef
from detemplate.io.sinks.warc import header_uri, packer, warcinfo_fields
from detemplate.io.sources.http_body import end_of_headers, parse_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SUFFIXES: Final = (".warc", ".warc.gz")
"""Endings of the files that a crawl can write."""

CUT: Final = "download_stopped"
"""Scrapy's flag of an answer whose body was not read to its end."""

_HOPS: Final = "WARC-Detemplate-Hops"
"""Header of a response record: number of links from a start URL, and of redirects in a row."""

_ROBOTS: Final = "robots"
"""Value of that header for the answers of robots.txt."""

_REVISIT: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""Profile of revisit records whose payload is that of another record."""

_LEAST_REPEAT: Final = 64
"""Bytes of the smallest payload of which a repeat is written as a revisit."""

_MOST_PAYLOADS: Final = 1_000_000
"""Payloads among which repeats are known; later ones are not remembered."""


class Original(NamedTuple):
    """The record of a payload.

    Attributes
    ----------
    url, date, record
        URL, date and id of the response record.
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
    """Writes the answers of a crawl; each is in the file when :meth:`write` returns, and outlives the process.

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

    Attributes
    ----------
    size : int
        Bytes of the file.
    """

    def __init__(
        self,
        file: BinaryIO,
        name: str,
        *,
        fields: Mapping[str, str],
        payloads: dict[str, Original] | None = None,
    ) -> None:
        self._file = file
        self._name = name
        self._pack = packer(".gz" if name.endswith(".gz") else "")
        self._payloads = {} if payloads is None else payloads
        self.size = file.seek(0, os.SEEK_END)
        if not self.size:
            about = {"Content-Type": "application/warc-fields"}
            self._write(WarcRecordType.warcinfo, warcinfo_fields(fields), about)

    def write(self, response: Response, request: Request, *, robots: bool = False) -> Written:
        """Write the records of an answer.

        Parameters
        ----------
        response
            The answer. Its body is as received: content codings (gzip) are not undone.
        request
            What was asked. Its meta has ``depth`` and ``redirect_times``.
        robots
            Whether it is the answer of a robots.txt: then :func:`stored` leaves it out.

        Raises
        ------
        UserError
            The file cannot be written.
        """
        date, offset = utc_now(), self.size
        digest = _digest(response.body)
        whole = 200 <= response.status < 300 and CUT not in response.flags
        known = self._payloads.get(digest) if whole and len(response.body) >= _LEAST_REPEAT else None
        hops = f"{request.meta.get('depth', 0)} {request.meta.get('redirect_times', 0)}"
        shared = {"WARC-Date": date, "WARC-Target-URI": header_uri(request.url)}
        headers = {
            **shared,
            "WARC-Payload-Digest": digest,
            _HOPS: _ROBOTS if robots else hops,
            "Content-Type": "application/http; msgtype=response",
        }
        if response.ip_address is not None:
            headers["WARC-IP-Address"] = str(response.ip_address)
        if CUT in response.flags:
            headers["WARC-Truncated"] = "unspecified"
        first = f"{response.protocol or 'HTTP/1.1'} {response_status_message(response.status)}"
        kind, block = WarcRecordType.response, _head(first, response.headers)
        if known is None:
            block += response.body
        else:
            kind = WarcRecordType.revisit
            headers |= {
                "WARC-Profile": _REVISIT,
                "WARC-Refers-To": known.record,
                "WARC-Refers-To-Target-URI": header_uri(known.url),
                "WARC-Refers-To-Date": known.date,
            }
        identity = self._write(kind, block, headers)
        host, slash, path = request.url.partition("://")[2].partition("/")
        asked = Headers({"Host": host, **request.headers})
        about = {"WARC-Concurrent-To": identity, "Content-Type": "application/http; msgtype=request"}
        block = _head(f"{request.method} {slash}{path} HTTP/1.1", asked)
        self._write(WarcRecordType.request, block, shared | about)
        if whole and known is None and len(self._payloads) < _MOST_PAYLOADS:
            self._payloads.setdefault(digest, Original(request.url, date, identity, offset))
        return Written(SourceRef(self._name, offset, record_id=identity, date=date), known is not None)

    def _write(self, kind: Any, block: bytes, headers: Mapping[str, str]) -> str:  # noqa: ANN401
        """Write a record; return its id."""
        record = WarcRecord()
        record.init_headers(kind)
        for name, value in headers.items():
            record.headers[name] = value
        record.set_bytes_content(block)
        buffer = io.BytesIO()
        record.write(buffer, checksum_data=True)
        packed = self._pack(buffer.getvalue())
        with writing(self._name):
            self._file.write(packed)
            self._file.flush()
        self.size += len(packed)
        return record.record_id or ""


def _head(first: str, headers: Headers) -> bytes:
    return first.encode("ascii", "replace") + b"\r\n" + headers.to_string() + b"\r\n\r\n"


def _digest(body: bytes) -> str:
    """Return the digest of a payload, as archives write it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()


def cut_last(path: Path) -> None:
    """Cut off a file's last record, and what is behind it: a crawl that was killed may have left a part of it.

    That is mostly the request record of an answer that stays.

    Raises
    ------
    OSError
        The file cannot be read or cut.
    """
    end = 0
    with path.open("rb") as stream, suppress(OSError):  # fastwarc's error for what is no record
        for record in ArchiveIterator(stream, parse_http=False):
            end = record.stream_pos
    os.truncate(path, end)


def stored(path: Path, payloads: dict[str, Original]) -> Iterator[tuple[Response, Written]]:
    """Read the answers in a file that a :class:`WarcWriter` wrote, in their order.

    Those of robots.txt are left out. A revisit record comes with the body of the record that it refers to.

    Parameters
    ----------
    path
        The file; every record is whole (:func:`cut_last`).
    payloads
        Is filled with the payloads, by digest.

    Yields
    ------
    Response, Written
        An answer, whose request has the meta as for :meth:`WarcWriter.write`, and its record.
    """
    types = WarcRecordType.response | WarcRecordType.revisit
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=types, parse_http=False, max_header_len=1 << 20):
            headers = record.headers
            head, body = _parted(record.reader.read())
            url, date = headers.get("WARC-Target-URI") or "", headers.get("WARC-Date") or ""
            digest, identity = headers.get("WARC-Payload-Digest") or "", record.record_id or ""
            repeat = record.record_type == WarcRecordType.revisit
            if repeat and digest in payloads:
                body = _body_at(path, payloads[digest].offset)
            flags = [CUT] if headers.get("WARC-Truncated") is not None else []
            http = parse_head(head)
            if not repeat and not flags and http.status is not None and 200 <= http.status < 300:
                payloads.setdefault(digest, Original(url, date, identity, record.stream_pos))
            hops = headers.get(_HOPS) or "0 0"
            if hops == _ROBOTS:
                continue
            meta = dict(zip(("depth", "redirect_times"), map(int, hops.split()), strict=True))
            values = Headers(http.headers, encoding="latin-1")
            request = Request(url, meta=meta)
            response = Response(url, http.status or 0, values, body, flags, request)
            source = SourceRef(path.name, record.stream_pos, record_id=identity, date=date)
            yield response, Written(source, repeat)


def _parted(block: bytes) -> tuple[bytes, bytes]:
    """Part a block into the lines of its HTTP headers and the body."""
    stop, start = end_of_headers(block) or (len(block), len(block))
    return block[:stop], block[start:]


def _body_at(path: Path, offset: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(offset)
        record = next(iter(ArchiveIterator(stream, parse_http=False)), None)
        return b"" if record is None else _parted(record.reader.read())[1]
