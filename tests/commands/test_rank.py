"""``detemplate graph rank`` and ``detemplate graph related``."""

import json
import sys

import duckdb
import pyarrow.parquet as pq
import pytest

from detemplate.links.ranking import CONFIGURATIONS
from tests.support.link_crawls import sisters, write

GOOD = ["http://java.toolbox.example/", "http://sun.example/java", "http://world.example/java"]


@pytest.fixture
def crawl(tmp_path):
    return str(write(tmp_path / "crawl", sisters()))


def told(printed, *arguments):
    return json.loads(printed(*arguments, "--json"))


def test_rank(crawl, printed):
    lines = printed("graph", "rank", crawl, "java", "--hubs", "2").splitlines()
    assert lines[0] == "13 pages (13 found by their text), 73 links; 62% of the pages hold template pagelets"
    assert lines[1:4] == [
        "   1     0.577  http://java.toolbox.example/  (Toolbox java)",
        "   2     0.577  http://sun.example/java  (Java)",
        "   3     0.577  http://world.example/java  (Java)",
    ]
    assert lines[4:] == [
        "hubs:",
        "   1     0.577  http://hub0.example/links, pagelet 0",
        "   2     0.577  http://hub1.example/links, pagelet 0",
    ]


def test_rank_as_json(crawl, printed):
    answer = told(printed, "graph", "rank", crawl, "java", "-c", "page-fnm", "--top", "4", "--hubs", "1")
    assert answer["base_set"] == {"pages": 13, "root": 13, "links": 8 * 8 + 3 * 3}
    [(name, ranking)] = answer["rankings"].items()
    assert name == "page-fnm"
    assert len(ranking["authorities"]) == 4
    assert len(ranking["hubs"]) == 1
    assert ranking["hubs"][0]["pagelet"] is None
    assert ranking["pages"] == 13
    plain = told(printed, "graph", "rank", crawl, "java", "-c", "page-fnm", "--no-text-weights")
    assert plain["rankings"]["page-fnm"]["authorities"] != ranking["authorities"]


def test_all_six(crawl, printed):
    lines = printed("graph", "rank", crawl, "java", "--all", "--top", "8", "--hubs", "1").splitlines()
    assert lines[1].split() == [*CONFIGURATIONS, "page"]
    table = {line.split()[-1]: line.split()[:-1] for line in lines[2 : lines.index("hubs of page-vanilla:")]}
    assert list(table)[:3] == GOOD
    assert len(table) == 10
    assert [table[url][5] for url in GOOD] == ["1", "2", "3"]
    assert table[GOOD[1]][:4] == ["–"] * 4
    assert all(table[url][5] == "–" for url in table if url not in GOOD)
    answer = told(printed, "graph", "rank", crawl, "java", "--all")
    assert list(answer["rankings"]) == list(CONFIGURATIONS)
    for name, ranking in answer["rankings"].items():
        at = list(CONFIGURATIONS).index(name)
        places = {page["url"]: str(n) for n, page in enumerate(ranking["authorities"][:8], 1)}
        assert {url: cells[at] for url, cells in table.items() if cells[at] != "–"} == places


def test_related(crawl, printed):
    assert printed("graph", "related", GOOD[1], crawl).splitlines() == [
        "     3  http://java.toolbox.example/  (Toolbox java)",
        "     3  http://world.example/java  (Java)",
    ]
    sap = "http://sap.toolbox.example/"
    assert printed("graph", "related", sap, crawl) == "no page is cited together with it\n"
    answer = told(
        printed, "graph", "related", sap, crawl, "--templates", "none", "--within", "page", "--top", "3"
    )
    assert [page["count"] for page in answer["related"]] == [8, 8, 8]


def test_missing_extra(crawl, monkeypatch, said):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "pip install 'detemplate[tables]'" in said("graph", "rank", crawl, "java", code=2)


def test_a_statement_has_a_time_limit(crawl, monkeypatch, said):
    pages = duckdb.sql(
        "SELECT page_key, url, title, page_shingle, repeat(text, 100000) AS text "
        f"FROM read_parquet('{crawl}/pages/*.parquet')"
    ).to_arrow_table()
    pq.write_table(pages, f"{crawl}/pages/part-0.parquet")
    monkeypatch.setattr("detemplate.links.crawl.MOST_SECONDS", 0.01)
    assert "takes too long: over 0.01 s" in said("graph", "rank", crawl, "java", code=2)
