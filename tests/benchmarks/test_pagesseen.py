"""Quality against the pages seen: draws, scores of fresh detectors, means by a recount, the files."""

import json
from dataclasses import replace

import pytest

from benchmarks import pages_seen
from benchmarks.support.pagesseen import Part, Plan, draws, measure_part, parts_of
from lab.labelled.datasets import load_sets
from lab.labelled.measure import Method, score_page
from tests.support.made_sets import write_set

PLAN = Plan(("segments",), seen=(1, 2, 4, 6, 12), pages_per_site=3)
SITES = {"blog": ("train", 14), "news": ("train", 12), "tiny": ("train", 3), "wiki": ("test", 12)}
HOSTS = {"a.org": 6, "b.org": 6, "c.org": 7, "d.org": 6, "e.org": 5, "f.org": 2}


def made(number, site):
    """Make a page with a menu, a line that every third page shares, and an article."""
    shared, own = f"archive shelf {number % 3}", f"{site} story number {number} tells of things"
    html = (
        f"<nav><ul><li>Start page<li>All news</ul></nav><p class=x>{shared}<h1>{own}</h1><p>Imprint of {site}"
    )
    record = {"id": f"{site}/{number}", "url": f"http://{site}/{number}", "site": site, "html": html}
    return record, own, f"Start page All news {shared} Imprint of {site}"


def labelled(site, count, *, gold_from=0):
    pages = [made(number, site) for number in range(count)]
    gold = [
        {"id": page["id"], "type": "x", "text": own, "outside": rest} for page, own, rest in pages[gold_from:]
    ]
    return [page for page, _, _ in pages], gold


@pytest.fixture(scope="module")
def data(tmp_path_factory):
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
def curves(data):
    return [
        curve
        for part in parts_of(load_sets(["sites", "dragnet-hosts"], data))
        for curve in measure_part(PLAN, part)
    ]


def test_scores_are_those_of_a_detector_that_learned_just_these_pages(data):
    [blog] = load_sets(["sites/blog"], data)
    plan = replace(PLAN, pages_per_site=2)
    pages = list(blog.pages())
    drawn = draws(len(pages), range(2, len(pages)), plan, "sites/blog/blog")
    curves = measure_part(plan, Part(blog))
    assert [curve.page for curve in curves] == [pages[target].id for target, _ in drawn]
    for (number, others), curve in zip(drawn, curves, strict=True):
        target = pages[number]
        assert target.gold is not None
        for n, row in zip(plan.seen, curve.rows, strict=True):
            # The target comes last here: the order does not matter to these methods.
            site = [pages[other] for other in (*others[: n - 1], number)]
            [text] = Method("segments").run([(page.url, page.html) for page in site], [n - 1]).texts
            assert row == score_page("site", target.gold, target.html, text)


def test_command(data, tmp_path, monkeypatch):
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
