"""Cleaning on a real Spark, in local mode: the rows of one machine, whatever the input and the method."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from benchmarks.support.sparkruns import compared, single_rows, spark_rows
from detemplate.errors import UserError
from detemplate.spark.inputs import input_files
from detemplate.spark.job import SparkJob
from detemplate.spark.run import SparkRun
from tests.support.spark_inputs import spark_pages, write_lines, write_parquet, write_warc

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CHUNK = 400
FORGETFUL = {"lifetime": 30, "growth": 3}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The same pages in three kinds of file each, two or three files a kind."""
    folder = tmp_path_factory.mktemp("inputs")
    pages = spark_pages()
    first, second, third = pages[:150], pages[150:300], pages[300:]
    return {
        "mixed": [
            write_lines(folder / "a.jsonl", first, broken=True),
            write_warc(folder / "b.warc.gz", second),
            write_lines(folder / "c.jsonl", third),
        ],
        "parquet": [
            write_parquet(folder / "a.parquet", pages[:240]),
            write_parquet(folder / "b.parquet", pages[240:]),
        ],
        "lines": [write_lines(folder / "d.jsonl", pages)],
    }


@pytest.mark.parametrize(
    ("kind", "job"),
    [
        ("mixed", SparkJob("auto", FORGETFUL, chunk=CHUNK, buckets=3)),
        (
            "parquet",
            SparkJob(
                "segments",
                {**FORGETFUL, "min_df": 3},
                explain=True,
                chunk=CHUNK,
                metadata=False,
                split_size=9_000,
            ),
        ),
        (
            "mixed",
            SparkJob(
                "pagelets",
                chunk=CHUNK,
                site_by="domain",
                formats=("markdown", "html"),
                files_a_part=3,
                versions="last",
                split_size=20_000,
            ),
        ),
        ("lines", SparkJob("sitelevel", {"theta": 0.05}, chunk=CHUNK, threshold=0.3)),
    ],
    ids=lambda given: given if isinstance(given, str) else given.method,
)
def test_the_rows_are_those_of_one_machine(
    kind: str, job: SparkJob, spark: SparkSession, inputs: dict[str, list[str]], tmp_path: Path
) -> None:
    done = compared(spark, inputs[kind], job, tmp_path)
    assert len(done.spark) == len(done.single) > 400
    for row, own in zip(done.spark, done.single, strict=True):
        assert row == own
    assert any(row["template_segments"] for row in done.single)
    assert done.summary.skipped["duplicate url"] == 2
    assert (done.single[-1]["url"] == spark_pages()[-1][0]) == (job.versions == "last")
    assert done.summary.pages == len(done.single)
    assert done.summary.sites == 2
    if kind == "mixed":
        assert done.summary.skipped == Counter(
            {"bad record": 6, "duplicate url": 2, "not html": 1, "not a page": 1}
        )
        lost = ds.dataset(tmp_path / "out" / "_rejects").to_table().to_pylist()
        assert sorted(row["position"] for row in lost) == [7, 8, 59, 60, 111, 112]
        assert {row["reason"] for row in lost} == {"bad record"}


def test_a_forgetful_method_forgets(inputs: dict[str, list[str]]) -> None:
    """The comparison above would say nothing, if lifetimes changed nothing."""
    for kind, method, more in (("mixed", "auto", {}), ("parquet", "segments", {"min_df": 3})):
        texts = [
            [row["text"] for row in single_rows(inputs[kind], SparkJob(method, options))]
            for options in (more, {**more, **FORGETFUL})
        ]
        assert texts[0] != texts[1], method


def test_a_run_goes_on(spark: SparkSession, inputs: dict[str, list[str]], tmp_path: Path) -> None:
    """What was killed in the second pass begins there; pages that take too much are lost, and no others."""
    poison = "<div>" + "<p>a<b>b</b><i>c</i></p>" * 400_000
    pages = [(f"http://a.example/{n}", f"<nav>Home</nav><p>Page {n}.") for n in range(6)]
    pages.insert(2, ("http://a.example/poison", poison))
    files = [write_lines(tmp_path / f"{n}.jsonl", pages[4 * n : 4 * n + 4]) for n in range(2)]
    job = SparkJob("segments", {"min_df": 2}, max_page_memory=64 << 20, files_a_part=1)
    out = tmp_path / "out"
    seen: list[str] = []

    class KilledError(Exception):
        pass

    def kill(phase: str) -> None:
        seen.append(phase)
        if phase.startswith("cleaning") and "part 2" in phase:
            raise KilledError

    run = SparkRun(spark, files, str(out), job)
    run.tell = kill
    with pytest.raises(KilledError):
        run.go()
    assert len(seen) == 7
    with pytest.raises(UserError, match="is not of an unfinished run of this command"):
        SparkRun(spark, files, str(out), SparkJob("segments", {"min_df": 3}))
    again = SparkRun(spark, files, str(out), job)
    later: list[str] = []
    again.tell = later.append
    summary = again.go()
    assert [phase.partition(" ")[0] for phase in later] == ["cleaning", "rejects"]
    rows = spark_rows(out)
    assert [row["url"].rpartition("/")[2] for row in rows] == list("012345")
    assert {row["text"] for row in rows} == {f"Page {n}." for n in range(6)}
    assert (summary.pages, summary.rejected) == (6, 1)
    [lost] = ds.dataset(out / "_rejects").to_table().to_pylist()
    assert (lost["url"], lost["reason"]) == ("http://a.example/poison", "too much memory")
    assert not (out / "_work").exists()
    with pytest.raises(UserError, match="--overwrite"):
        SparkRun(spark, files, str(out), job)


@pytest.mark.parametrize(
    ("method", "options", "told"),
    [
        ("sandwich", {}, "method sandwich does not run on Spark"),
        ("nothing", {}, "unknown method"),
        ("auto", {"max_keys": 5}, "option max_keys bounds the memory of one machine"),
        ("pagelets", {"algorithm": "global"}, "follows links"),
        ("segments", {"min_df": 0}, "out of range"),
    ],
)
def test_what_would_not_be_the_same_is_refused(method: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        SparkJob(method, options)


def test_inputs_are_those_of_one_machine(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/2.warc.gz", "a/1.parquet", "_hidden/x.jsonl", "a/.h.jsonl", "note.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    found = [file.removeprefix(f"{tmp_path}/") for file in input_files([str(tmp_path)], None)]
    assert found == ["a/1.parquet", "a/2.warc.gz", "b.jsonl"]
    assert input_files([str(tmp_path / "*.jsonl"), str(tmp_path / "b.jsonl")], None) == [
        str(tmp_path / "b.jsonl")
    ]
    assert input_files([f"file://{tmp_path}/b.jsonl"], None) == [f"{tmp_path}/b.jsonl"]
    for given, told in (
        ("note.txt", "is not read on Spark"),
        ("none.jsonl", "does not exist"),
        ("_hidden/*.csv", "nothing"),
    ):
        with pytest.raises(UserError, match=told):
            input_files([str(tmp_path / given)], None)
    with pytest.raises(UserError, match="input format 'zip'"):
        input_files(["a"], "zip")


def test_files_of_another_machine(tmp_path: Path) -> None:
    """fsspec's file system in memory stands for a bucket."""
    import fsspec

    from detemplate.io.record import Record
    from detemplate.spark.asking import items_of
    from detemplate.spark.pieces import Piece
    from detemplate.spark.reads import Reads

    pages = spark_pages()[:5]
    bucket = fsspec.filesystem("memory")
    for write, name in ((write_lines, "a.jsonl"), (write_parquet, "b.parquet"), (write_warc, "c.warc.gz")):
        bucket.pipe(f"/crawl/{name}", (write(tmp_path / name, pages), (tmp_path / name).read_bytes())[1])
    files = input_files(["memory://crawl/"], None)
    assert [file.rpartition("/")[2] for file in files] == ["a.jsonl", "b.parquet", "c.warc.gz"]
    assert input_files(["memory://crawl/*.parquet"], None) == files[1:2]
    for file in files:
        found = [item for _, item, _ in items_of(Piece(file), Reads()) if isinstance(item, Record)]
        texts = [
            (item.url, item.html if isinstance(item.html, str) else item.html.decode()) for item in found
        ]
        assert texts == pages
        assert all(item.source and item.source.path == file for item in found)
    with pytest.raises(UserError, match="nothing is at memory://crawl/none"):
        input_files(["memory://crawl/none"], None)
    [(_, skip, _)] = items_of(Piece("memory://crawl/gone.jsonl"), Reads())
    assert json.dumps(skip.reason) == '"unreadable"'
