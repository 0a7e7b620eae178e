"""Duplicates: pairs follow their definition, shingles follow the paper, and a cleaner text finds more."""

import csv
import io

import pytest

from lab.duplicates.pairs import are_duplicates, shingles

pytest.importorskip("matplotlib")


def test_shingles_are_the_smallest_hashes_of_six_words():
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    found = shingles(text)
    assert len(found) == 8  # of 10
    assert shingles(text.upper().replace(" ", " -- ")) == found
    grams = set()
    for at in range(10):
        [gram] = shingles(" ".join(text.split()[at : at + 6]))
        grams.add(gram)
    assert found == set(sorted(grams)[:8])
    assert not shingles("…")
    assert are_duplicates(frozenset(range(8)), frozenset(range(4, 12)))
    assert not are_duplicates(frozenset(range(8)), frozenset(range(5, 13)))
    assert not are_duplicates(frozenset(), frozenset())


def test_all_in_one(made_sites, tmp_path, results):
    words = ("--data", made_sites, "--pages", 20, "--methods", "sitelevel:equality=exact")
    record, table = results("duplicates", *words, charts=["pairs", "kinds"])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "deep" / "out" / "table.csv").read_text())))
    pairs = record["kinds"][0]["duplicates"]
    for row, of_json in zip(rows[:2], record["rows"], strict=False):
        found = of_json["duplicates"][0] * pairs
        assert found == pytest.approx(round(found), abs=0.02)
        assert float(row["duplicates"]) * pairs == pytest.approx(found, abs=0.02)
    assert "| sitelevel equality=exact | 43 % |" in table
