import json

import pyarrow.parquet as pq
import pytest

from detemplate.io.sinks import out
from tests.support.sink_helpers import REMOVED, REMOVED_IN_TABLES, row, written


def write(path, rows, text_format="text"):
    return pq.read_table(written(path, *rows, text_format=text_format))


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(out, "GROUP_ROWS", 2)


def test_columns_and_types(tmp_path):
    table = write(
        tmp_path / "x.parquet",
        [row(1, "markdown", removed=REMOVED, n=1), row(2, "markdown", removed=[])],
        "markdown",
    )
    assert {field.name: str(field.type) for field in table.schema} == {
        "url": "string",
        "site": "string",
        "title": "string",
        "markdown": "string",
        "template_share": "double",
        "segments": "int64",
        "template_segments": "int64",
        "method": "string",
        "removed": "list<element: struct<text: string, score: double, reason: string, causes: string>>",
        "n": "int64",
        "extra": "string",
    }
    first, second = table.to_pylist()
    assert first == {**row(1, "markdown"), "removed": REMOVED_IN_TABLES, "n": 1, "extra": None}
    assert (second["removed"], second["n"]) == ([], None)
    group = pq.read_metadata(tmp_path / "x.parquet").row_group(0)
    assert group.column(0).compression == "ZSTD"


def test_groups_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(out, "GROUP_ROWS", 10)
    monkeypatch.setattr(out, "_GROUP_BYTES", 100_000)
    rows = [row(number) for number in range(25)] + [row(30, note=["x" * 60_000]) for _ in range(4)]
    write(tmp_path / "x.parquet", rows)
    metadata = pq.read_metadata(tmp_path / "x.parquet")
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == [10, 10, 7, 2]


def restored(table):
    """What was carried, from the columns and from ``extra``."""
    is_json = {field.name: (field.metadata or {}).get(b"content") == b"json" for field in table.schema}
    result = []
    for item in table.to_pylist():
        values = {
            key: json.loads(value) if is_json[key] else value
            for key, value in item.items()
            if value is not None and key not in row() and key != "extra"
        }
        result.append({**values, **json.loads(item["extra"] or "{}")})
    return result


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize(
    "values",
    [
        [1, 2, "three", 4],
        [1, 2, 2.5, True],
        [1, 2, 2**80, -1],
        [2**80, 1, 2, 3],
        [1.5, 2, 2**60 + 1, False],
        [True, False, 1, "x"],
        ["a", "b", 1, {"c": 2}],
        ["a", 1, "2", None],
        [{"a": 1}, {"a": 2}, {"a": 3, "b": 4}, {"a": "x"}],
        [{"a": 1}, {"b": 2}, {"a": 1, "b": 2}, {}],
        [{}, {}, {"a": 1}, 1],
        [[], [], [1], ["x"]],
        [[1], [2], ["x"], [[1]]],
        [[{"a": 1}], [], [{"a": 1, "b": 1}], [None]],
        [None, None, "late", 5],
        [None, None, {"late": 1}, [5]],
        ["2020-01-01", "x", "y", "z"],
        [[[[1]]], [[[]]], [], 0],
    ],
)
def test_nothing_that_is_carried_is_lost(tmp_path, values):
    rows = [row(number, x=value) for number, value in enumerate(values)]
    table = write(tmp_path / "x.parquet", rows)
    got = [_filled(item.get("x"), value) for item, value in zip(restored(table), values, strict=True)]
    assert got == values
    assert [isinstance(value, bool) for value in got] == [isinstance(value, bool) for value in values]


def _filled(got, value):
    """Without the nulls that a struct shows for keys that its row does not have."""
    if isinstance(got, dict) and isinstance(value, dict):
        return {
            key: _filled(item, value.get(key))
            for key, item in got.items()
            if item is not None or key in value
        }
    if isinstance(got, list) and isinstance(value, list):
        return [_filled(one, other) for one, other in zip(got, value, strict=True)]
    return got
