"""Rows that describe templates (their sizes, example URLs and text), and files of such rows."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, writing
from detemplate.relations.engine import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from detemplate.relations.engine import TableEngine

REPORTED: Final = {
    "pages": {"url": "string"},
    "pagelets": {"text": "string"},
}
"""Columns that a report reads in addition to those of the algorithms."""

_FORMATS: Final = (".json", ".jsonl", ".csv", ".parquet")
_CHUNK: Final = 1_000  # templates per query

_EXAMPLES: Final = """
SELECT template_id, max(CASE WHEN place = 1 THEN url END) AS url_1,
    max(CASE WHEN place = 2 THEN url END) AS url_2, max(CASE WHEN place = 3 THEN url END) AS url_3
FROM (
    SELECT template_id, url, row_number() OVER (PARTITION BY template_id ORDER BY nth, url) AS place
    FROM (
        SELECT template_id, url,
            row_number() OVER (PARTITION BY template_id, site ORDER BY url) AS nth
        FROM (
            SELECT DISTINCT t.template_id AS template_id, p.url AS url, p.site AS site
            FROM template_pagelets t JOIN pages p ON t.page_key = p.page_key
            WHERE t.template_id <= {top}
        ) members
    ) by_host WHERE nth <= 3
) placed WHERE place <= 3 GROUP BY template_id"""
"""Query: up to three URLs a template, the first page of each host first, so that the hosts differ."""

_TEXTS: Final = """
SELECT f.template_id AS template_id, p.text AS text
FROM (
    SELECT t.template_id AS template_id, t.page_key AS page_key, min(t.pagelet_serial) AS pagelet_serial
    FROM template_pagelets t JOIN (
        SELECT template_id, min(page_key) AS page_key FROM template_pagelets
        WHERE template_id <= {top} GROUP BY template_id
    ) l ON t.template_id = l.template_id AND t.page_key = l.page_key
    GROUP BY t.template_id, t.page_key
) f JOIN pagelets p ON f.page_key = p.page_key AND f.pagelet_serial = p.pagelet_serial"""
"""Query: the text of each template's first pagelet on the page with the least key."""

_REPORT: Final = """
SELECT t.template_id AS template_id, t.pagelet_shingle AS pagelet_shingle, t.pages AS pages,
    t.pagelets AS pagelets, t.hosts AS hosts, e.url_1 AS url_1, e.url_2 AS url_2, e.url_3 AS url_3,
    x.text AS text
FROM templates t JOIN template_examples e ON t.template_id = e.template_id
JOIN template_texts x ON t.template_id = x.template_id"""
"""Query: the templates with their counts, example URLs and text."""


class Row(NamedTuple):
    """One template.

    ``template_id``, ``pagelet_shingle``, ``pages``, ``pagelets``, ``hosts``: as in the table ``templates``
        (:mod:`detemplate.relations.detect`).
    ``examples``: up to three URLs of its pages, of different hosts if it has several.
    ``text``: text of one of its pagelets.
    """

    template_id: int
    pagelet_shingle: int
    pages: int
    pagelets: int
    hosts: int
    examples: list[str]
    text: str


def template_rows(engine: TableEngine, *, top: int | None = None) -> Iterator[Row]:
    """Yield the templates that an algorithm found, those on most pages first.

    ``engine``: holds ``templates``, ``template_pagelets``, ``pages`` and ``pagelets``.
    ``top``: maximum number of templates; None for all. Memory does not depend on it.
    """
    [count] = numbers(engine.rows("SELECT max(template_id) FROM templates"))
    count = count if top is None else min(count, top)
    engine.sql("template_examples", _EXAMPLES.format(top=count))
    engine.sql("template_texts", _TEXTS.format(top=count))
    engine.sql("template_report", _REPORT)
    for first in range(1, count + 1, _CHUNK):
        last = min(first + _CHUNK - 1, count)
        for template, shingle, pages, pagelets, hosts, url_1, url_2, url_3, text in engine.rows(
            "SELECT template_id, pagelet_shingle, pages, pagelets, hosts, url_1, url_2, url_3, text "
            f"FROM template_report WHERE template_id BETWEEN {first} AND {last} ORDER BY template_id"
        ):
            examples = [url for url in (url_1, url_2, url_3) if url is not None]
            yield Row(template, shingle, pages, pagelets, hosts, examples, text)


class TemplateFileWriter:
    """A file of templates, written whole or not at all.

    ``output``: the file: ``.json`` (one array), ``.jsonl``, ``.csv`` or ``.parquet``.
    Raises UserError: its name has no such suffix, or it cannot be created.
    """

    def __init__(self, output: str) -> None:
        kind = Path(output).suffix.lower()
        if kind not in _FORMATS:
            raise UserError(f"cannot write {output}: its name has to end in {', '.join(_FORMATS)}")
        self._write = {".json": _json, ".jsonl": _jsonl, ".csv": _csv, ".parquet": _parquet}[kind]
        self._atomic = AtomicFile(output)

    def write(self, rows: Iterator[Row]) -> None:
        """Write the rows, and give the file its name."""
        try:
            with writing(self._atomic.output):
                self._write(self._atomic.file, rows)
            self._atomic.commit()
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove what was written."""
        self._atomic.discard()


def _json(file: BinaryIO, rows: Iterator[Row]) -> None:
    start = b"[\n"
    for row in rows:
        file.write(start + _object(row))
        start = b",\n"
    file.write(b"[]\n" if start == b"[\n" else b"\n]\n")


def _jsonl(file: BinaryIO, rows: Iterator[Row]) -> None:
    for row in rows:
        file.write(_object(row) + b"\n")


def _object(row: Row) -> bytes:
    return json.dumps(row._asdict(), ensure_ascii=False).encode()


def _csv(file: BinaryIO, rows: Iterator[Row]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(Row._fields)
    writer.writerows(row._replace(examples=" ".join(row.examples)) for row in rows)  # type: ignore[arg-type]
    text.detach()


def _parquet(file: BinaryIO, rows: Iterator[Row]) -> None:
    from detemplate.files.arrow import pa, pq

    kinds: dict[str, Any] = {"examples": pa.list_(pa.string()), "text": pa.string()}
    schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in Row._fields])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := [row._asdict() for row in islice(rows, 10_000)]:
            writer.write_table(pa.Table.from_pylist(group, schema))
