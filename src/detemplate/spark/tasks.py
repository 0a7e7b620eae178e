"""What Spark's tasks do: functions on rows, sorted by ``task``, the number of a piece, and ``record``.

The states of a task's sites come first, then the records that are left out, and why.
"""

from __future__ import annotations

import tempfile
from hashlib import blake2b
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import xxhash

from detemplate.errors import PageError
from detemplate.files.arrow import pa, pq
from detemplate.files.jsonvalues import without_surrogates
from detemplate.files.remote import local_parquet
from detemplate.frames.tablerecords import Columns, renamed
from detemplate.io.record import Record, Skip
from detemplate.io.sinks.columnar import ArrowRows
from detemplate.io.sources.pieces import PieceItems
from detemplate.output.result import carry
from detemplate.run.limits import rejection, too_large
from detemplate.run.summary import Summary
from detemplate.sites.learner import SiteLearner
from detemplate.sites.naming import site_key, site_name
from detemplate.sites.storefile import StoreWriter
from detemplate.sites.storetables import SiteRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from detemplate.io.sources.pieces import Piece
    from detemplate.spark.job import SparkJob

    Rows = Iterator[dict[str, Any]]
    Pieces = Mapping[int, Piece]
    Batches = Iterator[pa.RecordBatch]
    Item = tuple[int, Record | Skip, PageError | None]
    Outcome = tuple[int, Record, Any]

FAN: Final = 16
"""Neighbouring states of a site that are merged together."""

PLACE: Final = "input_place"
"""Column with a page's place in the input: the number of its piece times 2**32, plus that of the record."""

BUCKET: Final = "bucket"
"""Column by which the output is partitioned."""

DUPLICATE: Final = "duplicate url"
"""Reason of records that another version of their page replaces."""

URLS: Final = pa.schema({"url_key": pa.binary(), "place": pa.int64()})
"""A hash of a record's URL, and the record's place."""

LOST: Final = pa.schema(
    dict.fromkeys(("url", "reason", "detail", "source"), pa.string()) | {"position": pa.int64()}
)
"""A lost page, as in the file of ``clean --rejects``."""

_STATE: Final = [("site", pa.binary()), ("pages", pa.int64()), ("state", pa.binary())]

LEARNT: Final = pa.schema([("task", pa.int32()), *_STATE, ("record", pa.int64()), *LOST])
"""A site of a piece, and its state; or a lost page, with its number if it is a record."""

MERGED: Final = pa.schema([*_STATE, ("rank", pa.int64()), ("states", pa.int64())])
"""A state of a site, its place among all of the site, from 0, and their number."""

_BATCH_ROWS: Final = 200  # most rows of a batch
_BATCH_BYTES: Final = 16 << 20  # bytes of the states of a batch, about


def on_batches(work: Callable[[Rows], Rows], schema: pa.Schema, batches: Batches) -> Batches:
    """Apply a function on rows to Arrow batches; ``schema`` is that of its result."""
    waiting, size = list[Any](), 0
    for row in work(_rows(batches)):
        waiting.append(row)
        size += len(row.get("state") or b"")
        if len(waiting) >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield pa.RecordBatch.from_pylist(waiting, schema)
            waiting, size = [], 0
    if waiting:
        yield pa.RecordBatch.from_pylist(waiting, schema)


def _rows(batches: Batches) -> Rows:
    return (row for batch in batches for row in batch.to_pylist())


def urls(job: SparkJob, pieces: Pieces, rows: Rows) -> Rows:
    """Read pieces: give rows of :data:`URLS`."""
    for task, _ in groupby(rows, itemgetter("task")):
        for number, item in enumerate(_items(pieces[task], job)):
            if isinstance(item, Record) and item.url:
                key = blake2b(_bytes(item.url), digest_size=16).digest()
                yield {"url_key": key, "place": (task << 32) + number}


def learn(job: SparkJob, pieces: Pieces, reports: Any, rows: Rows) -> Rows:  # noqa: ANN401  # an accumulator
    """Learn pieces, each by itself: give rows of :data:`LEARNT`."""
    for task, given in groupby(rows, itemgetter("task")):
        items, summary, bad = _items(pieces[task], job), Summary(job.method, 2), dict[str, list[Any]]()
        with job.cleaner() as cleaner:
            outcomes = job.passes(cleaner, _record).learn(_numbered(items, given, job))
            for (number, item, left_out), error in outcomes:
                reason = left_out or error
                skip = item if isinstance(item, Skip) else rejection(item, reason) if reason else None
                if skip is None:
                    summary.pages += 1
                    continue
                skip.rejected &= skip.reason != DUPLICATE
                summary.skip(skip)
                if skip.rejected:
                    bad.setdefault(skip.reason, [0, skip.detail])[0] += 1
                    yield {"task": task, "record": number if item is not skip else None, **_lost(skip)}
            for row, state in cleaner.learned():
                site = _bytes(site_name(row.name))
                yield {"task": task, "site": site, "pages": row.pages, "state": state}
        span = getattr(items, "span", None)
        reports.add([{"task": task, "summary": summary.state, "bad": bad, "span": span}])


def merge(rows: Rows) -> Rows:
    """Merge the states of each ``site`` and ``group``, sorted by their rank: give rows of :data:`MERGED`."""
    for (site, group), states in groupby(rows, itemgetter("site", "group")):
        first = next(states)
        merged = SiteLearner.from_bytes(first["state"])
        for row in states:  # noqa: B031  # it goes on
            merged = merged.merge(SiteLearner.from_bytes(row["state"]))
        made = {"site": site, "pages": merged.pages, "state": merged.to_bytes()}
        yield made | {"rank": group, "states": -(-first["states"] // FAN)}


def clean(job: SparkJob, pieces: Pieces, reports: Any, columns: pa.Schema, batches: Batches) -> Batches:  # noqa: ANN401
    """Clean pieces by the states of their sites: give the output, which has these columns."""
    outcomes = _outcomes(job, pieces, reports, _rows(batches))
    if job.table is None:
        return _page_rows(job, columns, outcomes)
    return on_batches(lambda _: _table_rows(job, outcomes), columns, iter(()))


def _outcomes(job: SparkJob, pieces: Pieces, reports: Any, rows: Rows) -> Iterator[Outcome]:  # noqa: ANN401
    """Give the place of each record and what cleaning made of it; of a table, also errors."""
    for task, given in groupby(rows, itemgetter("task")):
        summary, lost = Summary(job.method, 2), list[Any]()
        with tempfile.TemporaryDirectory(prefix="detemplate-") as folder:
            store = str(Path(folder) / "sites.db")
            items: Iterable[Item] = _numbered(_items(pieces[task], job), _stored(store, given, job), job)
            items = items if job.table is not None else filter(_record, items)
            with job.cleaner(store) as cleaner:
                for (number, item, left_out), made in job.passes(cleaner, _record).clean(items):
                    done = left_out or made
                    if isinstance(item, Skip):
                        continue
                    if not isinstance(done, PageError):
                        summary.count(done)
                    elif job.table is None:
                        summary.skip(skip := rejection(item, done))
                        lost.append(_lost(skip))
                        continue
                    yield (task << 32) + number, item, done
        reports.add([{"task": task, "summary": summary.state, "lost": lost}])


def _page_rows(job: SparkJob, columns: pa.Schema, outcomes: Iterable[Outcome]) -> Batches:
    """Give the output of files."""
    rows = ArrowRows(job.rendering.format, schema=columns)
    for number, (place, record, done) in enumerate(outcomes, 1):
        bucket = xxhash.xxh3_64_intdigest(_bytes(done.site)) % job.buckets
        row = {**done.row, PLACE: place, BUCKET: bucket}
        carry(row, record.carried)
        if rows.add(row, record) or number % _BATCH_ROWS == 0:
            yield from rows.take().to_batches()
    yield from rows.take().to_batches()


def _table_rows(job: SparkJob, outcomes: Iterable[Outcome]) -> Rows:
    """Give the rows of a table, with the columns that cleaning adds."""
    added = added_columns(job)
    for _, record, done in outcomes:
        names = renamed(record.carried, added)
        row = {names.get(name, name): value for name, value in record.carried.items()}
        if isinstance(done, PageError):
            yield row | {"error": done.found}
            continue
        made = {name: done.row[name] for name in added if name != "error"}
        yield row | {
            name: without_surrogates(value) if isinstance(value, str) else value
            for name, value in made.items()
        }


def added_columns(job: SparkJob) -> tuple[str, ...]:
    """Return the columns that a table gets."""
    return *job.rendering.format, "title", "template_share", "method", "error"


def _items(piece: Piece, job: SparkJob) -> Iterable[Record | Skip]:
    if job.table is not None:
        return _table(piece.path, *job.table)
    return PieceItems(piece, job.kind, job.names, job.max_page_bytes)


def _table(path: str, url: str | None, html: str | None) -> Iterator[Record]:
    """Read a file of a table that Spark wrote; each record carries its row."""
    with local_parquet(path) as copy, pq.ParquetFile(copy) as file:
        columns = Columns(file.schema_arrow.names, url, html)
        rows = (row for batch in file.iter_batches(16) for row in batch.to_pylist())
        for number, row in enumerate(rows):
            record = columns.record(row, number)
            record.carried = row
            yield record


def _stored(path: str, rows: Rows, job: SparkJob) -> Rows:
    """Put the states into a store of this task's; give the rows after them."""
    with StoreWriter(path) as store:
        for row in rows:
            if row["record"] is not None:
                rows = chain([row], rows)
                break
            if row["state"] is not None:
                site = site_key(row["site"].decode("utf-8", "surrogatepass"))
                store.put(SiteRow.of(site, row["pages"], row["state"]), row["state"])
        store.finish(job.settings)
    return rows


def _numbered(items: Iterable[Record | Skip], rows: Rows, job: SparkJob) -> Iterator[Item]:
    """Give each item with its number, and why it is left out: by a row, or as it is too large."""
    left = (row for row in rows if row["record"] is not None)
    row = next(left, None)
    for number, item in enumerate(items):
        error = None
        if row is not None and row["record"] == number:
            error, row = PageError(row["reason"], row["detail"]), next(left, None)
        elif isinstance(item, Record):
            error = too_large(item, job.max_page_bytes)
        yield number, item, error


def _record(item: Item) -> Record | None:
    """Give the record that is worked on; None for what is left out."""
    return item[1] if isinstance(item[1], Record) and item[2] is None else None


def _lost(skip: Skip) -> dict[str, Any]:
    """Give the row of a lost page, with the columns of :data:`LOST`."""
    row = skip.as_row()
    return row | {name: without_surrogates(row[name]) for name in ("url", "reason", "detail")}


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
