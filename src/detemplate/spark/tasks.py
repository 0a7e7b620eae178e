"""What Spark's tasks do: functions on rows.

The rows that a task gets are sorted by ``task``, the number of its piece of the input, and by ``record``, the
number of a record in that: first the states of its sites, then the records that are left out, and why.
"""

from __future__ import annotations

import tempfile
from functools import partial
from hashlib import blake2b
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import xxhash

from detemplate.errors import PageError
from detemplate.files.arrow import pa
from detemplate.files.jsonvalues import without_surrogates
from detemplate.io.record import Record, Skip
from detemplate.io.sinks.columnar import ArrowRows
from detemplate.output.result import carry
from detemplate.run.limits import rejection
from detemplate.run.summary import Summary
from detemplate.run.tablerecords import renamed
from detemplate.sites.naming import site_key, site_name
from detemplate.sites.storefile import StoreWriter
from detemplate.sites.storetables import SiteRow
from detemplate.spark.inputs import PieceItems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from detemplate.detectors.base import Detector
    from detemplate.spark.inputs import Piece
    from detemplate.spark.job import SparkJob

    Row = dict[str, Any]
    Rows = Iterator[Row]
    Pieces = Mapping[int, Piece]
    Batches = Iterable[pa.RecordBatch]

FAN: Final = 16
"""Neighbouring states of a site that are merged together."""

PLACE: Final = "input_place"
"""Column with a page's place in the input: the number of its piece times 2**32, plus that of the record."""

BUCKET: Final = "bucket"
"""Column by which the output is partitioned."""

DUPLICATE: Final = "duplicate url"
"""Reason of records that another version of their page replaces."""

URLS: Final = pa.schema([("url_key", pa.binary()), ("place", pa.int64())])
"""A hash of a record's URL, and the record's place."""

LOST: Final = pa.schema(
    [("url", pa.string()), ("reason", pa.string()), ("detail", pa.string()), ("source", pa.string()),
     ("position", pa.int64())]
)  # fmt: skip
"""A lost page, as in the file of ``clean --rejects``."""

_STATE: Final = [("site", pa.binary()), ("pages", pa.int64()), ("state", pa.binary())]

LEARNT: Final = pa.schema([("task", pa.int32()), *_STATE, ("record", pa.int64()), *LOST])
"""A site of a piece, and its state; or a lost page, with its number if it is a record."""

MERGED: Final = pa.schema([*_STATE, ("rank", pa.int64()), ("states", pa.int64())])
"""A state of a site, its place among all of the site, from 0, and their number."""

_BATCH_ROWS: Final = 200  # most rows of a batch
_BATCH_BYTES: Final = 16 << 20  # bytes of the states of a batch, about


def on_batches(work: Callable[[Rows], Rows], schema: pa.Schema) -> Callable[[Batches], Batches]:
    """Return a function on Arrow batches of one on rows; ``schema`` is that of its result."""
    return partial(_on_batches, work, schema)


def _on_batches(work: Callable[[Rows], Rows], schema: pa.Schema, batches: Batches) -> Batches:
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
        for number, item in enumerate(PieceItems(pieces[task], job)):
            if isinstance(item, Record) and item.url:
                key = blake2b(item.url.encode("utf-8", "surrogatepass"), digest_size=16).digest()
                yield {"url_key": key, "place": (task << 32) + number}


def learn(job: SparkJob, pieces: Pieces, reports: Any, rows: Rows) -> Rows:  # noqa: ANN401  # an accumulator
    """Learn pieces, each by itself: give rows of :data:`LEARNT`."""
    for task, left_out in groupby(rows, itemgetter("task")):
        items, summary, bad = PieceItems(pieces[task], job), Summary(job.method, 2), dict[str, list[Any]]()
        with job.cleaner() as cleaner:
            numbered = _numbered(items, left_out, job)
            for (number, item, out), error in job.passes(cleaner, _record).learn(numbered):
                skip = item if isinstance(item, Skip) else rejection(item, error) if error else None
                if isinstance(item, Record) and out is not None:
                    bad_one = out["reason"] != DUPLICATE
                    skip = Skip(item.url, out["reason"], out["detail"], item.source, rejected=bad_one)
                if skip is None:
                    summary.pages += 1
                    continue
                summary.skip(skip)
                if skip.rejected:
                    bad.setdefault(skip.reason, [0, skip.detail])[0] += 1
                    yield {"task": task, "record": number if item is not skip else None, **_lost(skip)}
            for site, state in cleaner.learnt():
                key = site_name(site.name).encode("utf-8", "surrogatepass")
                yield {"task": task, "site": key, "pages": site.pages, "state": state}
        reports.add([{"task": task, "summary": summary.state, "bad": bad, "span": items.span}])


def merge(kind: type[Detector], rows: Rows) -> Rows:
    """Merge the states of each ``site`` and ``group``, sorted by their rank: give rows of :data:`MERGED`."""
    for (site, group), states in groupby(rows, itemgetter("site", "group")):
        first = next(states)
        merged = kind.from_bytes(first["state"])
        for row in states:
            merged = merged.merge(kind.from_bytes(row["state"]))
        left = -(-first["states"] // FAN)
        state = {"pages": merged.pages, "state": merged.to_bytes()}
        yield {"site": site, **state, "rank": group, "states": left}


def clean_pages(
    job: SparkJob, pieces: Pieces, reports: Any, columns: pa.Schema, batches: Batches  # noqa: ANN401
) -> Batches:  # fmt: skip
    """Clean pieces of files by the states of their sites: give rows of the output."""
    inner = pa.schema(field for field in columns if field.name not in (PLACE, BUCKET))
    rows, places, buckets = ArrowRows(job.formats, schema=inner), list[int](), list[int]()

    def taken() -> Batches:
        table = rows.take().append_column(PLACE, pa.array(places, pa.int64()))
        yield from table.append_column(BUCKET, pa.array(buckets, pa.int32())).to_batches()
        places.clear()
        buckets.clear()

    for place, record, done in _cleaned(job, pieces, reports, _rows(batches)):
        row = dict(done.row)
        carry(row, record.carried)
        full = rows.add(row, record)
        places.append(place)
        site = done.site.encode("utf-8", "surrogatepass")
        buckets.append(xxhash.xxh3_64_intdigest(site) % job.buckets)
        if full or len(places) >= _BATCH_ROWS:
            yield from taken()
    if places:
        yield from taken()


def clean_table(job: SparkJob, pieces: Pieces, reports: Any, rows: Rows) -> Rows:  # noqa: ANN401
    """Clean the rows of a table: give all of them, with the columns that cleaning adds."""
    added = added_columns(job)
    for _, record, done in _cleaned(job, pieces, reports, rows):
        names = renamed(record.carried, added)
        row = {names.get(name, name): value for name, value in record.carried.items()}
        if isinstance(done, PageError):
            yield row | {"error": done.found}
            continue
        texts = {name: done.row[name] for name in added if name != "error"}
        yield row | {
            name: without_surrogates(value) if isinstance(value, str) else value
            for name, value in texts.items()
        }


def added_columns(job: SparkJob) -> tuple[str, ...]:
    """Return the columns that a table gets."""
    return *job.formats, "title", "template_share", "method", "error"


def _cleaned(job: SparkJob, pieces: Pieces, reports: Any, rows: Rows) -> Iterator[tuple[int, Record, Any]]:  # noqa: ANN401
    """Give the place of each record and what cleaning made of it; its error only if it is of a table."""
    for task, given in groupby(rows, itemgetter("task")):
        summary, lost = Summary(job.method, 2), list[Any]()
        with tempfile.TemporaryDirectory(prefix="detemplate-") as folder:
            store = str(Path(folder) / "sites.db")
            left_out = _stored(store, given, job)
            items: Iterable[_Item] = _numbered(PieceItems(pieces[task], job), left_out, job)
            items = items if job.table is not None else filter(_record, items)
            with job.cleaner(store) as cleaner:
                for (number, item, out), made in job.passes(cleaner, _record).clean(items):
                    done = made if out is None else PageError(out["reason"], out["detail"])
                    if isinstance(item, Skip):
                        continue
                    if not isinstance(done, PageError):
                        summary.count(done)
                    elif job.table is None:
                        lost.append(_lost(rejection(item, done)))
                        continue
                    yield (task << 32) + number, item, done
        reports.add([{"task": task, "summary": summary.state, "lost": lost}])


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


_Item = tuple[int, "Record | Skip", "Row | None"]  # its number, itself, and why it is left out


def _numbered(items: Iterable[Record | Skip], rows: Rows, job: SparkJob) -> Iterator[_Item]:
    """Give each item with its number, and with the row that says why it is left out, if it is."""
    left = (row for row in rows if row["record"] is not None)
    row = next(left, None)
    for number, item in enumerate(items):
        out = None
        if row is not None and row["record"] == number:
            out, row = row, next(left, None)
        elif isinstance(item, Record) and item.size > job.max_page_bytes:
            told = f"{item.size:,} bytes, allowed are {job.max_page_bytes:,}"
            out = {"reason": "too large", "detail": told}
        yield number, item, out


def _record(item: _Item) -> Record | None:
    """Give the record that is worked on; None for what is left out."""
    return item[1] if isinstance(item[1], Record) and item[2] is None else None


def _lost(skip: Skip) -> Row:
    """Give the row of a lost page, with the columns of :data:`LOST`."""
    place = skip.source
    return {
        "url": without_surrogates(skip.url),
        "reason": skip.reason,
        "detail": without_surrogates(skip.detail),
        "source": place.path if place else None,
        "position": place.position if place else None,
    }
