"""The table engine on DuckDB."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from detemplate.errors import UserError
from detemplate.links.engine import DuckEngine, source_crawl


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "work").mkdir()
    with DuckEngine(memory="500MB", threads=1, directory=tmp_path / "work") as made:
        yield made


def parquet(directory, *parts):
    directory.mkdir(parents=True)
    for number, part in enumerate(parts):
        pq.write_table(pa.table({"n": pa.array(part, pa.int64())}), directory / f"{number}.parquet")
    return directory


def values(engine, name):
    return sorted(n for (n,) in engine.rows(f"SELECT n FROM {name}"))


def test_sources_that_are_none(engine, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "0.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    for path, told in (
        ("nowhere", "no Parquet files in .*nowhere"),
        ("empty", "no Parquet files"),
        ("broken", "cannot read table given"),
    ):
        with pytest.raises(UserError, match=told) as caught:
            engine.source("given", tmp_path / path)
        assert "\n" not in str(caught.value)


def test_too_little_memory_is_told(tmp_path):
    little = DuckEngine(memory="4MB", threads=1, directory=tmp_path)
    with little as engine, pytest.raises(UserError, match="--memory"):
        engine.sql("many", "SELECT range AS a FROM range(3000000) ORDER BY hash(range)")


def test_crawls_are_checked(engine, tmp_path):
    needed = {"numbers": {"n": "bigint"}}
    parquet(tmp_path / "numbers", [1])
    source_crawl(engine, tmp_path, needed)
    assert values(engine, "numbers") == [1]
    for columns, told in (
        ({"n": "bigint", "m": "bigint"}, "has no column m"),
        ({"n": "string"}, "is bigint, not text"),
    ):
        with pytest.raises(UserError, match=told):
            source_crawl(engine, tmp_path, {"numbers": columns})
    with pytest.raises(
        UserError, match=r"no Parquet files in .*words: make them with 'detemplate graph tables'"
    ):
        source_crawl(engine, tmp_path, {"words": {}})
    with pytest.raises(UserError, match=r"there is no .*nowhere"):
        source_crawl(engine, tmp_path / "nowhere", needed)
    (tmp_path / "crawl.duckdb").write_text("text")
    with pytest.raises(UserError, match=r"crawl.duckdb is no directory of Parquet tables"):
        source_crawl(engine, tmp_path / "crawl.duckdb", needed)
