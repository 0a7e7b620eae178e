"""The WARC file of a crawl: a response and a request record for each answer, revisit records for repeats.

The file is the crawl's memory, too: a crawl that was killed reads its answers, and appends to it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.utils.response import response_status_message

from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.files.jsonvalues import utc_now
from detemplate.io.record import SourceRef
from detemplate.io.sinks.warc import header_uri, packer, record_bytes, warcinfo_fields
from detemplate.run.checkpoint import CLOSING, LOCK, Claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


SUFFIXES: Final = (".warc", ".warc.gz")
"""Endings of the files that a crawl can write."""

CUT: Final = "download_stopped"
"""Scrapy's flag of an answer whose body was not read to its end."""

_HOPS: Final = "WARC-Detemplate-Hops"
"""Header of a response record: number of links from a start URL, and of redirects in a row."""

_ROBOTS: Final = "robots"  # value of that header for the answers of robots.txt

_REVISIT: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""Profile of revisit records whose payload is that of another record."""

_LEAST_REPEAT: Final = 64  # bytes of the smallest payload of which a repeat is written as a revisit
_MOST_PAYLOADS: Final = 1_000_000  # payloads among which repeats are known; later ones are not remembered


class Original(NamedTuple):
    """The response record of a payload: its url, date and id (``record``), and its ``offset`` in the file."""

    url: str
    date: str
    record: str
    offset: int


class Written(NamedTuple):
    """What was written of an answer: its ``source``, and whether it is a revisit record (``repeat``)."""

    source: SourceRef
    repeat: bool


class WarcWriter(Closing):
    """Writes the answers of a crawl. The file takes its name when it is closed.

    Each answer is in the file when :meth:`write` returns: it outlives the process.

    ``output``: name of the file: ``.warc.gz`` or ``.warc``.
    ``fields``: further lines of the ``warcinfo`` record, by name.
    ``kept``: file that grows instead, and stays; the output becomes a copy.
    ``payloads``: payloads that are in the file already, by digest (:func:`stored` collects them).
    ``size``: bytes of the file.
    Raises UserError: the file cannot be written; also of all methods.
    """

    def __init__(
        self,
        output: str,
        *,
        fields: Mapping[str, str],
        kept: Path | None = None,
        payloads: dict[str, Original] | None = None,
    ) -> None:
        self._target = AtomicFile(output)
        self._kept = kept
        self._pack = packer(".gz" if output.endswith(".gz") else "")
        self._payloads = {} if payloads is None else payloads
        with writing(output):
            self._file = self._target.file if kept is None else kept.open("ab")
        self.size = self._file.seek(0, os.SEEK_END)
        if not self.size:
            about = {"Content-Type": "application/warc-fields"}
            self._write(WarcRecordType.warcinfo, warcinfo_fields(fields), about)

    def write(self, response: Response, request: Request, *, robots: bool = False) -> Written:
        """Write the records of an answer.

        ``response``: the answer. Its body is as received: content codings (gzip) are not undone.
        ``request``: what was asked. Its meta has ``depth`` and ``redirect_times``, as Scrapy counts them.
        ``robots``: whether it is the answer of a robots.txt: then :func:`stored` leaves it out.
        """
        date, offset = utc_now(), self.size
        digest = (
            "sha1:" + base64.b32encode(hashlib.sha1(response.body, usedforsecurity=False).digest()).decode()
        )
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
        about = {"WARC-Concurrent-To": identity, "Content-Type": "application/http; msgtype=request"}
        block = _head(f"{request.method} {slash}{path} HTTP/1.1", Headers({"Host": host, **request.headers}))
        self._write(WarcRecordType.request, block, shared | about)
        if whole and known is None and len(self._payloads) < _MOST_PAYLOADS:
            self._payloads.setdefault(digest, Original(request.url, date, identity, offset))
        return Written(
            SourceRef(self._target.output, offset, record_id=identity, date=date), known is not None
        )

    def _write(self, kind: Any, block: bytes, headers: Mapping[str, str]) -> str:  # noqa: ANN401
        """Write a record; return its id."""
        data, identity = record_bytes(kind, headers, block)
        packed = self._pack(data)
        with writing(self._target.output):
            self._file.write(packed)
            self._file.flush()
        self.size += len(packed)
        return identity

    def close(self) -> None:
        """Move the file to its name."""
        if self._kept is not None:
            with writing(self._target.output), self._kept.open("rb") as grown:
                shutil.copyfileobj(grown, self._target.file)
        self._target.close()

    def abort(self) -> None:
        """Leave nothing but what is kept."""
        self._target.abort()


def _head(first: str, headers: Headers) -> bytes:
    lines = first.encode("ascii", "replace"), headers.to_string()
    return b"\r\n".join(filter(None, lines)) + b"\r\n\r\n"


def cut_last(path: Path) -> None:
    """Cut off a file's last record, and what is behind it: a crawl that was killed may have torn it.

    It is mostly the request record of an answer that stays. Raises OSError.
    """
    end = 0
    with path.open("rb") as stream, suppress(OSError):  # fastwarc's error for what is no record
        for record in ArchiveIterator(stream, parse_http=False):
            end = record.stream_pos
    os.truncate(path, end)


def stored(path: Path, payloads: dict[str, Original]) -> Iterator[tuple[Response, Written]]:
    """Read the answers in a file that a :class:`WarcWriter` wrote, in their order, without robots.txt.

    A revisit record comes with the body of the record that it refers to.

    ``path``: the file; every record is whole (:func:`cut_last`).
    ``payloads``: is filled with the payloads, by digest.
    """
    types = WarcRecordType.response | WarcRecordType.revisit
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=types, max_header_len=1 << 20):
            hops = record.headers.get(_HOPS) or "0 0"
            body, known = record.reader.read(), record.headers
            url, date = known.get("WARC-Target-URI") or "", known.get("WARC-Date") or ""
            digest, identity = known.get("WARC-Payload-Digest") or "", record.record_id or ""
            repeat = record.record_type == WarcRecordType.revisit
            if repeat and digest in payloads:
                with path.open("rb") as again:
                    again.seek(payloads[digest].offset)
                    body = next(iter(ArchiveIterator(again))).reader.read()
            flags = [CUT] if known.get("WARC-Truncated") is not None else []
            status = record.http_headers.status_code or 0
            if not repeat and not flags and 200 <= status < 300:
                payloads.setdefault(digest, Original(url, date, identity, record.stream_pos))
            if hops == _ROBOTS:
                continue
            headers = Headers(encoding="latin-1")
            for name, value in record.http_headers.astuples():
                headers.appendlist(name, value)
            depth, redirects = map(int, hops.split())
            request = Request(url, meta={"depth": depth, "redirect_times": redirects})
            source = SourceRef(path.name, record.stream_pos, record_id=identity, date=date)
            yield Response(url, status, headers, body, flags, request), Written(source, repeat)


class Checkpoint(Claim):
    """The directory of a crawl until it is done; closing removes it.

    ``directory``: the directory. It is made if it does not exist.
    ``output``: name of the WARC file in the end.
    ``identity``: what must be equal when the crawl goes on.
    ``file``: the growing WARC file; it need not exist.
    ``whole``: whether it has all answers: a crawl was killed when only its outputs had still to get their
        names.
    Raises UserError: the directory belongs to another crawl, is in use, or cannot be written.
    """

    def __init__(self, directory: str, output: str, identity: Mapping[str, object]) -> None:
        super().__init__(directory, "crawl", identity)
        self.file = self.path / ("crawl.warc.gz" if output.endswith(".gz") else "crawl.warc")

    def _begin(self, own: Mapping[str, object]) -> None:
        super()._begin(own)
        self.whole = (self.path / CLOSING).exists()

    def answers(self, payloads: dict[str, Original]) -> Iterator[tuple[Response, Written]]:
        """Return the answers in the WARC file: :func:`~detemplate.crawl.warcfile.stored`."""
        if not self.file.exists():
            return iter(())
        with self.using():
            if not self.whole:
                cut_last(self.file)
        return stored(self.file, payloads)

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None) -> None:
        """Note that all answers are taken: :meth:`~detemplate.run.checkpoint.Claim.closing`."""
        with self.using(), self.file.open("rb") as grown:
            os.fsync(grown.fileno())
        super().closing(summary, generation)

    def close(self) -> None:
        """Remove it: all outputs of the crawl are written."""
        for name in (self._told.name, CLOSING, self.file.name, LOCK):
            with suppress(OSError):
                (self.path / name).unlink(missing_ok=True)
        self.abort()
        with suppress(OSError):
            self.path.rmdir()
