import datetime
import decimal
import gzip
import json

import numpy as np
import pytest
import zstandard

from detemplate.io.sinks.open import open_sink
from tests.support.sink_helpers import EVIL, names, record, row, written


def unpack(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix in {".zst", ".zstd"}:
        return zstandard.ZstdDecompressor().stream_reader(data).read()
    return data


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".zstd"])
@pytest.mark.parametrize("name", ["x.jsonl", "x.NDJSON"])
def test_lines(tmp_path, name, suffix):
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
    written(path, *(row(number, n=number, deep={"a": [1]}) for number in range(3)))
    assert path.read_bytes() == first


def test_what_json_cannot_hold(tmp_path):
    deep = []
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
    path = written(tmp_path / "x.jsonl", row(1, "markdown", **values), text_format="markdown")
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


def test_standard_output(capfdbinary):
    with open_sink("-", format="text") as sink:
        sink.write(row(1), record())
        assert json.loads(capfdbinary.readouterr().out)["url"] == "http://e.org/1"
        sink.write(row(2, x=EVIL), record())
    assert json.loads(capfdbinary.readouterr().out)["x"] == EVIL
