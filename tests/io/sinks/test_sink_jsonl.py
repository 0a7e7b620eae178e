from __future__ import annotations

import datetime
import decimal
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from detemplate.errors import UserError
from detemplate.files.jsonvalues import to_json
from detemplate.io.record import Record
from detemplate.io.sinks.open import open_sink
from detemplate.io.sinks.out import OutputClosed, encoded_json, json_with
from tests.support.io_helpers import read
from tests.support.sink_helpers import EVIL, names, record, row


def unpack(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix in {".zst", ".zstd"}:
        return zstandard.ZstdDecompressor().stream_reader(data).read()
    return data


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".zstd"])
@pytest.mark.parametrize("name", ["x.jsonl", "x.NDJSON"])
def test_lines(tmp_path: Path, name: str, suffix: str) -> None:
    path = tmp_path / (name + suffix)
    with open_sink(str(path), format="text") as sink:
        for number in range(3):
            sink.write(row(number, n=number, deep={"a": [1]}), record())
        assert not path.exists()
    lines = unpack(path).decode().splitlines()
    assert lines[2] == (
        '{"url": "http://e.org/2", "site": "e.org", "title": "Title 2", "text": "Text é 2\\n", '
        '"template_share": 0.25, "segments": 8, "template_segments": 2, "method": "sandwich", '
        '"n": 2, "deep": {"a": [1]}}'
    )
    assert names(tmp_path) == [path.name]
    first = path.read_bytes()
    with open_sink(str(path), format="text") as sink:
        for number in range(3):
            sink.write(row(number, n=number, deep={"a": [1]}), record())
    assert path.read_bytes() == first


def test_what_json_cannot_hold(tmp_path: Path) -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    values = {
        "surrogate": EVIL,
        EVIL: 1,
        "nan": float("nan"),
        "inf": [float("inf")],
        "text": b"caf\xc3\xa9",
        "bytes": b"\xff\xfe",
        "when": datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC),
        "day": datetime.date(2020, 1, 2),
        "price": decimal.Decimal("1.50"),
        "numpy": np.float32(0.5),
        "map": {1: "a", b"k": {2}, None: ()},
        "deep": deep,
    }
    path = tmp_path / "x.jsonl"
    with open_sink(str(path), format="markdown") as sink:
        sink.write(row(1, "markdown", **values), record())
    (line,) = path.read_bytes().decode("utf-8").splitlines()
    value = json.loads(line)
    assert value["surrogate"] == EVIL
    assert value[EVIL] == 1
    assert (value["nan"], value["inf"]) == (None, [None])
    assert (value["text"], value["bytes"]) == ("café", "//4=")
    assert (value["when"], value["day"]) == ("2020-01-02T00:00:00+00:00", "2020-01-02")
    assert (value["price"], value["numpy"]) == ("1.50", 0.5)
    assert value["map"] == {"1": "a", "k": [2], "null": []}
    assert "nested too deeply" in line


def test_output_is_an_input(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.zst"
    with open_sink(str(path), format="html") as sink:
        sink.write(row(1, "html", n=1), record())
    (page,) = read(path)
    assert isinstance(page, Record)
    assert (page.url, page.site, page.carried["n"]) == ("http://e.org/1", "e.org", 1)


_VALUES = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.integers() | st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)
_KEYS = st.text(st.sampled_from('a"\u00e9\ud800'), max_size=2)


@given(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4), st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_an_encoded_row_is_written_as_the_row_itself(own: dict[str, object], more: dict[str, object]) -> None:
    more = {key: value for key, value in more.items() if key not in own}
    assert json_with(encoded_json(own), more) == to_json({**own, **more}).encode()


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with open_sink("-", format="text") as sink:
        sink.write(row(1), record())
        assert json.loads(capfdbinary.readouterr().out)["url"] == "http://e.org/1"
        sink.write(row(2, x=EVIL), record())
    assert json.loads(capfdbinary.readouterr().out)["x"] == EVIL


WRITER = """
from detemplate.io.sinks.out import OutputClosed
from detemplate.io.sinks.open import open_sink
from detemplate.io.record import Record
import sys
try:
    with open_sink("-", format="text") as sink:
        for n in range(100_000):
            sink.write({"url": str(n), "text": "x" * 100}, Record("u", ""))
except OutputClosed:
    print("closed", file=sys.stderr)
"""


def test_a_closed_pipe_ends_quietly() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith(b'{"url": "0"')
        child.stdout.close()
        assert child.stderr.read() == b"closed\n"
        assert child.wait() == 0


def test_a_full_standard_output() -> None:
    command = [sys.executable, "-c", WRITER]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert b"UserError: cannot write to standard output: No space left on device" in done.stderr
    assert not issubclass(OutputClosed, UserError)
