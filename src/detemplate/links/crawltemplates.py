"""Finding the templates in the tables of a crawl: local or global, out of core on DuckDB, or on Spark."""

from __future__ import annotations

import csv
import io
import json
from contextlib import ExitStack
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.detectors.templatefile import KnownTemplate, TemplateFile, write_template_file
from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, writing
from detemplate.links.detect import ALGORITHMS, NEEDED
from detemplate.links.engine import DuckEngine, TableEngine, has_table, numbers, source_crawl
from detemplate.links.sparkengine import SparkEngine
from detemplate.page.pagelets import LINKS, SKETCH, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from pyspark.sql import SparkSession

    from detemplate.links.detect import TemplateCounts

REPORTED: Final = {
    "pages": {"url": "string"},
    "pagelets": {"text": "string"},
}
"""Columns that a report reads in addition to those of the algorithms."""

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


class Row(NamedTuple):
    """One template.

    ``template_id``, ``pagelet_shingle``, ``pages``, ``pagelets``, ``hosts``: as in the table ``templates``
        (:mod:`detemplate.links.detect`).
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


_WRITERS: Final = {".json": _json, ".jsonl": _jsonl, ".csv": _csv, ".parquet": _parquet}


def _writer(output: str) -> Callable[[BinaryIO, Iterator[Row]], None]:
    """Return the function that writes a file of templates; raises UserError unless its name tells which."""
    writer = _WRITERS.get(Path(output).suffix.lower())
    if writer is None:
        raise UserError(f"cannot write {output}: its name has to end in {', '.join(_WRITERS)}")
    return writer


_CHUNK_PAGES: Final = 100_000  # pages of templates from which a chunk is full

_TEMPLATE_PAGES: Final = """
SELECT DISTINCT template_id, page_key FROM template_pagelets"""

_OUTSIDE: Final = """
SELECT l.src_page_key AS src_page_key, l.dest_page_key AS dest_page_key
FROM links l LEFT JOIN pages p ON l.dest_page_key = p.page_key
WHERE p.page_key IS NULL GROUP BY l.src_page_key, l.dest_page_key"""
"""Query: the links that lead out of the crawl."""

_LINKED: Final = """
SELECT DISTINCT m.template_id AS template_id, o.dest_page_key AS page_key
FROM template_members m JOIN template_outside o ON m.page_key = o.src_page_key"""
"""Query: the pages outside of the crawl that the pages of each template link to."""


SHOWN: Final = 20
"""Templates that are given where no file takes them all."""


class CrawlTemplates(NamedTuple):
    """The templates of a crawl.

    ``found``: their number, and the pagelets and pages that hold them.
    ``rows``: the templates on most pages, for showing; empty where a file has them.
    """

    found: TemplateCounts
    rows: list[Row]


def find_templates(
    crawl: Path | str,
    *,
    algorithm: str = "global",
    min_pages: int = 2,
    top: int | None = None,
    save: bool = False,
    memory: str = "4GB",
    threads: int | None = None,
    temp: str | None = None,
    spark: SparkSession | None = None,
    output: str | None = None,
    states: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> CrawlTemplates:
    """Find the templates of a crawl's tables, and write them.

    ``crawl``: a directory of Parquet directories, as ``detemplate graph tables`` makes it.
    ``spark``: the session of Spark on which the queries run; None: they run on DuckDB.
    ``output``: ``.json``, ``.jsonl``, ``.csv`` or ``.parquet`` file for one row a template.
    ``states``: file for the templates' shingles and pages, for method ``pagelets``.
    ``tell``: is told each step as it begins.
    Raises UserError: the crawl lacks a table, or an output cannot be written.
    Raises MissingExtra: DuckDB is not installed.
    """
    if algorithm not in ALGORITHMS:
        raise UserError(f"unknown algorithm {algorithm!r}: choose {' or '.join(ALGORITHMS)}")
    needed = {name: {**columns, **REPORTED.get(name, {})} for name, columns in NEEDED.items()}
    with ExitStack() as stack:
        # Outputs that cannot be written are refused before the work, not after it.
        write = None if output is None else _writer(output)
        listing = None if output is None else stack.enter_context(AtomicFile(output))
        shingles = None if states is None else stack.enter_context(AtomicFile(states))
        engine: TableEngine = (
            DuckEngine(memory=memory, threads=threads, directory=temp)
            if spark is None
            else SparkEngine(spark, directory=temp)
        )
        stack.enter_context(engine)
        source_crawl(engine, crawl, needed)
        found = ALGORITHMS[algorithm](engine, min_pages=min_pages, on_step=tell)
        tell("report")
        if listing is not None and write is not None:
            with writing(listing.output):
                write(listing.file, template_rows(engine, top=top))
        if shingles is not None:
            _write_shingles(engine, crawl, shingles, algorithm)
        rows = list(template_rows(engine, top=top or SHOWN)) if output is None else []
        if save:
            tell("saving")
            engine.store(crawl, ["templates", "template_pagelets"])
    return CrawlTemplates(found, rows)


def _write_shingles(engine: TableEngine, crawl: Path | str, file: AtomicFile, algorithm: str) -> None:
    """Write the templates for cleaning, with the settings that the crawl's tables were made with."""
    settings = {"k": LINKS, "width": WIDTH, "sketch": SKETCH}
    if has_table(engine, crawl, "crawl_info"):
        info = dict(engine.rows("SELECT key, value FROM crawl_info"))
        for name in settings.keys() & info.keys():
            if not info[name].isdecimal():
                raise UserError(
                    f"table crawl_info of {crawl} is broken: {name} is {info[name]!r}, not a number"
                )
            settings[name] = int(info[name])
    with writing(file.output):
        write_template_file(
            file.file,
            TemplateFile(algorithm, settings["k"], settings["width"], settings["sketch"]),
            _template_members(engine, connected=algorithm == "global"),
        )


def _template_members(engine: TableEngine, *, connected: bool) -> Iterator[KnownTemplate]:
    """Yield the templates that an algorithm found, with their pages, those on most pages first.

    ``engine``: holds ``templates``, ``template_pagelets``, ``pages`` and ``links``.
    ``connected``: whether the pages are wanted; without, both lists are empty.
    """
    if connected:
        engine.sql("template_members", _TEMPLATE_PAGES)
        engine.sql("template_outside", _OUTSIDE)
        engine.sql("template_linked", _LINKED)
    chunk: dict[int, int] = {}
    held = 0
    for template, shingle, pages in engine.rows(
        "SELECT template_id, pagelet_shingle, pages FROM templates ORDER BY template_id"
    ):
        chunk[template] = shingle
        held += pages if connected else 1
        if held >= _CHUNK_PAGES:
            yield from _members(engine, chunk, connected=connected)
            chunk, held = {}, 0
    yield from _members(engine, chunk, connected=connected)


def _members(engine: TableEngine, shingles: dict[int, int], *, connected: bool) -> Iterator[KnownTemplate]:
    """Yield the templates of successive numbers."""
    pages, linked = (
        _keys(engine, table, shingles) if connected and shingles else {}
        for table in ("template_members", "template_linked")
    )
    for template, shingle in shingles.items():
        yield KnownTemplate(shingle, pages.get(template, []), linked.get(template, []))


def _keys(engine: TableEngine, table: str, templates: dict[int, int]) -> dict[int, list[int]]:
    """Return the page keys of a table by template."""
    rows = engine.rows(
        f"SELECT template_id, page_key FROM {table} WHERE template_id BETWEEN {min(templates)} "
        f"AND {max(templates)} ORDER BY template_id, page_key"
    )
    return {template: [key for _, key in group] for template, group in groupby(rows, itemgetter(0))}
