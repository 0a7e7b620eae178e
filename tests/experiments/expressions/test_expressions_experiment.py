"""Template expressions on known template and on mirrors: small runs end to end, the command."""

from __future__ import annotations

import json
import sys
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.cli import main
from detemplate.errors import MissingExtra, UserError
from detemplate.experiments.expressions.experiment import _done, run_expressions
from detemplate.experiments.expressions.injection import total
from detemplate.experiments.expressions.mirrors import (
    EXPRESSIONS,
    METHODS,
    NOTHING,
    PLAIN,
    SANDWICH,
    compare_mirrors,
    word_distance,
)
from detemplate.experiments.expressions.runs import (
    DEFAULT,
    LEVELS,
    LITERAL,
    ONE,
    TWO,
    Setting,
    make_collection,
    run,
)
from detemplate.experiments.expressions.sources import Sources, Template
from detemplate.expressions.remove import Locality
from tests.support.made_sets import write_set

# --- runs ---

# So few words that pairs of them recur: the histogram needs rare strings beside the template's.
WORDS = [f"{a}{b}{c}" for a in "bdf" for b in "aeiou" for c in "lmnr"]


def story(number):
    rng = np.random.default_rng(number)
    return "\n".join(" ".join(rng.choice(WORDS, 30)) + "." for _ in range(4))


def sources(sites=4):
    own = [
        Template(f"site{n}", tuple(tuple(f"{word}{n}x{k}" for word in MENU) for k in range(12)))
        for n in range(sites)
    ]
    return Sources(tuple(own), {"en": [("", story(number)) for number in range(60)]}, {})


MENU = ("menu", "of", "this", "site", "is", "long")


def test_collections_differ_in_nothing_but_the_setting():
    template, clean = sources().templates[0], [text for _, text in sources().documents["en"]]
    base = make_collection(template, clean, Setting(20), 3)
    assert make_collection(template, clean, Setting(20), 3).mined[7].text == base.mined[7].text
    assert [d.clean for d in make_collection(template, clean, Setting(30), 3).mined[:20]] == [
        d.clean for d in base.mined
    ]
    assert {d.clean for d in base.held}.isdisjoint(d.clean for d in base.mined)
    assert (len(base.mined), len(base.held)) == (20, 20)
    assert len(make_collection(template, clean, Setting(50), 3).held) == 10
    plain = make_collection(template, clean, Setting(20, slots="none"), 3)
    assert [d.clean for d in plain.mined] == [d.clean for d in base.mined]
    for number, block in enumerate(base.blocks):
        for made in (base, plain):
            having = [bool((document.owner == number).any()) for document in made.mined]
            assert sum(having) == round(block.share * 20)
    assert make_collection(template, clean, Setting(20), 4).mined[7].text != base.mined[7].text


def scores(rows, level, held=True):
    return [
        (row.tally.recall, row.tally.precision) for row in rows if row.level == level and row.held == held
    ]


def test_blocks_above_the_cut_off_are_found():
    pytest.importorskip("pydivsufsort")
    rows = run(sources(), Setting(30), 0, [Locality(0, 0)])
    assert [row.site for row in rows[:: 2 * len(LEVELS)]] == [f"site{n}" for n in range(4)]
    assert len(rows) == 4 * 2 * len(LEVELS)
    for row in rows:
        above = np.array([round(share * 30) >= row.least for share in row.shares])
        assert above.sum() >= 3
        if row.level == ONE:
            assert row.tally.blocks[above, 0].tolist() == row.tally.blocks[above, 1].tolist()
            assert row.tally.slots[above, :, 0].tolist() == row.tally.slots[above, :, 1].tolist()
        # No token of a block below the cut-off is anywhere else, but for what patterns match.
        below = row.tally.blocks[~above, 1] - row.tally.slots[~above, :, 1].sum(axis=1)
        assert below.tolist() == [0] * len(below)
        assert row.tally.lost < 0.01


def test_mutable_patterns_are_what_finds_covered_slots():
    pytest.importorskip("pydivsufsort")
    outcome = {
        (slots, mutables): np.mean(
            [r for r, _ in scores(run(sources(), Setting(30, slots=slots, mutables=mutables), 0), ONE)]
        )
        for slots in ("covered", "uncovered")
        for mutables in (True, False)
    }
    assert outcome["covered", True] > 0.1 + outcome["covered", False]
    assert outcome["covered", True] > 0.1 + outcome["uncovered", True]
    # What no pattern covers is only removed with what stands around it.
    rows = run(sources(), Setting(30, slots="uncovered"), 0, [Locality(0, 20), Locality(60, 20)])
    kept, merged = (
        total(row.tally for row in rows if row.locality.merge_gap == gap and row.held) for gap in (0, 60)
    )
    assert kept.slots[..., 1].sum() == 0
    assert merged.slots[..., 1].sum() > 0.3 * merged.slots[..., 0].sum()
    assert merged.recall > kept.recall


def test_levels():
    pytest.importorskip("pydivsufsort")
    # In all documents an idiom, and a string of nothing but what patterns match, each amid other words.
    given_sources = sources()
    idiom, shouts = "once upon a time there was a word", ("THE WHOLE STORY BELOW", "NOTHING BUT THE NEWS")
    documents = []
    for number in range(60):
        begin, rest = story(number).split("\n", 1)
        documents.append(("", f"{begin} {idiom} {rest} {shouts[number % 2]} {story(100 + number)}"))
    rows = run(Sources(given_sources.templates, {"en": documents}, {}), Setting(30), 0)
    lost = {level: sum(row.tally.clean[1] for row in rows if row.level == level) for level in LEVELS}
    assert lost[TWO] == 0
    assert 0 < lost[LITERAL] < lost[ONE]
    pieces_lost = {level: Counter() for level in (ONE, LITERAL)}
    for row in rows:
        if row.level in pieces_lost and row.held:
            pieces_lost[row.level].update(row.examples[0])
    for level, found in pieces_lost.items():
        assert found[idiom] == 4 * 20
        assert found[shouts[0]] + found[shouts[1]] == (4 * 20 if level == ONE else 0)


# --- mirrors ---


def test_word_distance_by_hand():
    assert word_distance("", "") == 0
    assert word_distance("One two", "one, TWO!") == 0
    assert word_distance("a b c d", "a x c") == 0.5
    assert word_distance("a b", "") == 1


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_word_distance_against_the_table(first, second):
    table = np.zeros((len(first) + 1, len(second) + 1), int)
    table[:, 0], table[0] = range(len(first) + 1), range(len(second) + 1)
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
    expected = table[-1, -1] / max(len(first), len(second), 1)
    assert word_distance(" ".join(first), " ".join(second)) == pytest.approx(expected)


def test_mirrors():
    pytest.importorskip("pydivsufsort")
    rows = compare_mirrors(sources(5), Setting(30), 0)
    assert len(rows) == 2 * len(METHODS)  # five templates make two pairs
    assert len({site for row in rows for site in row.sites}) == 4
    by = {method: [row for row in rows if row.method == method] for method in METHODS}
    for nothing, lines_, plain, best in zip(
        *(by[m] for m in (NOTHING, SANDWICH, PLAIN, EXPRESSIONS)), strict=True
    ):
        assert nothing.equal == 0
        assert best.distance < plain.distance < lines_.distance < nothing.distance
        assert best.to_clean < plain.to_clean < nothing.to_clean
        assert best.equal >= plain.equal
    assert compare_mirrors(sources(5), Setting(30), 0) == rows
    assert compare_mirrors(sources(1), Setting(30), 0) == []
    assert compare_mirrors(sources(), Setting(61), 0) == []


# --- the whole ---


@pytest.fixture
def made_data(tmp_path):
    """Four sites with template of their own, and clean English documents."""
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


def test_processes_change_nothing():
    pytest.importorskip("pydivsufsort")
    jobs = [partial(run, setting=Setting(size), seed=seed) for size in (10, 20) for seed in (0, 1)]
    alone, together = (_done(jobs, sources(), processes) for processes in (1, 2))
    assert len(alone) == len(together) == len(jobs)
    for first, second in zip(alone, together, strict=True):
        assert [(row.site, row.seed, row.tally.recall) for row in first] == [
            (row.site, row.seed, row.tally.recall) for row in second
        ]


def test_a_small_run(made_data, tmp_path, capsys):
    for module in ("matplotlib", "pydivsufsort"):
        pytest.importorskip(module)
    out = tmp_path / "out"
    assert main(["experiment", "expressions", "--data", str(made_data), "--out", str(out), "--quick"]) == 0
    names = {"table.md", "results.json"}
    names |= {f"{chart}.{kind}" for chart in ("documents", "shares", "mirrors") for kind in ("svg", "png")}
    assert {path.name for path in out.iterdir()} == names
    assert set(capsys.readouterr().out.split()) == {str(out / name) for name in names}
    results = json.loads((out / "results.json").read_text())
    assert results["seeds"] == [0]
    assert results["templates"] == dict.fromkeys(["news", "blog", "wiki", "shop"], 40)
    base = [r for r in results["injection"] if r["documents"] == 20 and r["cleaned"] == "held out"]
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
    for told in (
        "A quick run",
        "4 real sites",
        "| `date 12/03/2007` | yes |",
        "| 100% | 100.0",
        "| `expressions` | 100.0",
    ):
        assert told in table
    again = tmp_path / "again"
    run_expressions(again, data=made_data, quick=True)
    for path in out.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name
    other = tmp_path / "other"
    run_expressions(other, data=made_data, names=["news", "blog", "wiki"], quick=True, seed=5)
    told = json.loads((other / "results.json").read_text())
    assert (told["seeds"], len(told["templates"])) == ([5], 3)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--data", "nowhere"], "no measuring data in nowhere"),
        (["--sites", "blog,nosuch"], "unknown set 'sites/nosuch'"),
        (["--seed", "-1"], "the seed must not be negative"),
    ],
)
def test_what_the_user_can_mend(made_data, tmp_path, capsys, arguments, told):
    pytest.importorskip("matplotlib")
    given_ = ["--data", str(made_data), "--out", str(tmp_path / "out"), "--quick", *arguments]
    assert main(["experiment", "expressions", *given_]) == 2
    assert told in capsys.readouterr().err


def test_sites_without_template(labelled_data, tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(UserError, match="template text to inject"):
        run_expressions(tmp_path / "out", data=labelled_data, quick=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write to"):
        run_expressions(tmp_path / "file" / "out", data=labelled_data)


def test_a_missing_extra_is_told_before_anything_runs(made_data, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'detemplate\[experiments\]'"):
        run_expressions(tmp_path / "out", data=made_data)
    assert not (tmp_path / "out").exists()


@pytest.mark.data
def test_a_quick_run_on_real_sites(data_dir, tmp_path):
    for module in ("matplotlib", "pydivsufsort"):
        pytest.importorskip(module)
    out = tmp_path / "out"
    run_expressions(out, data=data_dir, names=["dostips", "webstandards"], quick=True)
    results = json.loads((out / "results.json").read_text())

    def of(**wanted):
        wanted = {
            "level": ONE,
            "cleaned": "held out",
            "merge_gap": DEFAULT.merge_gap,
            "min_sliver": DEFAULT.min_sliver,
            "documents": 50,
        } | wanted
        (found,) = [r for r in results["injection"] if wanted.items() <= r.items()]
        return found

    covered = of(slots="covered", mutables=True)
    assert covered["recall_by_share"]["1"][0] > 0.95
    assert covered["precision"][0] > 0.9
    assert of(slots="covered", mutables=False)["recall"][0] < covered["recall"][0] - 0.1
    assert of(slots="uncovered", mutables=True)["recall"][0] < covered["recall"][0] - 0.1
    assert of(slots="covered", mutables=True, level=LITERAL)["precision"][0] >= covered["precision"][0]
    quality = results["quality"]["expressions"]["sites"]
    assert quality["kept"][0] > 0.8
