"""Inputs that are made to take time, memory or the run."""

import gzip
import json
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from detemplate.errors import UserError
from detemplate.io.sources.http_body import charset, decode_body
from tests.support.commands import cli, read_rows
from tests.support.io_helpers import read, records, skips


def test_a_charset_of_spaces_takes_no_time():
    start = time.process_time()
    assert charset("text/html; charset" + " " * 80_000) is None
    assert charset("text/html; charset=" + " " * 80_000) is None
    assert charset("text/html; charset='" + " " * 80_000 + ";") is None
    assert time.process_time() - start < 10  # a minute, if each space began anew
    assert charset('text/html; charset = "utf-8"; x') == "utf-8"
    assert charset("text/html; Charset= 'latin1'") == "latin1"


@pytest.mark.parametrize("member", [b"", b"a"])
def test_a_body_of_many_gzip_members(member):
    count = 100_000
    body = gzip.compress(member) * count
    start = time.process_time()
    assert decode_body(body, ["gzip"], 1 << 25) == member * count
    assert time.process_time() - start < 5


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\n"])
def test_blank_lines_are_skipped_fast(tmp_path, blank):
    one, two = (json.dumps({"url": f"http://e.org/{n}", "html": "<p>x"}).encode() for n in (1, 2))
    path = tmp_path / "x.jsonl"
    path.write_bytes(one + b"\n" + blank * 5_000_000 + b"  " + two + b"\n" + blank * 3 + b"[\n" + blank)
    start = time.process_time()
    items = read(path)
    assert time.process_time() - start < 2
    assert [(item.url, item.source.position) for item in records(items)] == [
        ("http://e.org/1", 1),
        ("http://e.org/2", 5_000_002),
    ]
    assert [item.detail.partition(":")[0] for item in skips(items)] == ["line 5000006"]


ODD = {
    "year 146138": pa.array([1, 2**62, 3]).cast(pa.timestamp("us")),
    "date 2^30": pa.array([1, 2**30, 3], pa.int32()).cast(pa.date32()),
    "duration": pa.array([1, 2**62, 3]).cast(pa.duration("s")),
    "zone": pa.array([None, 2, None]).cast(pa.timestamp("us", "Mars/Phobos")),
}


def write_table(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("name", ODD)
def test_an_odd_value_costs_its_row(tmp_path, name, kind):
    urls = [f"http://e.org/{n}" for n in range(3)]
    table = pa.table({"url": urls, "html": ["<p>x"] * 3, "odd": ODD[name]})
    path = tmp_path / f"x.{kind}"
    write_table(table, path)
    first, odd, last = read(path)
    assert (first.url, last.url) == (urls[0], urls[2])
    assert (odd.reason, odd.rejected) == ("bad record", True)
    assert odd.detail.startswith("row 1: ")


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow", "csv", "warc"])
def test_a_record_nested_too_deeply_is_rejected(tmp_path, kind):
    lines = [json.dumps({"url": f"http://e.org/{n}", "html": "<p>x", "deep": None}) for n in range(4)]
    for depth in (101, 900):
        lines[depth % 3] = lines[depth % 3].replace("null", '{"a":' * depth + "1" + "}" * depth)
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    lost = tmp_path / "lost.jsonl"
    out = str(tmp_path / f"out.{kind}")
    cli("clean", tmp_path / "x.jsonl", "-o", out, "--rejects", lost, "-q")
    rejects = read_rows(lost)
    assert {row["detail"] for row in rejects} == {"line 1: nested too deeply", "line 3: nested too deeply"}


def memory_of(path, limit):
    """Read a file in another process; give its largest memory in MiB, and what came out."""
    code = """
import sys
import pyarrow.parquet
from detemplate.io.sources.open import open_sources

def peak():  # ru_maxrss would begin with that of the process that started this one
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    return int(line.split()[1])

before = peak()
items = [getattr(item, "reason", "page") for item in open_sources([sys.argv[1]], max_page_bytes=int(sys.argv[2]))]
print(peak() - before >> 10, *items, sep=",")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(limit)], capture_output=True, text=True, check=True
    )
    memory, *items = done.stdout.strip().split(",")
    return int(memory), items


@pytest.mark.parametrize(("dictionary", "column"), [(True, "html"), (False, "note")])
def test_a_cell_of_hundreds_of_megabytes_in_a_small_parquet_file(tmp_path, dictionary, column):
    path = tmp_path / "x.parquet"
    rows = {"url": [f"http://e.org/{n}" for n in range(3)], "html": ["<p>x"] * 3, "note": ["a"] * 3}
    large = {**rows, column: ["<p>x", "<p>" + "x" * (300 << 20), "<p>x"]}
    table = pa.table(rows)
    with pq.ParquetWriter(path, table.schema, compression="zstd", use_dictionary=dictionary) as writer:
        writer.write_table(table)
        writer.write_table(pa.table(large))
        writer.write_table(table)
    assert path.stat().st_size < 200_000
    memory, items = memory_of(path, 1 << 20)
    assert items == ["page"] * 3 + ["too large"] + ["page"] * 3
    assert memory < 250


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_rows_of_carried_megabytes_are_not_converted(tmp_path, kind):
    rows = {"url": ["a", "b", "c"], "html": ["<p>x"] * 3, "note": ["a", "x" * (8 << 20), "c"]}
    path = tmp_path / f"x.{kind}"
    table = pa.table(rows)
    write_table(table, path)
    items = read(path, limit=1 << 20)
    assert [getattr(item, "reason", item.url) for item in items] == ["a", "too large", "c"]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_of_one_name_are_refused(tmp_path, kind):
    path = tmp_path / f"x.{kind}"
    table = pa.table([["http://e.org/"], ["<p>x"], ["<p>y"]], names=["url", "html", "html"])
    write_table(table, path)
    with pytest.raises(UserError, match="several columns named 'html'"):
        read(path)


def test_large_pages_of_many_columns_are_not_read_together(tmp_path, monkeypatch):
    """Each column has a page that would be read by itself."""
    rows = range(20)
    columns = {f"c{each}": ["x" * (1 << 20) if row == each else "y" for row in rows] for each in rows}
    pages = {"url": [f"http://e.org/{row}" for row in rows], "html": [f"<p>{row}" for row in rows]}
    table = pa.table(pages | columns)
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, use_dictionary=False, compression="zstd")
    assert path.stat().st_size < 1 << 16
    assert len(records(read(path))) == len(rows)
    monkeypatch.setattr("detemplate.io.sources.parquet._MOST_PAGES", 16 << 20)
    [skip] = skips(read(path))
    assert (skip.reason, skip.rejected) == ("too large", True)
    assert "in 22 columns" in skip.detail
