"""Cleaning on a real Spark, in local mode: the rows of one machine, whatever the input and the method."""

import gzip
import importlib
import shutil
from collections import Counter

import pyarrow.dataset as ds
import pytest

from benchmarks.support.sparkruns import compared, spark_rows
from detemplate.detectors.registry import PLACES
from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.fields import FieldNames
from detemplate.io.sources.pieces import Piece, PieceItems, input_files, pieces_of
from detemplate.output.options import Rendering
from detemplate.spark.job import SparkJob
from detemplate.spark.run import SparkRun
from tests.support.spark_inputs import spark_pages, write_lines, write_parquet, write_warc
from tests.support.warc_fixtures import http, pack, record

FORGETFUL = {"lifetime": 30, "growth": 3}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
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


JOBS = [
    ("mixed", SparkJob("auto", {**FORGETFUL, "max_keys": 800}, buckets=3, versions="last")),
    (
        "parquet",
        SparkJob(
            "segments",
            {**FORGETFUL, "min_df": 3},
            rendering=Rendering(explain=True, metadata=False),
            split_size=9_000,
        ),
    ),
    (
        "mixed",
        SparkJob(
            "pagelets",
            site_by="domain",
            rendering=Rendering(format=("markdown", "html")),
            files_a_part=3,
            versions="last",
            split_size=20_000,
        ),
    ),
    ("lines", SparkJob("sandwich", {"unit": "token"}, threshold=0.3)),
]
"""States of the other methods are merged as these are; the contract shows that they can be."""


@pytest.mark.parametrize(("kind", "job"), JOBS, ids=[job.method for _, job in JOBS])
def test_the_rows_are_those_of_one_machine(kind, job, spark, inputs, tmp_path):
    done = compared(spark, inputs[kind], job, tmp_path)
    assert len(done.spark) == len(done.single) > 400
    for row, own in zip(done.spark, done.single, strict=True):
        assert row == own
    assert any(row["template_segments"] for row in done.single)
    assert done.summary.skipped["duplicate url"] == 2
    assert (done.single[-1]["url"] == spark_pages()[-1][0]) == (job.versions == "last")
    assert done.summary.pages == len(done.single)
    assert done.summary.sites == 2
    if job.rendering.metadata:  # the site's name, which its pages share, is taken off
        assert {row["title"].partition(" ")[0] for row in done.single} >= {"Page"}
        assert not any("Letters" in row["title"] for row in done.single)
    if kind == "mixed":
        assert done.summary.skipped == Counter(
            {"bad record": 6, "duplicate url": 2, "not html": 1, "not a page": 1}
        )
        lost = ds.dataset(tmp_path / "out" / "_rejects").to_table().to_pylist()
        assert sorted(row["position"] for row in lost) == [7, 8, 59, 60, 111, 112]
        assert {row["reason"] for row in lost} == {"bad record"}


def test_pieces_of_large_files_are_the_files(spark, tmp_path):
    """Damaged files, and files that cannot be split, are among them."""
    pages = spark_pages()
    names = ("a.warc.gz", "b.warc", "c.warc.gz", "d.warc.gz")
    for number, name in enumerate(names):
        write_warc(tmp_path / name, pages[number * 60 : number * 60 + 60])
    plain, whole, damaged = (tmp_path / name for name in names[1:])
    plain.write_bytes(gzip.decompress(plain.read_bytes()))
    whole.write_bytes(gzip.compress(gzip.decompress(whole.read_bytes()), 1))  # one member
    data = bytearray(damaged.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 40] = bytes(40)
    damaged.write_bytes(data)
    inputs = [str(tmp_path / name) for name in names]
    inputs += [
        write_parquet(tmp_path / "e.parquet", pages[240:]),
        write_lines(tmp_path / "f.jsonl", pages[:60]),
    ]
    job = SparkJob("segments", versions="keep", split_size=3_000, rendering=Rendering(format="html"))
    assert len(pieces_of(inputs, None, 3_000)) > 3 * len(inputs)
    done = compared(spark, inputs, job, tmp_path)
    rows = zip(done.spark, done.single, strict=True)  # all rows have the columns of the Parquet file
    assert [{name: row[name] for name in own} for row, own in rows] == done.single
    assert len(done.single) > 480
    [lost] = ds.dataset(tmp_path / "out" / "_rejects").to_table().to_pylist()
    assert (lost["reason"], lost["source"]) == ("truncated", str(damaged))


def test_what_looks_like_a_record_on_a_page_is_found_out(spark, tmp_path):
    """A WARC file within a page: its records would come twice, or those around it not at all."""
    inner = pack([record(http(b"<p>inner"), url=f"http://in.example/{n}") for n in range(20)], "")
    outer = [record(http(b"<p>outer\r\n\r\n" + inner), url=f"http://out.example/{n}") for n in range(3)]
    path = tmp_path / "a.warc"
    path.write_bytes(pack(outer, ""))
    run = SparkRun(spark, [str(path)], str(tmp_path / "out"), SparkJob("segments", split_size=1_500))
    with pytest.raises(UserError, match=r"cannot be split near byte .*--split-size 0"):
        run.go()


def test_a_page_that_takes_too_much_costs_itself(spark, tmp_path):
    pages = [(f"http://a.example/{n}", f"<nav>Home</nav><p>Page {n}.") for n in range(20)]
    pages.insert(2, ("http://a.example/memory", "<div>" + "<p>a<b>b</b><i>c</i></p>" * 400_000))
    files = [write_lines(tmp_path / "a.jsonl", pages)]
    done = compared(spark, files, SparkJob("segments", {"min_df": 2}, max_page_memory=64 << 20), tmp_path)
    assert [row["text"] for row in done.spark] == [f"Page {n}." for n in range(20)]
    pages[2] = ("http://a.example/time", "<div>" + "<p>a<b>b</b><i>c</i></p>" * 800_000)
    files = [write_lines(tmp_path / "b.jsonl", pages)]
    run = SparkRun(
        spark, files, str(tmp_path / "slow"), SparkJob("segments", {"min_df": 2}, max_page_seconds=0.4)
    )
    assert run.go().skipped == {"too slow": 1}
    assert [row["text"] for row in spark_rows(tmp_path / "slow")] == [f"Page {n}." for n in range(20)]
    for folder, told in (("out", "too much memory"), ("slow", "too slow")):
        [lost] = ds.dataset(tmp_path / folder / "_rejects").to_table().to_pylist()
        assert lost["reason"] == told


POISONED = """
import os, signal
from detemplate.detectors.registry import PLACES
from detemplate.detectors.segments import Segments
from detemplate.spark.job import SparkJob

class Poisoned(Segments):
    name = "poisoned"

    def ask(self, page):
        fall(page.title, "learn")
        return super().ask(page)

    def judge(self, page, *given):
        fall(page.title, "clean")
        return super().judge(page, *given)

def fall(title, when):
    if title == f"crash {when}":
        os.kill(os.getpid(), signal.SIGSEGV)
    while title == f"loop {when}":
        pass

class Job(SparkJob):
    pass

PLACES["poisoned"] = "poisoned:Poisoned"  # wherever the job is read
"""
"""A method that crashes or goes on for ever at pages whose titles say so, and a job that has it in every task."""


def test_a_poisoned_page_costs_itself(spark, tmp_path, monkeypatch):
    (tmp_path / "poisoned.py").write_text(POISONED)
    spark.sparkContext.addPyFile(str(tmp_path / "poisoned.py"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PLACES, "poisoned", "poisoned:Poisoned")
    titles = {3: "crash learn", 4: "loop learn", 11: "crash clean", 18: "loop clean"}
    pages = [
        (f"http://a.example/{n}", f"<title>{titles.get(n, n)}</title><nav>Home</nav><p>Page {n}.")
        for n in range(20)
    ]
    files = [write_lines(tmp_path / "a.jsonl", pages)]
    job = importlib.import_module("poisoned").Job("poisoned", {"min_df": 2}, max_page_seconds=1)
    summary = SparkRun(spark, files, str(tmp_path / "out"), job).go()
    assert summary.pages == 16
    left = [n for n in range(20) if n not in titles]
    assert [row["text"] for row in spark_rows(tmp_path / "out")] == [f"Page {n}." for n in left]
    lost = ds.dataset(tmp_path / "out" / "_rejects").to_table().to_pylist()
    reasons = {row["url"].rpartition("/")[2]: row["reason"] for row in lost}
    assert reasons == {"3": "crashed", "4": "too slow", "11": "crashed", "18": "too slow"}


def test_a_run_goes_on(spark, tmp_path):
    """What was killed begins where it was; what was done before is not done again."""
    pages = [(f"http://a.example/{n}", f"<nav>Home</nav><p>Page {n}.") for n in range(8)]
    files = [write_lines(tmp_path / f"{n}.jsonl", pages[4 * n : 4 * n + 4]) for n in range(2)]
    job = SparkJob("segments", {"min_df": 2}, files_a_part=1)
    out = tmp_path / "out"

    class KilledError(Exception):
        pass

    def phases(killed):
        """Run until a phase begins; give the phases that were begun."""
        seen = []

        def tell(phase):
            seen.append(phase)
            if phase.startswith(killed):
                raise KilledError

        run = SparkRun(spark, files, str(out), job)
        run.tell = tell
        with pytest.raises(KilledError):
            run.go()
        return seen

    first, second = "1 files (part 1 of 2)", "1 files (part 2 of 2)"
    assert phases(f"learning {second}") == ["duplicates", f"learning {first}", f"learning {second}"]
    for file in files[:1]:  # it is not read before it is cleaned
        shutil.move(file, f"{file}.away")
    assert phases("merging") == [f"learning {second}", "merging"]
    shutil.move(f"{files[0]}.away", files[0])
    assert phases(f"cleaning {second}") == ["merging", f"cleaning {first}", f"cleaning {second}"]
    with pytest.raises(UserError, match="is not of an unfinished run of this command"):
        SparkRun(spark, files, str(out), SparkJob("segments", {"min_df": 3}))
    summary = SparkRun(spark, files, str(out), job).go()
    assert [row["text"] for row in spark_rows(out)] == [f"Page {n}." for n in range(8)]
    assert (summary.pages, summary.sites, summary.template_segments) == (8, 1, 8)
    assert not (out / "_work").exists()
    with pytest.raises(UserError, match="--overwrite"):
        SparkRun(spark, files, str(out), job)


@pytest.mark.parametrize(
    ("method", "options", "told"),
    [("nothing", {}, "unknown method"), ("segments", {"min_df": 0}, "out of range")],
)
def test_what_cannot_be_done_is_refused(method, options, told):
    with pytest.raises(UserError, match=told):
        SparkJob(method, options)
    with pytest.raises(UserError, match="at least 1,024"):
        SparkJob("segments", split_size=7)
    with pytest.raises(UserError, match="--versions 'best' is unknown"):
        SparkJob("segments", versions="best")


def test_inputs_are_those_of_one_machine(tmp_path):
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


def test_files_of_another_machine(tmp_path):
    """fsspec's file system in memory stands for a bucket; no task could read it."""
    import fsspec

    def items_of(piece):
        return PieceItems(piece, None, FieldNames(), 1 << 20)

    def read(files, size=0):
        pieces = pieces_of(files, None, size)
        assert len(pieces) > 4 * len(files) or not size
        items = [(piece, item) for piece in pieces for item in items_of(piece)]
        assert all(item.source and item.source.path == piece.name for piece, item in items)
        return [
            (item.url, item.html if isinstance(item.html, str) else item.html.decode(), item.source.position)
            for _, item in items
            if isinstance(item, Record) and item.source
        ]

    pages = spark_pages()[:300]
    bucket = fsspec.filesystem("memory")
    for write, name in ((write_lines, "a.jsonl"), (write_parquet, "b.parquet"), (write_warc, "c.warc.gz")):
        bucket.pipe(f"/crawl/{name}", (write(tmp_path / name, pages), (tmp_path / name).read_bytes())[1])
    bucket.pipe("/crawl/_SUCCESS", b"")
    files = input_files(["memory://crawl/"], None)
    assert [file.rpartition("/")[2] for file in files] == ["a.jsonl", "b.parquet", "c.warc.gz"]
    assert input_files(["memory://crawl/*.parquet"], None) == files[1:2]
    for file in files:
        found = read([file])
        assert [row[:2] for row in found] == pages
        assert found == read([str(tmp_path / file.rpartition("/")[2])])
    assert read(files[1:], 1_500) == read(files[1:])
    with pytest.raises(UserError, match="nothing is at memory://crawl/none"):
        input_files(["memory://crawl/none"], None)
    gone = "memory://crawl/gone.jsonl"
    assert [item.reason for item in items_of(Piece(gone, gone)) if isinstance(item, Skip)] == ["unreadable"]


def test_too_many_bad_records(spark, tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text('{"url": "http://a.example/", "html": "<p>a"}\n' + "not JSON\n" * 3)
    with pytest.raises(
        UserError, match=r"3 of 4 records are bad, .*all of them: bad record \(line 2: not JSON"
    ):
        SparkRun(spark, [str(source)], str(tmp_path / "out"), SparkJob("segments")).go()
