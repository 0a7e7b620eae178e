"""The index: sizes are those of the words, precision is that of hand-made rankings, peers follow their rules."""

import pytest

from lab.index.lines import NEAREST
from lab.index.searches import Document, Index, average_precision, signed_rank

pytest.importorskip("tantivy")
pytest.importorskip("matplotlib")


def test_a_hand_made_index():
    documents = ["a b", "a a c", "b b b b", "c d", "x"]
    with Index([Document(text.split()) for text in documents]) as index:
        assert index.postings == 8
        assert index.occurrences == 12
        assert index.nbytes > 0
        assert index.search(["d"]) == [3]
        assert index.search(["nothing"]) == []
        assert set(index.search(["a", "d"])) == {0, 1, 3}
        found = index.search(["b"])
        assert found == [2, 0]
        assert average_precision(found, frozenset([0])) == 0.5
        assert average_precision(index.search(["a", "c"]), frozenset([1])) == 1


def test_the_signed_rank_test():
    assert signed_rank([1, 2, 3], [1, 2, 3]) == 1
    # Six differences of one sign: 2 of 64 orders of the signs are as extreme.
    assert signed_rank([1, 2, 3, 4, 5, 6], [0] * 6) == pytest.approx(2 / 64)


def test_all_in_one(made_sites, results):
    words = ("--data", made_sites, "--sites", "red,blue", "--pages", 12, "--methods", "sandwich")
    record, table = results("index", *words, charts=["queries", "sizes"])
    rows = [row for row in record["rows"] if row["method"] == "sandwich"]
    assert all(row["index_bytes"] < record["rows"][0]["index_bytes"] for row in rows)
    assert sum(len(row["by query"]) for row in rows) == len(record["queries"]["sites"])
    assert record["peers"]["red"]["pages"] == 24  # all pages count, not only the sample
    assert "24 pages of 2 sites" in table
    assert "| sandwich on raw lines | " in table
    assert f"| sandwich on raw lines, {NEAREST} | 100 % | " in table
    assert "| paper: media, nearest name | – | 57 % | 97 % | 0.59 |" in table
