"""Experiments on a user's data: the two files, folders of sites, queries and judgements, labelled blocks."""

import csv
import json

import numpy as np
import pytest

from detemplate.errors import UserError
from detemplate.page.page import Page
from lab.harness.common import labelled_sets, labelled_sites
from lab.incremental.scores import PageBlocks
from lab.labelled.pages import Gold
from tests.support.commands import cli, read_rows, write_rows
from tests.support.lab import run_lab

pytest.importorskip("matplotlib")

WORDS = [
    f"{first}{second}" for first in ("ba", "ke", "mi", "do", "lu", "ra") for second in ("n", "r", "st", "m")
]


def record(site, number, kind=""):
    """Make a page with a menu and its gold, which does not say what is outside."""
    rng = np.random.default_rng([number, *site.encode()])
    text = [" ".join(rng.choice(WORDS, 12)) for _ in range(6)]
    text[0] += f" only{site}{number}"
    menu = "".join(f"<li><a href=/{site}/{n}>{site} menu entry {'abcdefghijkl'[n]}x</a>" for n in range(12))
    body = f"<ul>{menu}</ul>\n<h1>{kind} page {number}</h1>" + "\n".join(
        f"<p>{kind} {part}</p>" for part in text
    )
    html = f"<title>{kind} page {number} {text[0][:20]}</title>\n{body}\n<p>all rights reserved by {site} and its owners"
    name = f"{site}-{number}"
    page = {"id": name, "url": f"https://{site}.example/d/{number}", "site": site, "html": html}
    content = "\n".join(f"{kind} {part}" for part in [f"page {number}", *text])
    return page, {"id": name, "text": content, **({"type": kind} if kind else {})}


def write(folder, pairs, *, gold=True):
    """Write the two files, not compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in zip(
        ("pages", "gold") if gold else ("pages",), zip(*pairs, strict=True), strict=False
    ):
        write_rows(folder / f"{name}.jsonl", records)
    return folder


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Two sites in one file."""
    pairs = [record(site, n, ("course", "staff")[n % 2]) for n in range(14) for site in ("one", "two")]
    return write(tmp_path_factory.mktemp("own") / "mine", pairs)


def run_own(name, data, out, *options):
    assert run_lab([name, "--data", str(data), "--out", str(out), *options]) == 0
    return (out / "table.md").read_text()


def test_sets_and_sites_of_a_users_folder(own, tmp_path):
    assert [(each.name, each.kind, each.part) for each in labelled_sites([], own)] == [
        ("one", "site", "test"),
        ("two", "site", "test"),
    ]
    assert [each.name for each in labelled_sites(["two"], own)] == ["two"]
    [whole] = labelled_sets([], own)
    assert (whole.name, whole.count_gold(), len(list(whole.pages()))) == ("mine", 28, 28)
    page = next(labelled_sites([], own)[0].pages())
    assert set(page.gold.outside.split()) >= {"menu", "entry", "rights", "owners"}  # what the gold lacks
    assert not {"staff", *WORDS} & set(page.gold.outside.split())
    for site in ("red", "blue"):
        write(tmp_path / site, [record(site, n) for n in range(3)])
    assert [each.name for each in labelled_sites([], tmp_path)] == ["blue", "red"]
    (tmp_path / "sites.json").write_text(json.dumps([{"site": "red", "part": "train"}]))
    assert [(each.name, each.part) for each in labelled_sites([], tmp_path)] == [("red", "train")]
    with pytest.raises(UserError, match="unknown set 'green'"):
        labelled_sites(["green"], own)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "needs pages.jsonl and gold.jsonl"),
        ({"pages.jsonl": '{"id": "1", "url": "http://a/", "site": "a"}\n'}, "record 1 has no 'html'"),
        ({"pages.jsonl": "{}\n"}, "record 1 has no 'id'"),
        ({"pages.jsonl": "[\n"}, "cannot read the labelled set"),
    ],
)
def test_a_damaged_folder_is_one_line(tmp_path, capsys, files, message):
    (tmp_path / "data").mkdir()
    for name, text in files.items():
        (tmp_path / "data" / name).write_text(text)
    assert run_lab(["pagelevel", "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "options", "shown"),
    [
        ("tokens", ["--methods", "sitelevel"], "28 labelled sites (one, two)|28 pages"),
        ("classification", ["--methods", "sitelevel"], "own pages: 28 pages"),
    ],
)
def test_experiments_take_a_users_folder(own, tmp_path, name, options, shown):
    if name == "classification":
        pytest.importorskip("sklearn")
    table = run_own(name, own, tmp_path / "out", *options)
    assert any(each in table for each in shown.split("|28")), table[:2000]


def test_an_index_with_queries_and_judgements(own, tmp_path):
    pytest.importorskip("tantivy")
    pages = read_rows(own / "pages.jsonl")
    first = pages[0]["html"].partition("<p>")[2].partition("</p>")[0]
    (tmp_path / "queries").write_text(f"q1\t{first}\nq2\tmenu entry\nq3\tunjudged\n")
    (tmp_path / "qrels").write_text(f"q1 0 {pages[0]['id']} 1\nq1 0 {pages[1]['id']} 0\nq2 0 nowhere 2\n\n")
    judged = ["--queries", str(tmp_path / "queries"), "--judgements", str(tmp_path / "qrels")]
    table = run_own("index", own, tmp_path / "out", "--methods", "sitelevel", *judged)
    assert "28 pages of 2 sites. Queries: 1 topic." in table
    assert "| full text | 1.000 |" in table  # the words of the first page find it
    record_of = json.loads((tmp_path / "out" / "results.json").read_text())
    assert record_of["queries"]["sites"] == [["topic", first.lower(), [0]]]
    bare = write(tmp_path / "bare", [record("one", n) for n in range(14)], gold=False)
    (tmp_path / "qrels").write_text("q2 0 one-3 1\n")
    table = run_own("index", bare, tmp_path / "out2", "--methods", "sitelevel", *judged)
    assert "Lines kept" not in table  # no page has gold


def test_blocks_that_a_user_labels():
    page = Page(
        "https://a/", "<nav><p>Home <b>About</b></p><p>Log in</p></nav><p>Read this.</p><p>And that.</p>"
    )
    gold = Gold(blocks=(("Home  About Log in", True), ("Read this.", False), ("Log in", False)))
    blocks = PageBlocks(page, gold)
    shown = [page.segment_text(number) for number in range(len(page.segments))]
    removed = np.array([text in ("Home", "About", "Read this.", "And that.") for text in shown])
    # "Log in" has both labels, "And that." has none: neither counts.
    assert blocks.counts(removed) == (1, 2, 1)
    assert blocks.counts(~removed) == (0, 0, 1)


def test_a_crawl_with_judgements(tmp_path):
    pytest.importorskip("duckdb")

    def page(host, body):
        return {"url": f"http://{host}.example/", "html": f"<title>{host}</title><body>{body}"}

    links = "".join(f"<li><a href=http://good{n}.example/>java good {n}</a>" for n in range(4))
    bar = "".join(f"<li><a href=http://bad{n}.example/>our site {n}</a>" for n in range(4))
    pages = [
        page(f"hub{n}", f"<p>java list {n}<ul>{links}</ul><p>more{n}<ul>{bar}</ul><p>the end")
        for n in range(5)
    ]
    pages += [page(f"good{n}", f"<p>java page number {n}") for n in range(4)]
    pages += [page(f"bad{n}", f"<p>java? no, other {n}") for n in range(4)]
    source = write_rows(tmp_path / "crawl.jsonl", pages)
    cli("tables", source, "-o", f"{tmp_path / 'crawl'}/", "--quiet")
    (tmp_path / "queries").write_text("1\tjava\n")
    (tmp_path / "qrels").write_text("".join(f"1 0 http://good{n}.example/ 1\n" for n in range(4)))
    command = ["links", "--crawl", str(tmp_path / "crawl"), "--out", str(tmp_path / "out")]
    judged = ["--queries", str(tmp_path / "queries"), "--judgements", str(tmp_path / "qrels")]
    assert run_lab([*command, *judged]) == 0
    rows = list(csv.DictReader((tmp_path / "out" / "table.csv").read_text().splitlines()))
    assert {row["configuration"] for row in rows} >= {"page-vanilla", "pagelet-ft-fnm"}
    assert all(float(row["precision@10"]) <= 0.4 for row in rows)
    assert {row["relevant"] for row in rows} == {"4"}
    assert max(float(row["precision@10"]) for row in rows) == 0.4
    assert run_lab(command) == 2
    assert run_lab(["links", *judged, "--out", str(tmp_path / "out")]) == 2
