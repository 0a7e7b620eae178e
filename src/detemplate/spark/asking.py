"""The first pass: each page is parsed, and what it asks its site becomes rows."""

from __future__ import annotations

from collections import deque
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from detemplate.errors import PageError
from detemplate.frames.tablerecords import Columns
from detemplate.io.record import Record, Skip
from detemplate.run.intake import record_in
from detemplate.run.limits import rejection
from detemplate.run.workers.flow import Flow
from detemplate.spark.copies import local_copy
from detemplate.spark.pieces import Piece, PieceItems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]

    from detemplate.spark.forms import Form
    from detemplate.spark.job import SparkJob
    from detemplate.spark.questions import PageRow
    from detemplate.spark.reads import Reads

DUPLICATE: Final = "duplicate url"
"""Reason of records whose URL another record had before."""

PIECES: Final = ("file", "path", "begin", "end", "name")
"""Columns of a table of pieces of inputs."""

_TABLE_ROWS: Final = 16
"""Rows of a table that are read at once."""


class Asking:
    """Reads files and asks: a function on Arrow batches with the columns of :func:`pieces_in`.

    Parameters
    ----------
    job
        How to read and to clean.
    spans
        Spark's accumulator of the spans of pieces, by their numbers.
    """

    def __init__(self, job: SparkJob, spans: Any) -> None:  # noqa: ANN401  # pyspark is an extra
        self._job = job
        self._spans = spans

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give rows of :data:`~detemplate.spark.tables.ASKS`, in the order of the records."""
        from detemplate.spark.tables import ASKS
        from detemplate.spark.tables import batches as batched

        return batched(self._rows(pieces_in(batches)), ASKS)

    def _tell(self, file: int, span: tuple[int | None, int | None]) -> None:
        self._spans.add({file: tuple(span)})

    def _rows(self, files: Iterable[tuple[int, Piece]]) -> Iterator[dict[str, Any]]:
        job, form = self._job, self._job.form
        asked: deque[tuple[str, PageRow | None]] = deque()
        places: deque[tuple[int, int, str | None]] = deque()

        def items() -> Iterator[Record | Skip]:
            for file, piece in files:
                for place, item, url_key in items_of(piece, job, partial(self._tell, file)):
                    places.append((file, place, url_key))
                    yield item

        def learn(site: str, query: Any) -> None:  # noqa: ANN401  # each method has its own
            asked.append((site, form.row(query)))

        flow = Flow(1, job.work(), job.limits, record_in)
        for item, error in flow.learn(items(), learn):
            file, record, url_key = places.popleft()
            row: dict[str, Any] = {"file": file, "record": record, "url_key": url_key}
            if isinstance(item, Record) and error is None:
                site, page = asked.popleft()
                yield row | _page_columns(form, site, page)
            else:
                skip = item if isinstance(item, Skip) else rejection(item, error or PageError("failed"))
                yield row | skip_columns(skip) | {"rejected": skip.rejected, "learnt": False}


def pieces_in(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Piece]]:
    """Give the numbered pieces of inputs of rows with the columns :data:`PIECES`."""
    for batch in batches:
        for file, *piece in zip(*(batch.column(name).to_pylist() for name in PIECES), strict=True):
            yield int(file), Piece(*piece)


def items_of(
    piece: Piece, job: Reads, told: Callable[[tuple[int | None, int | None]], object] = tuple
) -> Iterator[tuple[int, Record | Skip, str | None]]:
    """Read a piece of an input: give each item with its number from 0, and the key of its URL.

    Records that are too large are skips. If the first version of a page is taken, records with the URL of one
    before in the piece are skips as well.

    Parameters
    ----------
    piece
        What is read.
    job
        How.
    told
        Called with the span of a piece of a WARC file, at its end.
    """
    seen: set[str] = set()
    items = PieceItems(piece, job)
    source: Iterable[Record | Skip] = items if job.table is None else table_rows(piece.path, job.table)
    for number, item in enumerate(source):
        if isinstance(item, Skip):
            yield number, item, None
            continue
        url_key = None
        if item.url and job.versions != "keep":
            url_key = blake2b(item.url.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            if job.versions == "first":
                if url_key in seen:
                    yield number, Skip(item.url, DUPLICATE, source=item.source), None
                    continue
                seen.add(url_key)
        if isinstance(item.html, str | bytes) and len(item.html) > job.max_page_bytes:
            error = PageError("too large", f"{len(item.html):,} bytes, allowed are {job.max_page_bytes:,}")
            yield number, rejection(item, error), url_key
            continue
        yield number, item, url_key
    if items.span is not None:
        told(items.span)


def table_rows(path: str, table: tuple[str | None, str | None]) -> Iterator[Record]:
    """Read the rows of a table that Spark wrote; each record carries its row.

    Parameters
    ----------
    path
        A Parquet file of the table.
    table
        Its columns of URLs and of markup; None: guessed.
    """
    from detemplate.files.arrow import pq

    with local_copy(path) as copy, pq.ParquetFile(copy) as file:
        columns = Columns(file.schema_arrow.names, *table)
        rows = (row for batch in file.iter_batches(_TABLE_ROWS) for row in batch.to_pylist())
        for number, row in enumerate(rows):
            record = columns.record(row, number)
            record.carried = row
            yield record


def _page_columns(form: Form, site: str, page: PageRow | None) -> dict[str, Any]:
    """Give a page's columns of :data:`~detemplate.spark.tables.ASKS`."""
    row: dict[str, Any] = {"learnt": page is not None, "site": site_number(site)}
    if page is None:
        return row
    row |= {"counted": _signed(page.counted), "prose": page.prose, "long": page.long}
    if form.grouped:
        row["grouped"] = (page.group or 0) - (2**64 if (page.group or 0) >= 2**63 else 0)
    if form.repeats:
        for name in ("asked", "marks", "fresh", "signatures", "slots"):
            row[name] = _signed(getattr(page, name))
        row["sums"] = page.sums
    return row


def skip_columns(skip: Skip) -> dict[str, Any]:
    """Give a skip's columns of :data:`~detemplate.spark.tables.LOST`."""
    place = skip.source
    return {
        "url": skip.url.encode("utf-8", "replace").decode(),
        "reason": skip.reason,
        "detail": skip.detail.encode("utf-8", "replace").decode(),
        "source": place.path if place else None,
        "position": place.position if place else None,
    }


def site_number(site: str) -> int:
    """Return the number of a site: a hash of its name, as a signed 64-bit integer."""
    return int(np.uint64(xxhash.xxh3_64_intdigest(site.encode("utf-8", "surrogatepass"))).view(np.int64))


def _signed(keys: Sequence[int] | Any) -> Any:  # noqa: ANN401
    return np.asarray(keys, np.uint64).view(np.int64)
