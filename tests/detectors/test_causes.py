"""The causes that reasons name: their numbers are right, and what is neutralised without them moves the score."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import detemplate
from detemplate import Cleaner
from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto import reasons
from detemplate.detectors.auto.detector import Auto
from detemplate.detectors.auto.model import model_of
from detemplate.detectors.auto.reasons import GROUPS, REPEATED, Reasons, counterparts
from detemplate.detectors.auto.stages import PageOdds, PageStage
from detemplate.detectors.base import Asked
from detemplate.detectors.causes import Reason, causes_of
from detemplate.detectors.registry import factory
from detemplate.features.segment import FEATURE_GROUPS, segment_features
from detemplate.page.page import Page
from tests.support.auto_sites import NO_WORDS

BOOK = Path(__file__).parents[2] / "examples" / "rustbook"
WORDS = ["river", "stone", "cloud", "lamp", "paper", "music", "ship", "garden", "winter", "market", "bread", "letter", "window", "corner", "bridge", "silver", "field", "morning", "copper", "engine", "valley", "number", "forest", "harbour", "story", "summer", "candle", "island", "mirror"]  # fmt: skip
PAGES = 12


def made(number, menu):
    """Make a page whose menu and footer are given, and whose article is its own."""
    draw = np.random.default_rng(number)
    text = ". ".join(" ".join(draw.choice(WORDS, 9)).capitalize() for _ in range(6))
    return Page(
        f"http://e.org/d/{number}.html",
        f"<title>T</title><body><div class=menu><a href=/a>{menu} one</a> <a href=/b>{menu} two</a> <a href=/c>{menu} three</a>\n</div>"
        f"\n<div class=body><h1>Page {number}</h1>\n<p>{text}.</p></div>\n<div class=foot>All rights of {menu}</div>\n",
    )


def scored(method, menus, at=5):
    """Let a method learn pages with these menus, and score one of them."""
    options = {"min_df": 3} if method in {"segments", "shingles"} else {}
    detector = factory(method, options, streaming=False)()
    pages = [made(number, menu) for number, menu in enumerate(menus)]
    for page in pages:
        detector.learn(page)
    return pages[at], detector.score(pages[at])


ONE_CAUSE = {
    "segments": "repeated", "sitelevel": "element", "shingles": "block_repeated", "pagelets": "pagelet",
    "sandwich": "shared_lines", "styletree": "element_content", "expressions": "expression",
}  # fmt: skip
"""The cause by which each method of the papers finds template."""


@pytest.mark.parametrize("method", detemplate.methods())
def test_every_reason_names_its_causes(method):
    page, verdict = scored(method, ["Menu"] * PAGES)
    for segment in range(len(page.segments)):
        reason = verdict.explain(segment)
        assert isinstance(reason, Reason)
        assert verdict.causes(segment) == causes_of(reason) != ()
        assert "\n" not in reason
        assert len(reason) < 300
        for cause in verdict.causes(segment):
            assert cause.code.replace("_", "").isalnum()
            assert -1 <= cause.weight <= 1
            assert json.loads(json.dumps(cause.as_dict())) == cause.as_dict()
        if verdict.template[segment]:
            assert verdict.causes(segment)[0].weight > 0
    there = pickle.loads(pickle.dumps(verdict))
    for segment in range(len(page.segments)):
        assert there.explain(segment) == verdict.explain(segment)
        assert there.causes(segment) == verdict.causes(segment)


@pytest.mark.parametrize("method", ONE_CAUSE)
def test_the_cause_of_a_papers_method_decides(method):
    """The menu is template for its cause; where each page has its own menu, it is not."""
    page, verdict = scored(method, ["Menu"] * PAGES)
    menu = [page.segment_text(segment) for segment in range(4)].index("Menu one")
    assert verdict.template[menu], method
    cause = verdict.causes(menu)[0]
    assert (cause.code, cause.weight) == (ONE_CAUSE[method], 1.0)
    if "pages" in cause.values:
        assert cause.values["pages"] == PAGES
        assert str(PAGES) in verdict.explain(menu)
    own = [" ".join(pair) for pair in zip(WORDS, reversed(WORDS), strict=True)][:PAGES]
    _, neutral = scored(method, own)
    assert not neutral.template[menu], method
    assert neutral.causes(menu)[0].weight < 0


def book():
    return [
        Page(f"https://doc.rust-lang.org/book/{path.name}", path.read_text(encoding="utf-8"))
        for path in sorted(BOOK.glob("*.html"))
    ]


def rejudged(detector, page, template, left_out):
    """Judge a page anew, all steps, without some causes; give the log-odds of content before smoothing."""
    model = model_of("")
    asked = detector.ask(page)
    stage = PageStage.run(page, model.vocabulary, model.page)
    table = stage.features.table.copy()
    text, menu = counterparts(stage.content, stage.features.words)
    about = {GROUPS[code] for code in left_out & GROUPS.keys()}
    columns = np.array([group in about for group in FEATURE_GROUPS])
    for which, other in ((template, text), (~template, menu)):
        table[np.ix_(which, columns)] = stage.features.table[other, columns]
    content = sigmoid(model.page.sums(table))
    anew = PageStage.of(page, stage.features._replace(table=table), content)
    kept = asked.kept._replace(stage=anew, odds=PageOdds.of(model.site, anew))
    answer = None if REPEATED in left_out else detector.answer(asked.query)
    verdict = detector.judge(page, Asked(asked.query, kept), answer)
    return np.asarray(verdict.explain.steps.joined, np.float64)


def moves(pages, looked):
    """Measure how far segments move towards the other side without the causes that their reasons name.

    Gives the log-odds without the named causes, those without as many of the weakest, and the share of the
    segments that change sides without the named ones.
    """
    detector = Auto()
    for page in pages:
        detector.learn(page)
    without_named, without_weakest, flipped = [], [], []
    for page in looked:
        verdict = detector.score(page)
        explain = verdict.explain
        assert isinstance(explain, Reasons)
        steps, removed, kept = explain.steps, explain.effects(template=True), explain.effects(template=False)
        template = np.asarray(steps.odds > 0)
        found = {code: np.where(template, removed[code], kept[code]) for code in removed}
        before = np.asarray(steps.joined, np.float64)
        codes = [frozenset(cause.code for cause in verdict.causes(n)) for n in range(len(template))]
        for named in set(codes):
            judged = set(named) & {*GROUPS, REPEATED}
            if not judged:
                continue
            own = np.array([each == named for each in codes])
            side = np.where(template, 1, -1)[own]
            after = rejudged(detector, page, template, judged)[own]
            without_named += (side * (after - before[own])).tolist()
            flipped += ((side * before[own] < 0) & (side * after > 0)).tolist()
            sizes = {code: float(np.mean(side * found[code][own])) for code in {*GROUPS, REPEATED}}
            weakest = set(sorted(sizes, key=sizes.__getitem__)[: len(judged)])
            other = rejudged(detector, page, template, weakest)[own]
            without_weakest += (side * (other - before[own])).tolist()
    return np.array(without_named), np.array(without_weakest), float(np.mean(flipped))


def check_moves(name, pages, looked):
    """Without the named causes segments move to the other side; without the weakest they do not."""
    named, weakest, flipped = moves(pages, looked)
    print(
        f"{name}: {len(named)} segments, {np.mean(named > 0):.2%} move, by {named.mean():.2f} log-odds; "
        f"without the weakest {weakest.mean():.2f}; {flipped:.1%} change sides"
    )
    assert len(named) > 150
    assert np.mean(named > 0) > 0.99
    assert named.mean() > 4 * max(weakest.mean(), 0.1)


def test_the_causes_that_auto_names_are_those_that_matter():
    pages = book()
    check_moves("the example site", pages, pages[1:9:4])


def placed(page):
    """Give the slot and the text of each segment."""
    columns, slots = page.columns, segment_features(page, NO_WORDS).node_slots
    rows = columns.segments
    return list(zip(slots[columns.parent[rows]].tolist(), columns.content[rows].tolist(), strict=True))


def test_auto_counts_what_can_be_counted_on_the_pages():
    pages = book()
    detector = Auto()
    for page in pages:
        detector.learn(page)
    page = pages[3]
    verdict = detector.score(page)
    own, others = placed(page), [{*placed(other)} for other in pages if other is not page]
    checked = 0
    for segment, key in enumerate(own):
        for cause in verdict.causes(segment):
            if cause.code == REPEATED:
                assert cause.values["of"] == len(others)
                assert cause.values["pages"] == sum(key in each for each in others)
                checked += 1
            if cause.code == "text":
                assert cause.values["words"] == len(page.segment_text(segment).split())
    assert checked > 50


def judged(html):
    return Cleaner().clean(("http://e.org/", html)).verdict


def test_many_texts_are_explained_by_a_few(monkeypatch):
    """The forests judge a bounded number of segments again, and reasons name what they name of all."""
    rows = "".join(
        f"<tr><td>{WORDS[n % 29]} {n}<td><a href=/{n}>{WORDS[n % 7]}</a><td>{n * 7}" for n in range(600)
    )
    pages = [Page(f"http://e.org/{n}", f"<h1>Table {n}</h1><table>{rows}</table>") for n in range(2)]
    judged = []
    odds = reasons.stage_odds
    monkeypatch.setattr(reasons, "stage_odds", lambda *given: judged.append(len(given[3])) or odds(*given))
    named = []
    for most in (10_000, 200):
        monkeypatch.setattr(reasons, "_MOST", most)
        result = next(iter(detemplate.clean(pages)))
        named.append([[cause.code for cause in result.verdict.causes(n)] for n in range(result.segments)])
    assert (judged[0], {*judged[len(judged) // 2 :]} <= set(range(401))) == (1801, True)
    assert np.mean([few[0] in every for every, few in zip(*named, strict=True)]) > 0.95
