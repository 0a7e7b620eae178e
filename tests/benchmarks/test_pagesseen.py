"""Quality against the pages seen: draws, scores of fresh detectors, means by a recount, the files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import pages_seen
from benchmarks.support.pagesseen import PARTS, Curve, Part, Plan, draws, measure_part, parts_of
from benchmarks.support.pagesseen_report import figures_csv, pages_csv, pagesseen_report
from benchmarks.support.pagesseen_summary import Group, falls, grouped, mean_over, panel_end, site_lines
from detemplate.engines.cleaner import Cleaner
from detemplate.errors import PageError, UserError
from lab.harness.command import run
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.datasets import load_sets
from lab.labelled.measure import Method, score_page
from lab.labelled.pages import LabelledSet
from tests.support.made_sets import write_set

if TYPE_CHECKING:
    from pathlib import Path

    from detemplate import Page
    from detemplate.output.result import Result

PLAN = Plan(("segments",), seen=(1, 2, 4, 6, 12), pages_per_site=3)
SITES = {"blog": ("train", 14), "news": ("train", 12), "tiny": ("train", 3), "wiki": ("test", 12)}
HOSTS = {"a.org": 6, "b.org": 6, "c.org": 7, "d.org": 6, "e.org": 5, "f.org": 2}


def made(number: int, site: str) -> tuple[dict[str, str], str, str]:
    """Make a page with a menu, a line that every third page shares, and an article."""
    shared, own = f"archive shelf {number % 3}", f"{site} story number {number} tells of things"
    html = (
        f"<nav><ul><li>Start page<li>All news</ul></nav><p class=x>{shared}<h1>{own}</h1><p>Imprint of {site}"
    )
    record = {"id": f"{site}/{number}", "url": f"http://{site}/{number}", "site": site, "html": html}
    return record, own, f"Start page All news {shared} Imprint of {site}"


def labelled(site: str, count: int, *, gold_from: int = 0) -> tuple[list[dict], list[dict]]:
    pages = [made(number, site) for number in range(count)]
    gold = [
        {"id": page["id"], "type": "x", "text": own, "outside": rest} for page, own, rest in pages[gold_from:]
    ]
    return [page for page, _, _ in pages], gold


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labelled sites of both parts, and a set of several hosts; one page of ``c.org`` is not readable."""
    folder = tmp_path_factory.mktemp("seen") / "data"
    for name, (_, count) in SITES.items():
        write_set(folder / "sites" / name, *labelled(name, count, gold_from=2))
    parts = [{"site": name, "part": part} for name, (part, _) in SITES.items()]
    (folder / "sites" / "sites.json").write_text(json.dumps(parts))
    pages, gold = [], []
    for host, count in HOSTS.items():
        own, own_gold = labelled(host, count)
        pages += own
        gold += own_gold
    [lost] = [page for page in pages if page["id"] == "c.org/3"]
    lost["html"] = "  "
    write_set(folder / "dragnet-hosts", pages, gold)
    return folder


@pytest.fixture(scope="module")
def curves(data: Path) -> list[Curve]:
    return [
        curve
        for part in parts_of(load_sets(["sites", "dragnet-hosts"], data))
        for curve in measure_part(PLAN, part)
    ]


@given(
    pages=st.integers(1, 40),
    gold=st.integers(0, 40),
    seen=st.lists(st.integers(1, 60), min_size=1, max_size=5, unique=True).map(sorted),
    limit=st.integers(1, 6),
    seed=st.integers(0, 9),
)
def test_draws_are_nested_and_add_to_smaller_ones(
    pages: int, gold: int, seen: list[int], limit: int, seed: int
) -> None:
    golden = list(range(max(0, pages - gold), pages))
    plan = Plan(("segments",), tuple(seen), limit, seed)
    found = draws(pages, golden, plan, "site")
    assert found == draws(pages, golden, plan, "site")
    assert len({draw.target for draw in found}) == len(found) == min(limit, len(golden))
    for draw in found:
        assert draw.target in golden
        assert len({draw.target, *draw.others}) == 1 + len(draw.others) == min(pages, seen[-1])
        assert set(draw.others) <= set(range(pages))
    more = draws(pages, golden, replace(plan, seen=(*seen, 99), pages_per_site=limit + 1), "site")
    for draw, longer in zip(found, more, strict=False):
        assert longer.target == draw.target
        assert longer.others[: len(draw.others)] == draw.others


def test_draws_depend_on_seed_and_site() -> None:
    plan = Plan(("segments",), (20,), 5)
    one = draws(100, range(100), plan, "a")
    assert one != draws(100, range(100), plan, "b")
    assert one != draws(100, range(100), replace(plan, seed=1), "a")
    # Targets do not share their companions, or a site would stand for one draw.
    for number, draw in enumerate(one):
        for other in one[:number]:
            assert len({*draw.others} & {*other.others}) < 12  # of 19; 4 are expected of chance


@pytest.mark.parametrize("method", ["segments", "sitelevel", "pagelevel"])
def test_scores_are_those_of_a_detector_that_learnt_just_these_pages(data: Path, method: str) -> None:
    [blog] = load_sets(["sites/blog"], data)
    plan = replace(PLAN, methods=(method,), pages_per_site=2)
    pages = list(blog.pages())
    drawn = draws(len(pages), range(2, len(pages)), plan, "sites/blog/blog")
    curves = measure_part(plan, Part(blog))
    assert [curve.page for curve in curves] == [pages[draw.target].id for draw in drawn]
    for draw, curve in zip(drawn, curves, strict=True):
        target = pages[draw.target]
        assert target.gold is not None
        for n, row in zip(plan.seen, curve.rows, strict=True):
            # The target comes last here: the order does not matter to these methods.
            site = [pages[number] for number in (*draw.others[: n - 1], draw.target)]
            [text] = Method(method).run([(page.url, page.html) for page in site], [n - 1]).texts
            assert row == score_page("site", target.gold, target.html, text)


def test_exactly_the_target_and_those_drawn_are_learnt(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: dict[Cleaner, list[str]] = {}
    cleaned: list[tuple[str, list[str]]] = []
    learn, clean = Cleaner.learn, Cleaner.clean

    def learn_noted(self: Cleaner, page: Page) -> None:
        learnt.setdefault(self, []).append(page.url)
        learn(self, page)

    def clean_noted(self: Cleaner, page: Page) -> Result:
        cleaned.append((page.url, [*learnt[self]]))
        return clean(self, page)

    monkeypatch.setattr(Cleaner, "learn", learn_noted)
    monkeypatch.setattr(Cleaner, "clean", clean_noted)
    [blog] = load_sets(["sites/blog"], data)
    urls = [page.url for page in blog.pages()]
    measure_part(PLAN, Part(blog))
    drawn = draws(len(urls), range(2, len(urls)), PLAN, "sites/blog/blog")
    assert cleaned == [
        (urls[draw.target], [urls[number] for number in (draw.target, *draw.others[: n - 1])])
        for draw in drawn
        for n in PLAN.seen
    ]


def test_more_pages_help_on_the_made_sites(curves: list[Curve]) -> None:
    rows = [curve.rows for curve in curves if curve.site == "blog"]
    assert all(row[0]["f1"] < row[-1]["f1"] and row[0]["kept"] == 1 for row in rows)


def test_sites_are_followed_as_far_as_their_readable_pages_reach(curves: list[Curve]) -> None:
    sizes = {name: count for name, (_, count) in SITES.items()} | HOSTS | {"c.org": 6}
    assert {curve.site: curve.pages for curve in curves} == sizes
    for curve in curves:
        assert len(curve.rows) == sum(n <= sizes[curve.site] for n in PLAN.seen)
        assert curve.page != "c.org/3"
    targets = Counter(curve.site for curve in curves)
    # Sites have two pages without gold.
    assert targets == {name: min(3, n - 2 if name in SITES else n) for name, n in sizes.items()}


def test_parts_make_up_the_set(data: Path, curves: list[Curve]) -> None:
    [hosts] = load_sets(["dragnet-hosts"], data)
    whole = measure_part(PLAN, Part(hosts))
    assert len(parts_of([hosts])) == PARTS
    parted = [curve for curve in curves if curve.set == "dragnet-hosts"]
    assert sorted(whole, key=lambda c: c.page) == sorted(parted, key=lambda c: c.page)


def test_sites_too_small_for_the_smallest_number_are_left_out(data: Path) -> None:
    [tiny] = load_sets(["sites/tiny"], data)
    assert measure_part(replace(PLAN, seen=(4, 6)), Part(tiny)) == []
    assert len(measure_part(replace(PLAN, seen=(3, 6)), Part(tiny))) == 1


def test_a_page_that_cannot_be_cleaned_counts_as_empty(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Cleaner, page: object) -> None:
        raise PageError("unparsable")

    monkeypatch.setattr(Cleaner, "clean", fail)
    [tiny] = load_sets(["sites/tiny"], data)
    [curve] = measure_part(PLAN, Part(tiny))
    assert [row["kept"] for row in curve.rows] == [0, 0]
    assert curve.crashed == 2
    [group] = grouped([curve], PLAN.seen)
    assert "2 outputs could not be made" in pagesseen_report([group], PLAN, "x")


@given(
    st.lists(st.integers(2, 60), min_size=1, max_size=30),
    st.lists(st.integers(3, 70), max_size=6, unique=True).map(lambda more: (2, *sorted(more))),
)
def test_panel_ends_where_four_of_five_pages_reach(pages: list[int], seen: tuple[int, ...]) -> None:
    wanted = 2
    for n in seen:
        if 5 * sum(size >= n for size in pages) >= 4 * len(pages):
            wanted = n
    assert panel_end(pages, seen) == wanted


SEEN = (1, 2, 5)
RECORDS = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.lists(st.integers(0, 8).map(lambda x: x / 8), min_size=3, max_size=3)
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40)
@given(RECORDS, st.fixed_dictionaries({site: st.integers(1, 7) for site in "abcd"}), st.booleans())
def test_points_are_a_recount(records: list, sizes: dict[str, int], of_sites: bool) -> None:
    curves = []
    for number, (site, values) in enumerate(records):
        reached = values[: sum(n <= sizes[site] for n in SEEN)]
        rows = tuple(
            {"f1": v, "kept": v / 2, "removed": 1.0, "precision": v / 2, "recall": 1.0} for v in reached
        )
        kind, part = ("site", "train") if of_sites else ("text", "")
        curves.append(Curve("m", "set", kind, part, site, str(number), sizes[site], rows))
    group = Group("name", curves, SEEN)

    def mean(values: list[tuple[str, float]]) -> float:
        if not of_sites:
            return fmean(value for _, value in values)
        sites = sorted({site for site, _ in values})
        return fmean(fmean(value for own, value in values if own == site) for site in sites)

    last = max(n for n in SEEN if n == 1 or 5 * sum(sizes[s] >= n for s, _ in records) >= 4 * len(records))
    assert group.panel == last
    for view, points in (("same", group.same), ("every", group.every)):
        expected = [
            n for n in SEEN if any(sizes[s] >= n for s, _ in records) and (view == "every" or n <= last)
        ]
        assert [point.seen for point in points] == expected
        for place, point in enumerate(points):
            least = last if view == "same" else point.seen
            members = [(site, values) for site, values in records if sizes[site] >= least]
            assert point.pages == len(members)
            assert point.sites == len({site for site, _ in members})
            found = {"f1": 1.0, ("kept" if of_sites else "precision"): 0.5}
            for score, factor in found.items():
                wanted = factor * mean([(site, values[place]) for site, values in members])
                assert point.scores[score].mean == pytest.approx(wanted)
            for change, base in ((point.since_first, 0), (point.since_last, place - 1)):
                if place == 0:
                    assert change is None
                    continue
                wanted = mean([(site, values[place] - values[base]) for site, values in members])
                assert change is not None
                assert change.mean == pytest.approx(wanted)
                assert falls(change) == (change.high < 0)


def test_intervals_resample_sites() -> None:
    values = [0.0, 0.5, 1.0, 1.0, 0.25]
    sites = [("s", name) for name in "aabbc"]
    assert mean_over("text", values, sites) == bootstrap_mean(values, list("aabbc"))
    assert mean_over("site", values, sites) == bootstrap_mean([0.25, 1.0, 0.25])
    # One site: its pages.
    assert mean_over("site", values[:2], sites[:2]) == bootstrap_mean(values[:2])


def test_scores_that_a_page_does_not_have_are_left_out() -> None:
    rows = [({"intact": 1.0}, {"intact": 0.0}), ({"intact": None}, {"intact": None})]
    curves = [Curve("m", "swde-22", "values", "", "s", str(n), 2, row) for n, row in enumerate(rows)]
    group = Group("swde-22", curves, (1, 2))
    assert [point.scores["intact"].mean for point in group.same] == [1, 0]
    assert group.same[1].since_last == Estimate(-1, -1, -1)
    assert site_lines(group) == [("s", (1.0, 0.0))]
    unknown = Group("swde-22", curves[1:], (1, 2))
    assert unknown.same[0].scores == {}
    assert "| 1 | – |" in pagesseen_report([unknown], replace(PLAN, seen=(1, 2)), "x")


def test_groups_are_sets_and_parts(curves: list[Curve]) -> None:
    other = [replace(curve, method="other") for curve in curves]
    groups = grouped([*curves, *other], PLAN.seen)
    names = ["sites", "sites/train", "sites/test", "dragnet-hosts"]
    assert [(g.name, g.method) for g in groups] == [(n, m) for n in names for m in ("segments", "other")]
    pages = {group.name: group.every[0].pages for group in groups}
    assert pages == {"sites": 10, "sites/train": 7, "sites/test": 3, "dragnet-hosts": 17}
    # Nine of ten pages of sites are of sites with 12 pages; two of 17 are of a host with two.
    panels = {group.name: group.panel for group in groups}
    assert panels == {"sites": 12, "sites/train": 12, "sites/test": 12, "dragnet-hosts": 4}
    train = [curve for curve in curves if curve.part == "train"]
    assert [group.name for group in grouped(train, PLAN.seen)] == ["sites/train"]


def test_the_report_names_falls_and_no_rises() -> None:
    def curve(site: int, *values: float) -> Curve:
        rows = tuple({"f1": v, "kept": 1.0, "removed": 1.0} for v in values)
        return Curve("m", f"sites/{site}", "site", "test", str(site), "p", 9, rows)

    plan = replace(PLAN, seen=(1, 2, 3))
    some = [curve(number, 0.5, 0.9, 0.8 - number / 100) for number in range(6)]
    [group] = grouped(some, plan.seen)
    assert [falls(point.since_last) for point in group.same] == [False, False, True]
    assert not any(falls(point.since_first) for point in group.same)
    report = pagesseen_report([group], plan, "x")
    [line] = [line for line in report.splitlines() if line.startswith("| m | sites/test |")]
    assert line.startswith("| m | sites/test | 3 | 2 | −0.125 [−0.1")
    assert line.endswith("▼ |")
    assert site_lines(group)[0].site == "sites/5"
    assert site_lines(group)[0].fall == pytest.approx(-0.15)
    assert "| sites/5 | 0.500 | 0.900 | 0.750 | −0.150 |" in report
    rising = grouped([curve(number, 0.5, 0.6, 0.6) for number in range(3)], plan.seen)
    report = pagesseen_report(rising, plan, "x")
    assert "Nowhere for certain: " in report
    assert "▼ |" not in report


def test_figures_and_pages_as_csv(curves: list[Curve]) -> None:
    groups = grouped(curves, PLAN.seen)
    rows = list(csv.DictReader(figures_csv(groups).splitlines()))
    for group in groups:
        for view, points in (("same", group.same), ("all", group.every)):
            own = [row for row in rows if (row["group"], row["pages"]) == (group.name, view)]
            wanted = {(str(p.seen), score): p.scores[score] for p in points for score in p.scores}
            wanted |= {(str(p.seen), "against 1"): p.since_first for p in points[1:]}
            before = pairwise(points)
            wanted |= {(str(p.seen), f"against {b.seen}"): p.since_last for b, p in before}
            found = {(row["seen"], row["figure"]): float(row["mean"]) for row in own}
            assert len(own) == len(found)
            assert found == {key: pytest.approx(e.mean, abs=1e-5) for key, e in wanted.items()}
    rows = list(csv.DictReader(pages_csv(curves, PLAN).splitlines()))
    assert len(rows) == sum(len(curve.rows) for curve in curves)
    assert {row["recall"] for row in rows if row["set"].startswith("sites/")} == {""}
    mean = fmean(float(row["f1"]) for row in rows if row["set"] == "dragnet-hosts" and row["seen"] == "2")
    assert mean == pytest.approx(groups[-1].every[1].scores["f1"].mean, abs=1e-4)


def test_command(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETEMPLATE_DATA", str(data))
    options = ["--methods", "segments,pagelevel", "--seen", "6", "1,2", "--pages-per-site", "2"]
    options += ["--sets", "sites", "dragnet-hosts"]
    for name, jobs in (("one", "1"), ("two", "2")):
        assert pages_seen.main([*options, "--jobs", jobs, "--out", str(tmp_path / name)]) == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    charts = {f"{name}.{suffix}" for name in ("pages-seen", "by-set") for suffix in ("svg", "png")}
    assert set(files) == {"table.md", "table.csv", "pages.csv", *charts}
    for name, content in files.items():
        if name != "table.md":  # it tells the command
            assert (tmp_path / "two" / name).read_bytes() == content
    assert files["pages-seen.png"].startswith(b"\x89PNG\r\n\x1a\n")
    assert files["by-set.png"].startswith(b"\x89PNG\r\n\x1a\n")
    report = files["table.md"].decode()
    assert "--methods segments,pagelevel --seen 6 1,2" in report
    for group in ("sites", "sites/train", "sites/test", "dragnet-hosts"):
        for method in ("segments", "pagelevel"):
            section = report.split(f"## {group} · {method}\n")[1].split("\n## ")[0]
            seen = [
                line.split(" | ")[0] for line in section.splitlines() if line[:3] in ("| 1", "| 2", "| 6")
            ]
            # The tests' site has six pages; a third of the hosts' pages have fewer, and so has a train site.
            whole = ["| 1", "| 2", "| 6"]
            same = whole[:2] if group == "dragnet-hosts" else whole
            assert seen == (same if group == "sites/test" else same + whole)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "segment"], "unknown method 'segment'"),
        (["--methods", ","], "at least one"),
        (["--seen", "1,x"], "--seen takes whole numbers, not '1,x'"),
        (["--seen", "0,2"], "must ascend from 1 or more, not '0,2'"),
        (["--seen", ","], "must ascend from 1"),
        (["--pages-per-site", "0"], "must be at least 1, not 0"),
        (["--pages-per-site", "many"], "invalid int value"),
        (["--seed", "-1"], "0 or more"),
        (["--jobs", "0"], "--jobs must be at least 1"),
        (["--sets", "nowhere"], "unknown set 'nowhere'"),
        (["--sets", ","], "names no set"),
        (["--sets", "sites/tiny", "--seen", "30"], "no site of these sets has 30 pages"),
        (["--out", "taken/below"], "cannot write to taken/below"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str],
    message: str,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DETEMPLATE_DATA", str(data))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(SystemExit) as stopped:
        run(lambda: pages_seen.main(["--out", "out", "--jobs", "1", *options]))
    assert stopped.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert message in error


def test_unreadable_sets_are_an_error(tmp_path: Path) -> None:
    nothing = LabelledSet("x", "text", tmp_path / "x")
    with pytest.raises(UserError, match="cannot read the labelled set"):
        measure_part(PLAN, Part(nothing))
