"""Cleaning on Spark, for crawls that no machine holds."""

from __future__ import annotations

import tempfile
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Literal

from detemplate.detectors.registry import DEFAULT_METHOD
from detemplate.errors import MissingExtra, UserError
from detemplate.files.arrow import pa
from detemplate.files.remote import Storage, folder_url
from detemplate.frames.tablerecords import Columns, renamed
from detemplate.io.sinks.out import FORMATS
from detemplate.output.options import Rendering
from detemplate.run.job import Cleaning

try:
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
except ImportError as error:
    raise MissingExtra("running on Spark", "spark") from error

from detemplate.spark.job import SparkJob
from detemplate.spark.run import SparkRun
from detemplate.spark.tasks import added_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["clean"]

# Options that are not the method's: of the job, and of how pages are written.
_OWN: Final = {each.name for each in fields(Cleaning)} - {"method", "options", "rendering"}
_RENDERING: Final = ("links", "images", "tables", "keep_scripts", "sanitize")
_ROWS_A_FILE: Final = 20_000  # most rows of a file, each of which is a task


def clean(
    pages: DataFrame,
    method: str = DEFAULT_METHOD,
    *,
    url: str | None = None,
    html: str | None = None,
    format: Literal["text", "html", "markdown"] = "text",  # noqa: A002  # the word of the command line
    work: str | None = None,
    **options: Any,
) -> DataFrame:
    """Clean the pages of a DataFrame: all are learned before the first is cleaned.

    The rows are written to ``work`` and read from there: nothing of ``pages`` is computed a second time.

    Parameters
    ----------
    pages
        A row a page, with any columns. A column ``site`` names the pages' sites.
    method, format
        Name of a method; the column that the DataFrame gets.
    url, html
        Columns that hold URLs and markup (text or bytes); by default those with the usual names. Pages
        without a URL are of one site.
    work
        A new folder that all machines reach. By default, where Spark runs on one machine, a temporary one.
    **options
        ``site_by``, ``threshold``, ``keep``, ``drop``, ``links``, ``images``, ``tables``, ``keep_scripts``,
        ``sanitize``, ``max_page_bytes``, ``max_page_seconds`` and ``max_page_memory``, as on the command line; or
        options of the method.

    Returns
    -------
    DataFrame
        All rows and columns of ``pages``, and the columns ``text`` (or ``html``, ``markdown``), ``title``,
        ``template_share``, ``method`` and ``error``, which says why a page cannot be cleaned; the others are
        null then. A given column with one of these names is renamed to ``source_…``.

    Raises
    ------
    UserError
        For an unknown method, option, format or column, or a folder that exists or is missing.
    """
    if format not in FORMATS:
        raise UserError(f"unknown format {format!r} (choose from {', '.join(FORMATS)})")
    Columns(pages.columns, url, html)
    own: dict[str, Any] = {name: options.pop(name) for name in _OWN if name in options}
    how: dict[str, Any] = {name: options.pop(name) for name in _RENDERING if name in options}
    own["rendering"] = Rendering(**how, format=format, metadata=False)
    own |= {"versions": "keep", "table": (url, html), "max_bad": 1.0}
    job = SparkJob(method, options, **own)
    spark = pages.sparkSession
    if work is None:
        if not (spark.sparkContext.master or "").startswith("local"):
            raise UserError("name a new folder that all machines reach: clean(pages, work='hdfs://…')")
        work = tempfile.mkdtemp(prefix="detemplate-spark-") + "/cleaned"
    inputs = Storage(spark, folder_url(work) + "-input")
    if inputs.exists() or Storage(spark, folder_url(work)).exists():
        raise UserError(f"{work} (or {work}-input) exists; name a new folder")
    pages.write.option("maxRecordsPerFile", _ROWS_A_FILE).parquet(inputs.url)
    files = sorted(spark.read.parquet(inputs.url).inputFiles())
    run = _TableRun(spark, files, work, job)
    run.go()
    result = spark.read.schema(from_arrow_schema(run.columns())).parquet(folder_url(work)).drop("part")
    inputs.remove()
    return result


class _TableRun(SparkRun):
    """A run over the files of a table."""

    def columns(self) -> pa.Schema:
        """Return the given columns, and the added ones."""
        added = dict.fromkeys(added_columns(self._job), pa.string()) | {"template_share": pa.float64()}
        read = self._spark.read.parquet(*(piece.name for piece in self._pieces))
        given = to_arrow_schema(read.schema, timezone="UTC")
        names = renamed(given.names, added)
        fields = [(names.get(field.name, field.name), field.type) for field in given]
        return pa.schema([*fields, *added.items()])
