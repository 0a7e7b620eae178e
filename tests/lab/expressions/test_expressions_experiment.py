"""Template expressions on injected template and on mirrors: small runs end to end, the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

from detemplate.expressions.remove import Locality
from lab.expressions.mirrors import (
    EXPRESSIONS,
    METHODS,
    NOTHING,
    PLAIN,
    SANDWICH,
    compare_mirrors,
)
from lab.expressions.runs import LEVELS, ONE, Setting, run_setting
from lab.expressions.sources import Sources, Template
from tests.support.lab import run_lab
from tests.support.made_sets import write_set

# --- runs ---

# Few words, so that pairs of them recur: the histogram needs rare strings beside the template's.
WORDS = [f"{a}{b}{c}" for a in "bdf" for b in "aeiou" for c in "lmnr"]


def story(number):
    rng = np.random.default_rng(number)
    return "\n".join(" ".join(rng.choice(WORDS, 30)) + "." for _ in range(4))


def sources(sites=4):
    templates = [
        Template(f"site{n}", tuple(tuple(f"{word}{n}x{k}" for word in MENU) for k in range(12)))
        for n in range(sites)
    ]
    return Sources(tuple(templates), {"en": [("", story(number)) for number in range(60)]}, {})


MENU = ("menu", "of", "this", "site", "is", "long")


def scores(outcomes, level):
    """Return recall and precision of the held-out documents of each collection."""
    return [
        (each.tally.recall, each.tally.precision)
        for each in outcomes
        if each.level == level and each.held_out
    ]


def test_blocks_above_the_cut_off_are_found():
    pytest.importorskip("pydivsufsort")
    outcomes = run_setting(sources(), Setting(30), 0, [Locality(0, 0)])
    assert [each.site for each in outcomes[:: 2 * len(LEVELS)]] == [f"site{n}" for n in range(4)]
    assert len(outcomes) == 4 * 2 * len(LEVELS)
    for outcome in outcomes:
        above = np.array([round(share * 30) >= outcome.least_documents for share in outcome.shares])
        tally = outcome.tally
        assert above.sum() >= 3
        if outcome.level == ONE:
            assert tally.blocks[above, 0].tolist() == tally.blocks[above, 1].tolist()
            assert tally.slots[above, :, 0].tolist() == tally.slots[above, :, 1].tolist()
        # Tokens of blocks below the cut-off occur nowhere else, but for those that patterns match.
        below = tally.blocks[~above, 1] - tally.slots[~above, :, 1].sum(axis=1)
        assert below.tolist() == [0] * len(below)
        assert tally.lost < 0.01


def test_mutable_patterns_find_covered_slots():
    pytest.importorskip("pydivsufsort")

    def mean_recall(setting):
        return np.mean([recall for recall, _ in scores(run_setting(sources(), setting, 0), ONE)])

    recalls = {
        (slots, mutables): mean_recall(Setting(30, slots=slots, mutables=mutables))
        for slots in ("covered", "uncovered")
        for mutables in (True, False)
    }
    assert recalls["covered", True] > 0.1 + recalls["covered", False]
    assert recalls["covered", True] > 0.1 + recalls["uncovered", True]


# --- mirrors ---


def test_mirrors():
    pytest.importorskip("pydivsufsort")
    pairs = compare_mirrors(sources(5), Setting(30), 0)
    assert len(pairs) == 2 * len(METHODS)  # five templates make two pairs
    assert len({site for pair in pairs for site in pair.sites}) == 4
    by_method = {method: [pair for pair in pairs if pair.method == method] for method in METHODS}
    for nothing, sandwich, plain, best in zip(
        *(by_method[method] for method in (NOTHING, SANDWICH, PLAIN, EXPRESSIONS)), strict=True
    ):
        assert nothing.equal == 0
        assert best.distance < plain.distance < sandwich.distance < nothing.distance
        assert best.to_clean < plain.to_clean < nothing.to_clean
        assert best.equal >= plain.equal
    assert compare_mirrors(sources(5), Setting(30), 0) == pairs
    assert compare_mirrors(sources(1), Setting(30), 0) == []
    assert compare_mirrors(sources(), Setting(61), 0) == []


# --- end to end ---


@pytest.fixture
def made_data(tmp_path):
    """Make four sites with a template each, and clean English documents."""
    folder = tmp_path / "data"
    clean = [
        {"id": str(n), "url": f"http://c{n}/", "site": f"c{n}", "html": f"<html lang=en><p>{story(n)}</p>"}
        for n in range(40)
    ]
    write_set(
        folder / "wcxb-dev", clean, [{"id": str(n), "type": "article", "text": story(n)} for n in range(40)]
    )
    names = ["news", "blog", "wiki", "shop"]
    for name in names:
        menu = [f"{name} menu item {'abcdefghij'[k]}" for k in range(10)]
        pages = [
            {
                "id": str(n), "url": f"http://{name}/{n}", "site": name,
                "html": "".join(f"<p>{item}</p>" for item in menu) + f"<article>{story(100 + n)}</article>",
            }
            for n in range(8)
        ]  # fmt: skip
        gold = [{"id": str(n), "text": story(100 + n), "outside": " ".join(menu)} for n in range(8)]
        write_set(folder / "sites" / name, pages, gold)
    (folder / "sites" / "sites.json").write_text(
        json.dumps([{"site": name, "part": "train", "language": "en (some fr)"} for name in names])
    )
    return folder


def test_a_small_run(made_data, tmp_path, capsys):
    for module in ("matplotlib", "pydivsufsort"):
        pytest.importorskip(module)
    out = tmp_path / "out"
    assert run_lab(["expressions", "--data", str(made_data), "--out", str(out), "--quick"]) == 0
    names = {"table.md", "table.csv", "results.json"}
    names |= {f"{chart}.{kind}" for chart in ("documents", "shares", "mirrors") for kind in ("svg", "png")}
    assert {path.name for path in out.iterdir()} == names
    assert set(capsys.readouterr().out.split()) == {str(out / name) for name in names}
    results = json.loads((out / "results.json").read_text())
    assert results["seeds"] == [0]
    assert results["templates"] == dict.fromkeys(["news", "blog", "wiki", "shop"], 40)
    base = [r for r in results["rows"] if r["documents"] == 20 and r["cleaned"] == "held out"]
    assert {r["level"] for r in base} == set(LEVELS)
    for record in base:
        assert record["recall_by_share"]["1"][0] == 1
        assert record["precision"][0] > 0.99
        assert set(record["sites"]) == {"news", "blog", "wiki", "shop"}
    assert set(results["quality"]) == {"segments", "sandwich", "expressions"}
    quality = results["quality"]["expressions"]["sites"]
    assert (quality["kept"][0], quality["removed"][0]) == (1, 1)
    assert {record["method"] for record in results["mirrors"]} <= set(METHODS)
    table = (out / "table.md").read_text()
    for text in (
        "A quick run",
        "4 real sites",
        "| `date 12/03/2007` | yes |",
        "| 100% | 100.0",
        "| `expressions` | 100.0",
    ):
        assert text in table
