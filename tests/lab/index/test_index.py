"""The index: sizes are those of the words, precision is that of hand-made rankings, peers follow their rules."""

from __future__ import annotations

import json

import pytest

from detemplate.page.page import Page
from lab.harness.extractors import chosen_extractors
from lab.index.corpus import site_corpus
from lab.index.lines import (
    LAST,
    LAST_OF_SITE,
    NEAREST,
    RAW_LINES,
    RULES,
    SAME_TEMPLATE,
    line_scores,
    peers_by_rule,
)
from lab.index.searches import (
    Document,
    Index,
    average_precision,
    reciprocal_rank,
    signed_rank,
)
from lab.labelled.datasets import load_sets
from tests.support.lab import run_lab

pytest.importorskip("tantivy")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def sets(made_sites):
    return load_sets(["sites/red", "sites/blue"], made_sites)


@pytest.fixture(scope="module")
def corpus(sets):
    return site_corpus(sets, pages=20, seed=0)


# --- the engine ---


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


def test_average_precision_and_reciprocal_rank():
    found = [7, 1, 5, 2]
    assert average_precision(found, frozenset([7, 5])) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(found, frozenset([7, 9])) == 0.5
    assert average_precision([], frozenset([1])) == 0
    assert reciprocal_rank(found, frozenset([5, 2])) == pytest.approx(1 / 3)
    assert reciprocal_rank(found, frozenset([9])) == 0


# --- queries ---


# --- methods ---


def test_the_signed_rank_test():
    assert signed_rank([1, 2, 3], [1, 2, 3]) == 1
    # Six differences of one sign: 2 of 64 orders of the signs are as extreme.
    assert signed_rank([1, 2, 3, 4, 5, 6], [0] * 6) == pytest.approx(2 / 64)


# --- peers and lines ---


def site_pages():
    names = ("a/x1", "a/x2", "b/y", "a/x9", "a/x1b")
    tags = ("p", "h1", "p", "h1", "b")
    return [
        Page(f"https://s.example/{name}", f"<div>\n<{tag}>{name}</{tag}>\n</div>")
        for name, tag in zip(names, tags, strict=True)
    ]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (NEAREST, ["a/x1b", "a/x1", None, "a/x1", "a/x1"]),
        (LAST, [None, "a/x1", None, "a/x2", "a/x9"]),
        (LAST_OF_SITE, [None, "a/x1", "a/x2", "b/y", "a/x9"]),
        (SAME_TEMPLATE, ["b/y", "a/x9", "a/x1", "a/x2", None]),
    ],
)
def test_peers_by_rule(rule, expected):
    chosen = peers_by_rule(rule, site_pages())
    found = [peer and peer.url.removeprefix("https://s.example/") for peer in chosen]
    if rule == NEAREST:
        expected[0] = found[0]  # x2, x9 and x1b are at distance 1; the first in order is x1b
        assert found[0] == "a/x1b"
    if rule == SAME_TEMPLATE:
        expected[4] = found[4]  # as much alike as any
    assert found == expected


def test_lines(corpus):
    scores = line_scores(chosen_extractors(["sitelevel"]), corpus, lambda _: None)
    units = ("sandwich", RAW_LINES)
    assert set(scores) == {"sitelevel", *(f"{unit}, {rule}" for rule in RULES for unit in units)}
    nearest, last = (scores[f"sandwich, {rule}"] for rule in (NEAREST, LAST))
    assert nearest.peers == 1
    assert last.peers == 1 - 2 / 40  # the first page of each site has none
    assert last.precision < nearest.precision
    assert scores["sitelevel"].recall == 1
    assert scores["sitelevel"].f1 > 0.8


def test_all_in_one(made_sites, tmp_path, capsys):
    out = tmp_path / "out"
    command = ["index", "--data", str(made_sites), "--sites", "red,blue", "--pages", "12"]
    run_lab([*command, "--methods", "sandwich", "--out", str(out)])
    names = {line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()}
    assert names == {
        "table.md", "table.csv", "results.json",
        "queries.svg", "queries.png", "sizes.svg", "sizes.png",
    }  # fmt: skip
    record = json.loads((out / "results.json").read_text())
    rows = [row for row in record["rows"] if row["method"] == "sandwich"]
    assert all(row["index_bytes"] < record["rows"][0]["index_bytes"] for row in rows)
    assert sum(len(row["by query"]) for row in rows) == len(record["queries"]["sites"])
    assert record["peers"]["red"]["pages"] == 24  # all pages count, not only the sample
    table = (out / "table.md").read_text()
    assert "24 pages of 2 sites" in table
    assert "| sandwich on raw lines | " in table
    assert f"| sandwich on raw lines, {NEAREST} | 100 % | " in table
    assert "| paper: media, nearest name | – | 57 % | 97 % | 0.59 |" in table
