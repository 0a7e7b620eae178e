"""Arrow's IPC formats; and that typed inputs keep their types."""

import datetime
import decimal
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.commands import cli


def test_several_formats_side_by_side(tmp_path):
    source = tmp_path / "in.html"
    source.write_text("<h1>Title</h1><p>Words <b>bold</b></p>")
    for name in ("x.arrow", "x.parquet", "x.jsonl", "x.csv"):
        arguments = ["-f", "text,md", "-f", "html", "--metadata", "none", "-o", str(tmp_path / name), "-q"]
        cli("clean", source, *arguments)
    expected = {
        "text": "Title\n\nWords bold",
        "markdown": "# Title\n\nWords **bold**",
        "html": "<h1>Title</h1><p>Words <b>bold</b></p>",
    }
    arrow = pa.ipc.open_file(tmp_path / "x.arrow").read_all()
    parquet = pq.read_table(tmp_path / "x.parquet")
    for table in (arrow, parquet):
        assert table.column_names[2:7] == ["title", "text", "markdown", "html", "template_share"]
    rows = [*arrow.to_pylist(), *parquet.to_pylist(), json.loads((tmp_path / "x.jsonl").read_text())]
    for got in rows:
        assert all(text in got[name] for name, text in expected.items())
    assert (tmp_path / "x.csv").read_text().startswith("url,site,title,text,markdown,html,template_share,")


# Standard output.


def jsonl(count):
    return b"".join(
        json.dumps({"url": f"u{n}", "html": f"<p>{n}", "n": n}).encode() + b"\n" for n in range(count)
    )


def test_a_stream_on_standard_output():
    command = [sys.executable, "-m", "detemplate", "clean", "-", "--output-format", "arrow", "-q"]
    for count in (0, 30):
        done = subprocess.run(command, input=jsonl(count), capture_output=True, check=False)
        table = pa.ipc.open_stream(done.stdout).read_all()
        assert table.num_rows == count
        assert done.returncode == (0 if count else 3)
        assert (b"no page was read" in done.stderr) == (count == 0)
    assert table["n"].to_pylist() == list(range(30))


def test_a_terminal_gets_no_arrow():
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "detemplate", "clean", "-", "--output-format", "arrow"]
    done = subprocess.run(
        command, input=jsonl(1), stdout=theirs, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert done.stderr.startswith(b"detemplate: Arrow is nothing for a terminal")


# Types of carried columns.

COLUMNS = {
    "int8": pa.array([1, None], pa.int8()),
    "uint64": pa.array([2**64 - 1, 1], pa.uint64()),
    "float32": pa.array([1.1, None], pa.float32()),
    "bool": pa.array([True, None]),
    "seconds": pa.array([1, None], pa.timestamp("s")),
    "micros": pa.array([1, 2], pa.timestamp("us", "Europe/Berlin")),
    "nanos": pa.array([1000, 2000], pa.timestamp("ns")),
    "date": pa.array([datetime.date(2020, 1, 2), None]),
    "time": pa.array([1000, None], pa.time32("ms")),
    "duration": pa.array([1, None], pa.duration("ms")),
    "decimal": pa.array([decimal.Decimal("1.50"), None], pa.decimal128(20, 2)),
    "binary": pa.array([b"\xff", None]),
    "fixed": pa.array([b"ab", None], pa.binary(2)),
    "large": pa.array(["a", None], pa.large_string()),
    "list": pa.array([[1, 2], None], pa.list_(pa.int16())),
    "empty": pa.array([[], None], pa.list_(pa.int16())),
    "null": pa.array([None, None], pa.int32()),
    "struct": pa.array(
        [{"a": 1, "b": None}, {"a": None, "b": ["x"]}],
        pa.struct([("a", pa.int8()), ("b", pa.list_(pa.string()))]),
    ),
    "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int32())),
    "category": pa.array(["x", "y"]).dictionary_encode(),
    "title": pa.array([7, 8], pa.int8()),
}


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow"])
def test_carried_columns_keep_their_types(tmp_path, name):
    urls, pages = pa.array(["http://e.org/1", "http://e.org/2"]), pa.array(["<p>one", "<p>two"])
    pq.write_table(pa.table({"url": urls, "html": pages, **COLUMNS}), tmp_path / "in.parquet")
    cli("clean", tmp_path / "in.parquet", "-o", tmp_path / name, "-q")
    read = pq.read_table if name.endswith("parquet") else lambda path: pa.ipc.open_file(path).read_all()
    got, stored = read(tmp_path / name), pq.read_table(tmp_path / "in.parquet")
    for column in COLUMNS:
        out = "source_title" if column == "title" else column
        assert got.schema.field(out).type == stored.schema.field(column).type, column
        assert got[out].to_pylist() == stored[column].to_pylist(), column
    assert got["extra"].to_pylist() == [None, None]


def test_types_of_one_input_do_not_lose_values_of_another(tmp_path):
    """A JSON Lines file after a Parquet file of the same group: its values do not fit, and are inferred."""
    pq.write_table(
        pa.table(
            {"url": ["u1"], "html": ["<p>1"], "n": pa.array([1], pa.int8()), "m": pa.array([1], pa.int8())}
        ),
        tmp_path / "a.parquet",
    )
    (tmp_path / "b.jsonl").write_text(json.dumps({"url": "u2", "html": "<p>2", "n": 1000, "m": "x"}) + "\n")
    out = tmp_path / "out.parquet"
    cli("clean", tmp_path / "a.parquet", tmp_path / "b.jsonl", "-o", out, "-q")
    table = pq.read_table(out)
    assert (table.schema.field("n").type, table["n"].to_pylist()) == (pa.int64(), [1, 1000])
    assert [json.loads(value) for value in table["m"].to_pylist()] == [1, "x"]
