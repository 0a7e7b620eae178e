"""Page-level templateness: the visible tree, penalties, variants, sections, and pages that are not judged."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate import Cleaner
from detemplate.algorithms.isotonic import isotonic_smooth
from detemplate.detectors.pagelevel import PageLevel, merged, penalties
from detemplate.detectors.pagemodel import SHIPPED, model_of
from detemplate.detectors.registry import factory
from detemplate.errors import PageError, UserError
from detemplate.features.node import NAMES, node_features
from detemplate.layout.layout import Layout, estimated_layout
from detemplate.layout.visible import visible_tree
from detemplate.output.result import Result
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.page import Page
from lab.layouts.storing import LayoutWriter
from tests.support.helpers import made_page

WORDS = st.sampled_from(["short", "a few words here", "a longer run of words " * 8, "words " * 120])
TREES = st.recursive(
    st.one_of(WORDS, st.sampled_from(["<img width=90 height=90>", "<br>", "<!-- c -->", "<script>1</script>"])),
    lambda inner: st.tuples(
        st.sampled_from(["div", "p", "ul", "li", "a href='/x'", "b", "nav", "div style='display:none'", "td"]),
        st.lists(inner, max_size=4),
    ).map(lambda made: f"<{made[0]}>{' '.join(made[1])}</{made[0].split()[0]}>"),
    max_leaves=25,
)  # fmt: skip


def verdict_of(html, **options):
    page = Page("http://e.org/", html)
    return page, factory("pagelevel", options, streaming=True)().score(page)


def random_layout(page, seed):
    """Make boxes of all sizes that may overlap, as a browser's; comments and scripts have none."""
    draw = np.random.default_rng(seed)
    kind = page.columns.kind
    boxed = (kind == ELEMENT) | (kind == TEXT)
    numbers = [
        (draw.lognormal(4, 1.5, len(kind)) * boxed * (draw.random(len(kind)) < 0.8)).astype(np.float32)
        for _ in range(4)
    ]
    return Layout(numbers[0], numbers[1], numbers[2], numbers[3], 1024.0, 3000.0)


@given(TREES, st.integers(0, 99))
def test_visible_tree_against_walks_to_the_top(html, seed):
    page = Page("http://e.org/", html)
    layout, columns = random_layout(page, seed), page.columns
    areas = layout.width.astype(float) * layout.height
    visible = [
        kind in (ELEMENT, TEXT) and area >= 2000 for kind, area in zip(columns.kind, areas, strict=True)
    ]

    def nearest(row):
        while row >= 0 and not visible[row]:
            row = int(columns.parent[row])
        return row

    tree = visible_tree(page, layout)
    rows = [row for row in range(len(columns)) if visible[row]]
    assert tree.rows.tolist() == rows
    number = {row: place for place, row in enumerate(rows)} | {-1: -1}
    assert tree.near.tolist() == [number[nearest(row)] for row in range(len(columns))]
    assert tree.parent.tolist() == [
        number[nearest(int(columns.parent[row]))] if columns.parent[row] >= 0 else -1 for row in rows
    ]
    assert tree.area.tolist() == [areas[row] for row in rows]
    hidden = [0] * len(rows)
    for row in range(len(columns)):
        shown = layout.width[row] > 0 or layout.height[row] > 0
        if shown and not visible[row] and columns.kind[row] in (ELEMENT, TEXT) and nearest(row) >= 0:
            hidden[number[nearest(row)]] += 1
    assert tree.hidden.tolist() == hidden
    for formula in ("area", "nodes", "parent", "area*parent", "nodes+area*parent*nodes"):
        wanted = []
        for place, row in enumerate(rows):
            above = tree.parent[place]
            page_area = max(1024.0 * 3000.0, *areas[rows])
            ratio = {
                "area": page_area / areas[row],
                "nodes": len(columns) / (columns.end[row] - row),
                "parent": (areas[rows[above]] if above >= 0 else page_area) / areas[row],
            }
            wanted.append(
                sum(math.prod(ratio[name] for name in term.split("*")) for term in formula.split("+"))
            )
        assert penalties(formula, page, layout, tree) == pytest.approx(wanted)


@given(TREES, st.sampled_from(["area", "nodes+parent"]), st.sampled_from([0.0, 0.01, 1.0]))
def test_a_segment_has_the_smoothed_score_of_the_lowest_visible_node_around_it(html, formula, factor):
    page, verdict = verdict_of(html, penalty=formula, factor=factor)
    layout = estimated_layout(page)
    tree = visible_tree(page, layout)
    own = model_of("").scores(node_features(page, layout)[tree.rows], tree.area)
    smoothed = isotonic_smooth(
        tree.parent, own, factor * penalties(formula, page, layout, tree), tree.hidden + 1
    )
    wanted, starts = [], []
    for row in page.segments:
        leaf = int(tree.near[row])
        wanted.append(smoothed.scores[leaf] if leaf >= 0 else 0.0)
        starts.append(int(tree.rows[smoothed.sections[leaf]]) if leaf >= 0 else -1)
    if wanted and min(wanted) > 0.5:  # a page that is template as a whole
        wanted = [0.5 if np.float32(score) == np.float32(min(wanted)) else score for score in wanted]
    assert verdict.scores.tolist() == pytest.approx(wanted)
    assert verdict.sections.tolist() == starts
    assert not len(verdict) or not verdict.template.all()
    for start in set(starts):
        assert len(set(verdict.scores[verdict.sections == start].tolist())) == 1


LEAVES = st.lists(st.tuples(st.integers(-1, 3), st.sampled_from([0.0, 0.1, 0.25, 0.6, 0.9])), max_size=12)


@given(LEAVES, st.sampled_from([0.0, 0.15, 0.2, 0.5, 1.0]))
def test_merging_against_a_loop(leaves, delta):
    by_leaf = {leaf: score for leaf, score in leaves if leaf >= 0} | {-1: 0.0}
    numbers = [leaf for leaf, _ in leaves]
    groups = []
    for place, leaf in enumerate(numbers):
        before = numbers[place - 1] if place else None
        joins = before is not None and (
            leaf == before or (min(leaf, before) >= 0 and abs(by_leaf[leaf] - by_leaf[before]) < delta)
        )
        if joins:
            groups[-1].append(place)
        else:
            groups.append([place])
    scores, firsts = merged(np.array(numbers, np.int32), np.array([by_leaf[leaf] for leaf in numbers]), delta)
    assert firsts.tolist() == [group[0] for group in groups for _ in group]
    means = [np.mean([by_leaf[numbers[place]] for place in group]) for group in groups for _ in group]
    assert scores == pytest.approx(means)


def test_one_page_of_an_unknown_site_is_enough():
    cleaner = Cleaner(method="pagelevel")
    menu = "".join(f"<li><a href='/{number}'>Section {number}</a></li>" for number in range(12))
    text = "This is a paragraph of an article, of which there are several, with many words in each. " * 6
    result = cleaner.clean(
        (
            "http://new.org/a.html",
            f"<title>On rivers</title><nav><ul>{menu}</ul></nav><h1>On rivers</h1>"
            + f"<p>{text}</p>" * 5
            + f"<footer><ul>{menu}</ul></footer>",
        )
    )
    assert "Section" not in result.text
    assert result.text.count("This is a paragraph") == 30
    sections = result.sections
    assert sections is not None
    assert sorted(segment for section in sections for segment in section) == list(range(result.segments))
    assert [section[0] for section in sections] == sorted(section[0] for section in sections)
    assert len(sections) < result.segments / 3
    sections_row = result.as_dict(explain=True)["sections"]
    assert [each["template"] for each in sections_row] == [
        bool(result.verdict.template[own[0]]) for own in sections
    ]
    assert sections_row[0]["text"].startswith("Section 0 Section 1")
    assert "sections" not in result.as_dict()
    assert "section of <" in result.removed()[0]["reason"]


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<body style='display:none'><p>hidden words</p><p>more</p>", "not judged"),
        ("<style>p{}</style><body hidden><nav><a href='/'>Home</a></nav>", "not judged"),
        ("<p>word", "least template of a page that all looks so"),
        ("word", "least template of a page that all looks so"),
        ("<a href='/'>Home</a>", "looks"),
    ],
)
@pytest.mark.parametrize("variant", ["smooth", "basic", "basic+merge"])
def test_a_page_that_cannot_be_judged_is_kept(html, reason, variant):
    page, verdict = verdict_of(html, variant=variant)
    assert not verdict.template.any()
    assert all(verdict.explain(segment) for segment in range(len(page.segments)))
    assert reason in verdict.explain(0)
    assert Result(page, verdict, "pagelevel").sections


def test_models_refuse_layouts_of_the_other_kind(tmp_path):
    path = str(tmp_path / "layout.parquet")
    with LayoutWriter(path, {}) as writer:
        writer.write(made_page(1), estimated_layout(made_page(1)))
    rendered, estimated = (tmp_path / f"{kind}.json" for kind in ("rendered", "estimated"))
    for model in (rendered, estimated):
        model.write_text(json.dumps(json.loads(SHIPPED.read_text()) | {"layout": model.stem}))
    factory("pagelevel", {"model": str(rendered), "layout": path}, streaming=True)
    factory("pagelevel", {"model": str(estimated)}, streaming=True)
    with pytest.raises(UserError, match=r"rendered.json was trained with rendered layouts: give a file of"):
        factory("pagelevel", {"model": str(rendered)}, streaming=True)
    for own, name in (({"model": str(estimated)}, "estimated.json"), ({}, "the shipped model")):
        with pytest.raises(UserError, match=f"{name} was trained with estimated layouts"):
            factory("pagelevel", {**own, "layout": path}, streaming=True)


def shipped():
    return json.loads(SHIPPED.read_bytes())


BROKEN = {
    "no JSON": "{",
    "no object": [],
    "no model": {},
    "another version": {"version": 2},
    "no layout": {"layout": "guessed"},
    "unknown features": {"features": ["beauty"]},
    "a feature twice": {"features": [*NAMES[:-1], NAMES[0]]},
    "no classifiers": {"classifiers": []},
    "a cut too few": {"cut_points": [1, 2]},
    "cuts that fall": {"cut_points": [3, 2, 1]},
    "a number too few": {"classifiers": [{"intercept": 1, "coefficients": [1], "means": [1], "scales": [1]}]},
    "numbers that are none": {"cut_points": [1, "2", 3]},
    "not a number": {"cut_points": [1, math.nan, 3]},
    "a number beyond floats": {"cut_points": [1, 2, 10**400]},
    "a classifier that is none": {"classifiers": [1, 2, 3, 4]},
    "min_area": {"min_area": None},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_files_that_are_no_model(broken, tmp_path):
    path = tmp_path / "model.json"
    whole = {**shipped(), **broken} if isinstance(broken, dict) and broken else broken
    path.write_text(whole if isinstance(whole, str) else json.dumps(whole))
    with pytest.raises(
        UserError, match=r"is no page-level model: it.*make one with detemplate train"
    ) as error:
        model_of(str(path))
    assert "\n" not in str(error.value)


def test_stored_layouts_are_used(tmp_path):
    page, other = made_page(1), made_page(2)
    path = str(tmp_path / "layout.parquet")
    with LayoutWriter(path, {}) as writer:
        writer.write(page, estimated_layout(page, width=100))
    model = tmp_path / "model.json"
    model.write_text(json.dumps(json.loads(SHIPPED.read_text()) | {"layout": "rendered"}))
    plain, stored = PageLevel(), factory("pagelevel", {"model": str(model), "layout": path}, streaming=True)()
    assert stored.score(page).scores.tolist() != plain.score(page).scores.tolist()
    with pytest.raises(PageError, match=r"no layout: .*layout.parquet lacks this page"):
        stored.score(other)


@pytest.mark.data
def test_the_shipped_model_was_trained_on_training_sites_only(data_dir):
    parts = {
        site["site"]: site["part"] for site in json.loads((data_dir / "sites" / "sites.json").read_text())
    }
    assert {parts[name] for name in shipped()["sites"]} == {"train"}
