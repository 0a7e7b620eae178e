"""Measuring and averaging, with extractors whose scores are known."""

import json
from itertools import product

import pytest

from benchmarks.support.quality_report import quality_report
from lab.labelled.datasets import load_sets
from lab.labelled.measure import ExtractedTexts, SetScores, measure, score_page, summarise
from lab.labelled.metrics import visible_text
from lab.labelled.pages import Gold
from lab.labelled.tables import to_json


class Everything:
    """Returns all text of a page, and remembers the arguments of each call."""

    label = "everything"

    def __init__(self):
        self.calls = []

    def run(self, site, scored=None):
        numbers = list(range(len(site)) if scored is None else scored)
        self.calls.append((len(site), numbers))
        return ExtractedTexts([visible_text(site[number][1]) for number in numbers], timed_out=1)


class Nothing:
    """Returns empty texts."""

    label = "nothing"

    def run(self, site, scored=None):
        return ExtractedTexts(["" for _ in (range(len(site)) if scored is None else scored)])


def test_sites_are_seen_whole_and_scored_where_labelled(labelled_data):
    everything = Everything()
    [blog] = load_sets(["sites/blog"], labelled_data)
    scores = measure(everything, blog)
    assert everything.calls == [(3, [1])]
    assert scores.columns["kept"] == [1.0]
    assert scores.columns["removed"] == [0.0]
    assert scores.columns["f1"] == [pytest.approx(2 * 2 / (2 * 2 + 2))]
    assert scores.timed_out == 1


def test_titles_count_neither_way():
    html = "<title>A tale of two - Books</title><h1>A tale of two</h1><p>It was told"
    without, with_title = "It was told", "A tale of two\nIt was told"
    for text, output in product((without, with_title), repeat=2):
        gold = Gold(text=text, outside="A tale of two", metadata={"title": "A tale of two | Shop"})
        for kind in ("text", "site"):
            scores = score_page(kind, gold, html, output)
            assert scores["untitled"] == 1
            assert (scores["f1"] == 1) == (text == output)
    gold = Gold(text="It was told", metadata={"title": "Told before"})
    assert score_page("text", gold, "<p>It was told", "told before it was told")["untitled"] == 1
    assert score_page("text", gold, "", "it was told twice")["untitled"] == pytest.approx(6 / 7)


def test_summary(labelled_data):
    sets = load_sets(folder=labelled_data)
    summary = summarise(sets, {labelled.name: measure(Everything(), labelled) for labelled in sets})
    whole = summary["wcxb-dev"]
    assert (whole.pages, whole.sites) == (4, 3)
    assert whole.means["precision"].mean == pytest.approx(0.5)
    assert whole.means["recall"].mean == 1
    assert whole.means["present"].mean == 1
    assert whole.means["absent"].mean == 0
    assert summary["wcxb-dev/article"].pages == 3
    assert summary["wcxb-dev/forum"].pages == 1
    assert summary["dragnet-hosts"].means["f1"].mean == 0  # comments are neutral, the navigation is not
    assert "intact" not in summary["swde-22"].means or summary["swde-22"].means["intact"].mean == 1
    assert (summary["sites"].sites, summary["sites/train"].sites, summary["sites/test"].sites) == (2, 1, 1)
    assert summary["sites"].means["kept"].mean == 1


def test_a_site_counts_once(labelled_data):
    sets = load_sets(["sites"], labelled_data)
    scores = {name: SetScores() for name in ("sites/blog", "sites/wiki")}
    for kept in (1.0, 1.0, 1.0):
        scores["sites/blog"].add("x", "blog", {"kept": kept, "removed": 1.0, "f1": 1.0})
    scores["sites/wiki"].add("x", "wiki", {"kept": 0.0, "removed": 1.0, "f1": 0.0})
    assert summarise(sets, scores)["sites"].means["kept"].mean == 0.5


def test_report_and_json(labelled_data):
    sets = load_sets(folder=labelled_data)
    summaries = {
        e.label: summarise(sets, {labelled.name: measure(e, labelled) for labelled in sets})
        for e in (Everything(), Nothing())
    }
    report = quality_report(summaries, ["everything"])
    lines = report.splitlines()
    main, further = [line for line in lines if line.startswith("| everything | **0.667** [")]
    assert (main.count("|"), further.count("|")) == (6, 13)
    [languages] = [place for place, line in enumerate(lines) if line == "## daniel-test by language: F1"]
    assert lines[languages + 2] == "|  | el (1) | zh (1) |"
    assert "| nothing | 0.000 |" in report
    assert any(line.startswith("| everything | **1.000** [1.000, 1.000] | 0.000 [") for line in lines)
    figures = json.loads(json.dumps(to_json(summaries["everything"])))
    assert figures["wcxb-dev"]["recall"] == [1.0, 1.0, 1.0]
    assert figures["sites"]["sites"] == 2
