"""A source of WARC files: ``.warc``, ``.warc.gz``, ``.warc.zst`` (also with a dictionary)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken
from detemplate.io.sources.warcpages import BrokenRecordError, page_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from fastwarc.warc import WarcRecord

    from detemplate.io.sources.compression import InputFile, InputStream

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
