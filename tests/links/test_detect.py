"""The local and the global algorithm, against plain Python and on cases like the paper's."""

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from detemplate.links.detect import ALGORITHMS
from detemplate.links.engine import DuckEngine
from detemplate.links.tables import TABLES
from tests.support.helpers import slow_oracle
from tests.support.table_crawls import (
    SmallCrawl,
    plain_templates,
    sister_sites,
    small_crawls,
    stored,
)

A, B = "a.example", "b.example"


@pytest.fixture(scope="module")
def engine():
    with DuckEngine(memory="1GB", threads=1) as made:
        yield made


def run(engine, crawl, algorithm, min_pages=2):
    with TemporaryDirectory() as folder:
        for name in TABLES:
            engine.source(name, crawl.write(Path(folder)) / name)
        found = ALGORITHMS[algorithm](engine, min_pages=min_pages)
    templates = sorted(
        engine.rows("SELECT template_id, pagelet_shingle, pages, pagelets, hosts FROM templates")
    )
    members = defaultdict(set)
    rows = engine.rows("SELECT template_id, page_key, pagelet_serial FROM template_pagelets")
    for template, page, serial in rows:
        members[template].add((page, serial))
    assert len(rows) == sum(map(len, members.values())) == found.pagelets
    assert found.templates == len(templates)
    assert found.pages == len({page for _, page, _ in rows})
    return templates, dict(members)


@slow_oracle
@given(small_crawls())
def test_global_agrees_with_the_figure(engine, crawl):
    assert run(engine, crawl, "global") == plain_templates(crawl, "global")


@slow_oracle
@given(small_crawls())
def test_local_agrees_with_the_figure(engine, crawl):
    assert run(engine, crawl, "local", 3) == plain_templates(crawl, "local", 3)


def test_sister_sites_are_one_template(engine):
    templates, members = run(engine, sister_sites((2, 3), (6, 4)), "global")
    assert templates == [(1, 77, 6, 6, 3)]
    assert members == {1: {(page, 0) for page in range(1, 7)}}


def test_look_alikes_are_a_template_by_content_only(engine):
    crawl = sister_sites()._replace(links=[])
    assert run(engine, crawl, "global") == ([], {})
    assert run(engine, crawl, "local")[0] == [(1, 77, 6, 6, 3)]


def test_the_way_between_two_pages_may_not_leave_the_group(engine):
    # Two pages share a bar. What lies between them does not have it, and shares another one with page 9.
    for one, between, other in ((1, 2, 3), (1, 3, 2), (2, 1, 3)):
        pages = {1: (A, 1), 2: (A, 2), 3: (A, 3), 9: (B, 4)}
        shared = [(one, 5), (other, 5), (between, 6), (9, 6)]
        crawl = SmallCrawl(pages, shared, [(one, between), (between, other)])
        assert run(engine, crawl, "global")[0] == []
        assert run(engine, crawl._replace(links=[(other, one)]), "global")[0] == [(1, 5, 2, 2, 1)]


def test_local_drops_duplicate_pages(engine):
    # Page 4 is a copy of page 1 and goes: what they share is not a template any more.
    pages = {1: (A, 9), 4: (B, 9), 7: (B, 8)}
    crawl = SmallCrawl(pages, [(1, 5), (4, 5), (1, 6), (4, 6), (7, 6)], [])
    templates, members = run(engine, crawl, "local")
    assert templates == [(1, 6, 2, 2, 2)]
    assert members == {1: {(1, 1), (7, 0)}}


def test_saving_fails_as_a_whole(engine, tmp_path):
    crawl = sister_sites()
    path = crawl.write(tmp_path / "crawl")
    run(engine, crawl, "local")
    engine.store(path, ["templates", "template_pagelets"])
    with pytest.raises(KeyError):
        engine.store(path, ["templates", "no_such_table"])
    run(engine, crawl, "global")
    assert stored(path, "SELECT count(*) FROM templates") == [(1,)]
    engine.store(path, ["templates", "template_pagelets"])
    assert stored(path, "SELECT count(*) FROM templates") == [(3,)]
