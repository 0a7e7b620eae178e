"""Duplicates: pairs follow their definition, shingles follow the paper, and a cleaner text finds more."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from lab.duplicates.pairs import (
    AS_THEY_ARE,
    Kind,
    are_duplicates,
    judged,
    make_collection,
    measure_kind,
    shingles,
)
from lab.harness.extractors import chosen_extractors
from lab.transplant.pages import Parts, read_parts
from tests.support.lab import run_lab

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def parts(made_sites):
    return read_parts([], made_sites)


@pytest.fixture(scope="module")
def collection(parts):
    return make_collection(parts, duplicates=60, others=70, blocks=False, seed=1)


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


def test_pairs(collection):
    sites, pairs = collection
    assert len({pair[:2] for pair in pairs}) == len(pairs)
    assert sum(pair.duplicate for pair in pairs) == 60
    assert len(pairs) == 130
    for one, two, duplicate in pairs:
        first, second = (sites[site][number] for site, number in (one, two))
        assert (first.content == second.content) == duplicate
        assert (first.site == second.site) != duplicate
    urls = [page.url for pages in sites.values() for page in pages]
    assert len(set(urls)) == len(urls)  # each template once


def test_the_test_is_right_where_the_text_is_the_content_alone(collection):
    texts = {
        site: [" ".join(page.content.words) for page in pages] for site, pages in collection.sites.items()
    }
    assert judged(collection.pairs, texts).tolist() == [pair.duplicate for pair in collection.pairs]


def test_templates_hide_duplicates(collection):
    chosen = chosen_extractors(["sitelevel"])
    outcome = measure_kind(collection, AS_THEY_ARE, chosen)
    full, clean = (outcome.methods[name] for name in ("full text", "sitelevel"))
    assert full.kept == full.left == 1
    assert np.mean(full.duplicates) < np.mean(clean.duplicates)
    assert clean.left < 0.2
    alone = measure_kind(collection, Kind("alone", None, False, 1), chosen)
    assert alone.methods["sitelevel"].left == 1  # one page tells nothing of its site


def test_blocks_are_on_few_pages_of_a_site(parts):
    lent = Parts(parts.templates, {"lent": parts.contents["lent"]})
    made = make_collection(lent, duplicates=60, others=1, blocks=True, seed=0)
    for pages in made.sites.values():
        blocks = [page.html.partition("<h3>Popular in group ")[2].partition("<")[0] for page in pages]
        assert max(map(blocks.count, blocks)) == 1  # 8 % of 20 pages
        assert "" not in blocks


def test_all_in_one(made_sites, tmp_path, capsys):
    out = tmp_path / "out"
    command = ["duplicates", "--data", str(made_sites), "--pages", "20"]
    command += ["--methods", "sitelevel:equality=exact"]
    run_lab([*command, "--out", str(out)])
    names = {line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()}
    assert names == {
        "table.md", "table.csv", "results.json", "pairs.svg", "pairs.png", "kinds.svg", "kinds.png",
    }  # fmt: skip
    record = json.loads((out / "results.json").read_text())
    rows = list(csv.DictReader(io.StringIO((out / "table.csv").read_text())))
    pairs = record["kinds"][0]["duplicates"]
    for row, of_json in zip(rows[:2], record["rows"], strict=False):
        found = of_json["duplicates"][0] * pairs
        assert found == pytest.approx(round(found), abs=0.02)
        assert float(row["duplicates"]) * pairs == pytest.approx(found, abs=0.02)
    assert "| sitelevel equality=exact | 43 % |" in (out / "table.md").read_text()
