"""Inputs that are made to take time, memory or the run."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING

import pytest

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
