"""JSON files that are one array, or objects over several lines."""

import gzip
import io
import json
import tracemalloc

import pytest
from hypothesis import given, strategies as st

from detemplate.io.record import Skip
from detemplate.io.sources.jsonl import json_items
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records, skips

ROWS = [{"url": f"http://e.org/{n}", "html": f'<p>{{["{n}\\'} for n in range(5)]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\,{}[]é', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('a"\\{', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def items(data, size=5, limit=1 << 20):
    """Parse the items of JSON that comes a few bytes at a time; tell whether it ends in the middle."""
    found = []
    stream = io.BytesIO(data)
    try:
        for item in json_items(iter(lambda: stream.read(size), b""), limit):
            assert item is not None
            found.append(json.loads(item))
    except EOFError:
        return found, True
    return found, False


@given(st.lists(VALUES, max_size=5), st.integers(1, 20), st.sampled_from([None, 1]), st.booleans())
def test_items_of_an_array_are_those_of_a_parser(values, size, indent, ascii_only):
    data = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode()
    assert items(data, size) == (values, False)
    for cut in range(1, len(data), 3):
        found, is_cut = items(data[:cut], size)
        assert found == values[: len(found)]
        assert is_cut


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".jl", ".json.gz"])
@pytest.mark.parametrize("indent", [None, 2])
def test_files(tmp_path, suffix, indent):
    pack = gzip.compress if suffix.endswith(".gz") else bytes
    path = tmp_path / ("x" + suffix)
    array = json.dumps(ROWS, indent=indent)
    objects = ("\n" if indent else "\n\n").join(json.dumps(row, indent=indent) for row in ROWS)
    for text in (array, "\ufeff \n" + array, objects):
        path.write_bytes(pack(text.encode()))
        result = read(path)
        assert [item.url for item in result] == [row["url"] for row in ROWS]
        assert [page.html for page in records(result)] == [row["html"] for row in ROWS]
    assert result[-1].source is not None


def test_a_bad_item_costs_no_other(tmp_path):
    path = tmp_path / "x.json"
    good = b'{"url": "u", "html": "h", "n": NaN}'
    path.write_bytes(
        b"[" + b", ".join([good, b"5", b'{"html": "\xff"}', b'{"a": }', b'{"url": "v"}', good]) + b"]"
    )
    first, *bad, last = read(path)
    assert (first.url, last.url) == ("u", "u")
    assert [item.detail.partition(":")[0] for item in bad if isinstance(item, Skip)] == [
        f"item {number}" for number in range(2, 6)
    ]
    assert all(item.rejected for item in skips(bad))
    assert last.source.position == 6


def test_memory_does_not_grow_with_an_array(tmp_path):
    path = tmp_path / "x.json.gz"
    row = json.dumps({"url": "u", "html": "<p>" + "x" * 10_000}).encode()
    huge = b'{"url": "u", "html": "' + b"x" * (30 << 20) + b'"}'
    path.write_bytes(gzip.compress(b"[" + b",".join([row] * 1200 + [huge, row]) + b"]", 1))
    source = open_sources([str(path)], max_page_bytes=20_000)
    tracemalloc.start()
    seen = [isinstance(item, Skip) for item in source]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == [False] * 1200 + [True, False]
    assert peak < 8 << 20
