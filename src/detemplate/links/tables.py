"""The tables of a crawl: their rows of pages, and their files; ``docs/tables.md`` describes the columns.

Bar-Yossef & Rajagopalan 2002, section 3.2: PAGES, PAGELETS, LINKS. Keys and shingles are signed 64-bit
integers, a type that all engines have.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError
from detemplate.files.arrow import pa, pq
from detemplate.files.atomic import AtomicDirectory, Closing, writing
from detemplate.files.jsonvalues import without_surrogates
from detemplate.page.links import anchors, link_rows, page_links
from detemplate.page.pagelets import LINKS as LEAST_LINKS
from detemplate.page.pagelets import (
    SKETCH,
    WIDTH,
    page_shingle,
    page_words,
    pagelet_of,
    pagelet_shingles,
    pagelets,
)
from detemplate.page.urls import canonical_url, signed_key
from detemplate.page.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from detemplate.page.page import Page


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


PAGES: Final = pa.schema(
    [
        _required("page_key", pa.int64()),
        _required("url", pa.string()),
        _required("site", pa.string()),
        _required("title", pa.string()),
        _required("page_shingle", pa.int64()),
        _required("text", pa.string()),
        _required("pagelets", pa.int32()),
        _required("links", pa.int32()),
    ]
)
"""One row per page."""

PAGELETS: Final = pa.schema(
    [
        _required("page_key", pa.int64()),
        _required("pagelet_serial", pa.int32()),
        pa.field("pagelet_shingle", pa.int64()),
        _required("links", pa.int32()),
        _required("start", pa.int32()),
        _required("stop", pa.int32()),
        _required("text", pa.string()),
    ]
)
"""One row per pagelet; an empty pagelet has no shingle (NULL)."""

LINKS: Final = pa.schema(
    [
        _required("src_page_key", pa.int64()),
        _required("src_pagelet_serial", pa.int32()),
        _required("link_serial", pa.int32()),
        _required("dest_page_key", pa.int64()),
        _required("dest_url", pa.string()),
        _required("anchor", pa.string()),
        _required("context", pa.string()),
    ]
)
"""One row per link to a page, in the crawl or not."""

TABLES: Final[dict[str, pa.Schema]] = {"pages": PAGES, "pagelets": PAGELETS, "links": LINKS}
"""Schemas by table name."""

INFO: Final = "crawl_info"
"""Name of the table with the settings of the build."""

INFO_SCHEMA: Final = pa.schema([_required("key", pa.string()), _required("value", pa.string())])
"""One row per setting: ``k``, ``width`` and ``sketch``."""


BATCH_PAGES: Final = 2000
"""Pages from which a batch is full."""

BATCH_CHARS: Final = 32 << 20
"""Characters of text from which a batch is full."""


class Tables(NamedTuple):
    """The rows of the same pages in the three tables, as Arrow batches.

    ``pages``: one row a page; schema :data:`~detemplate.links.tables.PAGES`.
    ``pagelets``: one row a pagelet of these pages; schema :data:`~detemplate.links.tables.PAGELETS`.
    ``links``: one row a link from these pages; schema :data:`~detemplate.links.tables.LINKS`.
    """

    pages: pa.RecordBatch
    pagelets: pa.RecordBatch
    links: pa.RecordBatch


def extract(
    pages: Iterable[Page], *, k: int = LEAST_LINKS, width: int = WIDTH, sketch: int = SKETCH
) -> Iterator[Tables]:
    """Yield the rows of pages, in batches of bounded size.

    ``pages``: the pages; their keys must differ.
    ``k``: number of links from which an element is opened: its parent is no pagelet then
        (:func:`~detemplate.page.pagelets.pagelets`).
    ``width``, ``sketch``: words per gram, and minima per shingle
        (:func:`~detemplate.page.pagelets.pagelet_shingles`).
    Yields: rows of at most :data:`BATCH_PAGES` pages, fewer if they are long. A page is in one batch only.
    """
    batch = _Batch()
    for page in pages:
        batch.add(page, k, width, sketch)
        if batch.full:
            yield batch.tables()
            batch = _Batch()
    if len(batch):
        yield batch.tables()


class _Batch:
    """Rows of pages: lists of values by table and column; for columns of numbers, one array per page."""

    def __init__(self) -> None:
        self._columns: dict[str, dict[str, list[Any]]] = {
            name: {column: [] for column in schema.names} for name, schema in TABLES.items()
        }
        self._chars = 0

    def __len__(self) -> int:
        return len(self._columns["pages"]["url"])

    @property
    def full(self) -> bool:
        return len(self) >= BATCH_PAGES or self._chars >= BATCH_CHARS

    def add(self, page: Page, k: int, width: int, sketch: int) -> None:
        """Add the rows of one page."""
        columns, links, words, text = page.columns, page_links(page), page_words(page), visible_text(page)
        every_link = link_rows(page)
        rows = pagelets(page, k, every_link)
        shingles, has_shingle = pagelet_shingles(
            page, rows, width=width, sketch=sketch, words=words, links=links
        )
        url = canonical_url(page.url) or without_surrogates(page.url)
        key = signed_key(url)
        self._put("pages", {
            "page_key": [key], "url": [url], "site": [without_surrogates(page.site)], "title": [page.title],
            "page_shingle": [page_shingle(page, width=width, words=words)], "text": [text.text],
            "pagelets": [len(rows)], "links": [len(links)],
        })  # fmt: skip
        inside = np.searchsorted(links.rows, columns.end[rows]) - np.searchsorted(links.rows, rows)
        spans = text.spans(page, rows).tolist()
        self._put("pagelets", {
            "page_key": np.full(len(rows), key, np.int64),
            "pagelet_serial": np.arange(len(rows), dtype=np.int32),
            "pagelet_shingle": pa.array(shingles, pa.int64(), mask=~has_shingle),
            "links": inside.astype(np.int32),
            "start": columns.start[rows], "stop": columns.stop[rows],
            "text": [text.text[start:stop] for start, stop in spans],
        })  # fmt: skip
        serial = pagelet_of(page, rows, links.rows)
        around = np.append(rows, np.int32(-1))[serial]
        anchor_texts, contexts = anchors(page, links.rows, text, around)
        self._put("links", {
            "src_page_key": np.full(len(links), key, np.int64), "src_pagelet_serial": serial,
            "link_serial": np.arange(len(links), dtype=np.int32), "dest_page_key": links.keys,
            "dest_url": links.urls, "anchor": anchor_texts, "context": contexts,
        })  # fmt: skip
        # The texts of the pagelets are the page's once more; anchors are mostly short.
        self._chars += 2 * len(text.text) + sum(map(len, contexts)) + sum(map(len, links.urls))

    def _put(self, table: str, values: dict[str, Any]) -> None:
        columns = self._columns[table]
        for name, value in values.items():
            if isinstance(value, list):
                columns[name] += value
            else:
                columns[name].append(value)

    def tables(self) -> Tables:
        """Return the rows as record batches."""
        return Tables(*(
            pa.RecordBatch.from_arrays(
                [_array(self._columns[name][field.name], field.type) for field in schema], schema=schema
            )
            for name, schema in (("pages", PAGES), ("pagelets", PAGELETS), ("links", LINKS))
        ))  # fmt: skip


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Make a column of values, or of one array per page."""
    if values and isinstance(values[0], pa.Array):
        return pa.concat_arrays(values)
    if values and isinstance(values[0], np.ndarray):
        return pa.array(np.concatenate(values), kind)
    return pa.array(values, kind)


class TableWriter(Closing):
    """Writes tables batch by batch: ``pages/part-0.parquet`` and so on, zstd-compressed.

    As a context manager, it gives the output its name at the end, or removes it after an exception.

    ``output``: a directory, which exists or whose name ends in ``/``.
    ``overwrite``: replace a directory that is not empty.
    Raises UserError: for all methods: the name is none of a directory, or the output cannot be written.
    """

    def __init__(self, output: str, *, overwrite: bool = False) -> None:
        if not (output.endswith("/") or os.path.isdir(output)):  # noqa: PTH112  # a name of any length
            name = output.removesuffix(".duckdb")
            raise UserError(f"tables are a directory of Parquet files: end its name in /, as in {name}/")
        self._directory = AtomicDirectory(output, overwrite=overwrite)
        self._writers: dict[str, Any] = {}
        try:
            with writing(output):
                for name, schema in TABLES.items():
                    self._writers[name] = pq.ParquetWriter(self._path(name), schema, compression="zstd")
        except BaseException:
            self.abort()
            raise

    def _path(self, name: str) -> Path:
        """Return a table's only file, in a directory that is made."""
        folder = self._directory.path / name
        folder.mkdir(exist_ok=True)
        return folder / "part-0.parquet"

    def describe(self, settings: Mapping[str, int]) -> None:
        """Write the settings of the build into the table ``crawl_info``."""
        rows = {"key": list(settings), "value": [str(value) for value in settings.values()]}
        with writing(self._directory.output):
            pq.write_table(pa.table(rows, INFO_SCHEMA), self._path(INFO))

    def write(self, tables: Tables) -> None:
        """Write one batch, a row group per table."""
        with writing(self._directory.output):
            for name, batch in tables._asdict().items():
                self._writers[name].write_batch(batch)

    def known_links(self) -> int:
        """Return the number of links to pages in the tables; call it after the last batch."""
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        self._finish()
        pages = pq.read_table(self._path("pages"), columns=["page_key"])["page_key"].combine_chunks()
        count = 0
        with pq.ParquetFile(self._path("links")) as links:
            for batch in links.iter_batches(1 << 20, columns=["dest_page_key"]):
                count += pc.sum(pc.is_in(batch.column(0), value_set=pages)).as_py() or 0
        return count

    def _finish(self) -> None:
        with writing(self._directory.output):
            for writer in self._writers.values():
                writer.close()

    def close(self) -> None:
        """Finish the files and give the directory its name."""
        self._finish()
        self._directory.close()

    def abort(self) -> None:
        """Remove what was written."""
        for writer in self._writers.values():
            with suppress(Exception):  # the disk that failed before fails again
                writer.close()
        self._directory.abort()
