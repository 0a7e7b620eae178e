"""The tables of a crawl: rows against the pages, both outputs, and runs that fail."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from detemplate.errors import PageError, UserError
from detemplate.io.sources.open import open_sources
from detemplate.links.tables import LINKS, PAGELETS, PAGES, TABLES, TableWriter, extract
from detemplate.links.tabulating import tabulate
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelets
from detemplate.page.urls import page_key
from tests.support.soup import HARD, soups

ITEMS = "".join(f"<li><a href='{name}.html'>{name}</a>" for name in ("one", "two", "three"))


def rows(pages, **options):
    found = {name: [] for name in TABLES}
    for tables in extract(pages, **options):
        for name, batch in tables._asdict().items():
            assert batch.schema == TABLES[name]
            batch.validate(full=True)
            found[name] += batch.to_pylist()
    return found


def test_the_contract():
    """Other programs read these names and types."""
    assert [f"{field.name} {field.type}" for field in PAGES] == [
        "page_key int64", "url string", "site string", "title string", "page_shingle int64", "text string",
        "pagelets int32", "links int32",
    ]  # fmt: skip
    assert [f"{field.name} {field.type}" for field in PAGELETS] == [
        "page_key int64", "pagelet_serial int32", "pagelet_shingle int64", "links int32", "start int32", "stop int32",
        "text string",
    ]  # fmt: skip
    assert [f"{field.name} {field.type}" for field in LINKS] == [
        "src_page_key int64", "src_pagelet_serial int32", "link_serial int32", "dest_page_key int64",
        "dest_url string", "anchor string", "context string",
    ]  # fmt: skip


def test_one_page():
    page = Page(
        "HTTP://E.org:80/d/one.html#x",
        f"<title>A &amp; B</title><ul>{ITEMS}</ul>loose <a href='mailto:x@y'>mail</a><p>Some <b>text</b>"
        "<a href='/four'>four</a></p>",
    )
    found = rows([page])
    key = page_key("http://e.org/d/one.html")
    [row] = found["pages"]
    assert row.pop("page_shingle") != 0
    assert row == {
        "page_key": key, "url": "http://e.org/d/one.html", "site": "e.org", "title": "A & B", "pagelets": 4, "links": 4,
        "text": "one two three loose mail Some textfour",
    }  # fmt: skip
    assert [row["page_key"] for row in found["pagelets"]] == [key] * 4
    assert [row["pagelet_serial"] for row in found["pagelets"]] == [0, 1, 2, 3]
    assert [row["text"] for row in found["pagelets"]] == ["", "one two three", "mail", "Some textfour"]
    assert [row["links"] for row in found["pagelets"]] == [0, 3, 0, 1]
    assert [row["pagelet_shingle"] is None for row in found["pagelets"]] == [True, False, False, False]
    starts = [page.canonical[row["start"] : row["stop"]] for row in found["pagelets"]]
    assert starts[1].startswith(b"<ul><li>")
    assert starts[1].endswith(b"</ul>")
    assert [tuple(row.values()) for row in found["links"]] == [
        (key, 1, 0, key, "http://e.org/d/one.html", "one", "one two three"),
        (key, 1, 1, page_key("http://e.org/d/two.html"), "http://e.org/d/two.html", "two", "one two three"),
        (
            key,
            1,
            2,
            page_key("http://e.org/d/three.html"),
            "http://e.org/d/three.html",
            "three",
            "one two three",
        ),
        (key, 3, 3, page_key("http://e.org/four"), "http://e.org/four", "four", "Some textfour"),
    ]


def check(pages):
    """The three tables agree with each other and with the pages."""
    found = rows(pages)
    assert [row["page_key"] for row in found["pages"]] == [page_key(page.url) for page in pages]
    for page, row in zip(pages, found["pages"], strict=True):
        its_pagelets = [one for one in found["pagelets"] if one["page_key"] == row["page_key"]]
        its_links = [one for one in found["links"] if one["src_page_key"] == row["page_key"]]
        assert (len(its_pagelets), len(its_links)) == (row["pagelets"], row["links"])
        assert len(its_pagelets) == len(pagelets(page))
        assert [one["pagelet_serial"] for one in its_pagelets] == list(range(len(its_pagelets)))
        assert [one["link_serial"] for one in its_links] == list(range(len(its_links)))
        for one in its_pagelets:
            held = sum(link["src_pagelet_serial"] == one["pagelet_serial"] for link in its_links)
            assert one["links"] == held
            assert one["text"] in row["text"]
            assert (one["pagelet_shingle"] is None) == (not one["text"] and not held)
        for link in its_links:
            assert link["anchor"] in link["context"]
            assert page_key(link["dest_url"]) == link["dest_page_key"]


@given(st.lists(st.one_of(soups, st.sampled_from(HARD)), max_size=4))
def test_tables_of_anything_agree(markups):
    pages = []
    for number, html in enumerate(markups):
        try:
            pages.append(Page(f"http://e.org/{number}", html + f"<ul>{ITEMS}</ul>"))
        except PageError:
            continue
    check(pages)


def test_a_killed_run_leaves_no_half_output(tmp_path):
    code = (
        "import sys, time\nfrom tests.links.test_tables import *\n"
        "with TableWriter(sys.argv[1]) as writer:\n"
        "    writer.write(next(extract([Page('http://e.org/', '<p>x')])))\n    print('written', flush=True)\n    time.sleep(60)"
    )
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", code, f"{tmp_path}/tables/"],
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert process.stdout.readline() == b"written\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert not (tmp_path / "tables").exists()
    assert all(path.name.startswith(".") for path in tmp_path.iterdir())


def test_outputs_that_cannot_be(tmp_path):
    with pytest.raises(UserError, match="end its name in /"):
        TableWriter(str(tmp_path / "tables.json"))
    with pytest.raises(UserError, match="no directory"):
        TableWriter(f"{tmp_path}/none/tables/")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(UserError, match="not empty"):
        TableWriter(str(tmp_path / "full"))
    for option in ("k", "width", "sketch"):
        with pytest.raises(UserError, match=option):
            tabulate(open_sources([str(tmp_path)]), f"{tmp_path}/t/", **{option: 0})
    assert not (tmp_path / "t").exists()


def test_the_command(tmp_path, said):
    source = tmp_path / "pages.jsonl"
    pages = [{"url": f"http://e.org/{at}", "html": f"<ul>{ITEMS}</ul><p>page {at}"} for at in (1, 2, 2)]
    source.write_text("\n".join(map(json.dumps, [*pages, {"url": "http://e.org/3", "html": ""}])))
    given = [str(source), "-o", f"{tmp_path}/t/", "--rejects", f"{tmp_path}/rejects.jsonl", "-k", "2"]
    told = said("graph", "tables", *given)
    assert "2 pages, 6 pagelets, 6 links (0 to pages that are there)" in told
    assert "skipped 2: 1 duplicate url, 1 empty" in told
    assert json.loads((tmp_path / "rejects.jsonl").read_text())["url"] == "http://e.org/3"
    assert "not empty" in said("graph", "tables", *given, code=2)
    assert not said("graph", "tables", *given, "--overwrite", "--quiet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pages.jsonl", "rejects.jsonl", "t"]
