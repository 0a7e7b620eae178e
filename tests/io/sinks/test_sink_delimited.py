"""CSV and TSV."""

import csv
import datetime
import decimal
import gzip
import io
import json
import subprocess
import sys

import pytest
import zstandard
from hypothesis import given, strategies as st

from detemplate.io.sinks import out
from tests.support.sink_helpers import EVIL, REMOVED, row, written

csv.field_size_limit(1 << 30)


def write(path, rows):
    data = written(path, *rows).read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    return zstandard.ZstdDecompressor().stream_reader(data).read() if path.suffix == ".zst" else data


def parsed(data, delimiter=","):
    return list(csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True))


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst", "x.tsv", "x.tsv.gz", "x.tsv.zst"])
def test_rows(tmp_path, name):
    text = 'é, "quoted"\r\n\ttab\rend'
    data = write(tmp_path / name, [row(1, n=None, title=text), row(2, n=1.5)])
    first, second = parsed(data, "\t" if ".tsv" in name else ",")
    assert list(first) == [*row(), "n", "extra"]
    assert first == {
        "url": "http://e.org/1", "site": "e.org", "title": text, "text": "Text é 1\n", "template_share": "0.25",
        "segments": "8", "template_segments": "2", "method": "sandwich", "n": "", "extra": "",
    }  # fmt: skip
    assert second["n"] == "1.5"
    assert data.endswith(b"\r\n")


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "=HYPERLINK(A1)\n"]
)
def test_no_cell_of_a_spreadsheet_is_a_formula(tmp_path, cell):
    given = [row(1, title=cell, **{cell: -5}), row(2, title="a=1")]
    data = written(tmp_path / "x.csv.gz", *given, kind="spreadsheet").read_bytes()
    first, second = parsed(gzip.decompress(data))
    assert (first["title"], first["'" + cell]) == ("'" + cell, "-5")
    assert second["title"] == "a=1"
    assert parsed(write(tmp_path / "plain.csv", given))[0]["title"] == cell


def test_values(tmp_path):
    values = {
        "yes": True,
        "nan": float("nan"),
        "big": 2**80,
        "when": datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.UTC),
        "price": decimal.Decimal("1.50"),
        "raw": b"caf\xc3\xa9",
        "list": [1, None, "é"],
        "empty": "",
        "odd": EVIL,
    }
    (got,) = parsed(write(tmp_path / "x.csv", [row(1, removed=REMOVED, **values)]))
    assert json.loads(got["removed"]) == REMOVED
    assert {key: got[key] for key in values} == {
        "yes": "true", "nan": "", "big": str(2**80), "when": "2020-01-02T03:00:00+00:00", "price": "1.50",
        "raw": "café", "list": '[1, null, "é"]', "empty": "", "odd": "a\ufffdb",
    }  # fmt: skip


def test_columns_come_from_the_first_rows_and_the_rest_is_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(out, "GROUP_ROWS", 2)
    rows = [row(1, a=1), row(2, b=2), row(3, c=3, a="x"), row(4, extra=[5], b=6)]
    got = parsed(write(tmp_path / "x.csv", rows))
    assert list(got[0])[-3:] == ["a", "b", "extra"]
    assert [(item["a"], item["b"], item["extra"]) for item in got] == [
        ("1", "", ""),
        ("", "2", ""),
        ("x", "", '{"c": 3}'),
        ("", "6", '{"extra": [5]}'),
    ]


@given(st.lists(st.dictionaries(st.sampled_from("abé,\t\" '"), st.text(), max_size=3), max_size=4))
def test_any_text_comes_back(tmp_path_factory, carried):
    for name, delimiter in (("x.csv", ","), ("x.tsv", "\t")):
        path = tmp_path_factory.mktemp("csv") / name
        data = write(path, [row(number, **values) for number, values in enumerate(carried)])
        for got, values in zip(parsed(data, delimiter), carried, strict=True):
            assert {key: got[key] for key in values} == values


def test_standard_output_gets_each_row_at_once():
    command = [sys.executable, "-m", "detemplate", "clean", "-", "--output-format", "csv", "-q"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        for number in range(3):
            running.stdin.write(json.dumps({"url": f"u{number}", "html": f"<p>x{number}"}).encode() + b"\n")
            running.stdin.flush()
            if number == 0:
                assert running.stdout.readline().startswith(b"url,site,title,author,")
            assert running.stdout.readline().startswith(f"u{number},".encode())
        running.stdout.close()  # like head: a normal end
        many = b"".join(json.dumps({"url": f"v{n}", "html": "<p>x"}).encode() + b"\n" for n in range(2000))
        try:
            running.stdin.write(many)
            running.stdin.close()
        except BrokenPipeError:
            pass
        assert running.wait() == 0
        assert running.stderr.read() == b""
