"""A table engine on Spark: many machines, the same queries."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError
from detemplate.files.remote import Storage, folder_url
from detemplate.links.engine import TableEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


class SparkEngine(TableEngine):
    """A table engine on Spark.

    Each table is written as Parquet before it is read: what a round of an algorithm made is not computed
    again in the next one.

    ``directory``: where the work directory is made: on a cluster, a folder that all machines reach
        (``hdfs://``, ``s3a://``). By default the system's directory for temporary files, which does for one
        machine.
    Raises UserError: Spark cannot write there.
    """

    def __init__(self, spark: SparkSession, *, directory: str | Path | None = None) -> None:
        self._spark = spark
        folder = None if directory is None else str(directory)
        self._work = Storage.temporary(spark, folder, "detemplate-tables-")
        self._versions = count()
        self._tables: dict[str, str] = {}

    def source(self, name: str, path: str | Path) -> None:
        """Open a directory of Parquet files under a name."""
        if not Storage(self._spark, folder_url(str(path))).exists():
            raise UserError(f"there is no {path}: make it with 'detemplate graph tables'")
        with _errors(f"cannot read table {name} in {path}"):
            self._spark.read.parquet(folder_url(str(path))).createOrReplaceTempView(name)

    def sql(self, out: str, query: str) -> None:
        """Run a query and store its result as a table."""
        with _errors(f"cannot make table {out}"):
            self._store(out, self._spark.sql(query))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        with _errors("cannot read tables"):
            return [tuple(row) for row in self._spark.sql(query).collect()]

    def close(self) -> None:
        """Forget the tables and remove the work directory."""
        for name in self._tables:
            self._spark.catalog.dropTempView(name)
        self._work.remove()

    def store(self, crawl: str | Path, names: list[str]) -> None:
        """Write tables into a crawl, one by one."""
        for name in names:
            with _errors(f"cannot write {crawl}"):
                target = f"{folder_url(str(crawl))}/{name}"
                self._spark.table(name).write.mode("overwrite").parquet(target)

    def _store(self, out: str, rows: DataFrame) -> None:
        """Write a table; the old one of this name is removed after the new one was made of it."""
        folder = f"{out}-{next(self._versions)}"
        rows.write.parquet(f"{self._work.url}/{folder}")
        self._spark.read.parquet(f"{self._work.url}/{folder}").createOrReplaceTempView(out)
        old = self._tables.get(out)
        self._tables[out] = folder
        if old is not None:
            self._work.remove(old)


@contextmanager
def _errors(what: str) -> Iterator[None]:
    """Turn Spark's errors about data and storage into errors of one line."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        told = "there is no such table or column" if isinstance(error, AnalysisException) else ""
        cause = error.java_exception if isinstance(error, Py4JJavaError) else error
        first = str(cause).strip().partition("\n")[0]
        raise UserError(f"{what}: {told or first}") from error
