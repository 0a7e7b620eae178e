"""Inputs that are made to take time, memory or the run."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from detemplate.cli import main
from detemplate.io.sources.http_body import charset, decode_body
from tests.support.io_helpers import read, records, skips

if TYPE_CHECKING:
    from pathlib import Path


def test_a_charset_of_spaces_takes_no_time() -> None:
    start = time.perf_counter()
    assert charset("text/html; charset" + " " * 80_000) is None
    assert charset("text/html; charset=" + " " * 80_000) is None
    assert charset("text/html; charset='" + " " * 80_000 + ";") is None
    assert time.perf_counter() - start < 1
    assert charset('text/html; charset = "utf-8"; x') == "utf-8"
    assert charset("text/html; Charset= 'latin1'") == "latin1"


@pytest.mark.parametrize("member", [b"", b"a"])
def test_a_body_of_many_gzip_members(member: bytes) -> None:
    count = 100_000
    body = gzip.compress(member) * count
    start = time.perf_counter()
    assert decode_body(body, ["gzip"], 1 << 25) == member * count
    assert time.perf_counter() - start < 5


def test_chunks_of_one_byte() -> None:
    start = time.perf_counter()
    assert decode_body(b"1\r\nx\r\n" * 200_000 + b"0\r\n\r\n", ["chunked"], 1 << 25) == b"x" * 200_000
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\n"])
def test_blank_lines_are_skipped_fast(tmp_path: Path, blank: bytes) -> None:
    one, two = (json.dumps({"url": f"http://e.org/{n}", "html": "<p>x"}).encode() for n in (1, 2))
    path = tmp_path / "x.jsonl"
    path.write_bytes(one + b"\n" + blank * 5_000_000 + b"  " + two + b"\n" + blank * 3 + b"[\n" + blank)
    start = time.perf_counter()
    items = read(path)
    assert time.perf_counter() - start < 2
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


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("name", ODD)
def test_an_odd_value_costs_its_row(tmp_path: Path, name: str, kind: str) -> None:
    urls = [f"http://e.org/{n}" for n in range(3)]
    table = pa.table({"url": urls, "html": ["<p>x"] * 3, "odd": ODD[name]})
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    first, odd, last = read(path)
    assert (first.url, last.url) == (urls[0], urls[2])
    assert (odd.reason, odd.rejected) == ("bad record", True)
    assert odd.detail.startswith("row 1: ")


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow", "csv", "warc"])
def test_a_record_nested_too_deeply_is_rejected(tmp_path: Path, kind: str) -> None:
    lines = [json.dumps({"url": f"http://e.org/{n}", "html": "<p>x", "deep": None}) for n in range(4)]
    for depth in (101, 900):
        lines[depth % 3] = lines[depth % 3].replace("null", '{"a":' * depth + "1" + "}" * depth)
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    lost = tmp_path / "lost.jsonl"
    out = str(tmp_path / f"out.{kind}")
    assert main(["clean", str(tmp_path / "x.jsonl"), "-o", out, "--rejects", str(lost), "-q"]) == 0
    rejects = [json.loads(line) for line in lost.read_text().splitlines()]
    assert {row["detail"] for row in rejects} == {"line 1: nested too deeply", "line 3: nested too deeply"}
