"""Ranking by links on made webs: the webs follow their settings, and the scores follow from the rankings."""

import csv
import json
import random

import numpy as np
import pytest

from detemplate.links.baseset import base_set
from detemplate.links.crawl import Crawl
from detemplate.links.ranking import CONFIGURATIONS, rank, template_pagelets
from lab.labelled.datasets import load_sets
from lab.links.__main__ import EXPERIMENT
from lab.links.corpus import read_corpus
from lab.links.pages import write_world
from lab.links.plan import plan_world
from lab.links.runs import DEPTHS, measure_world, sister_hosts
from lab.links.world import AUTHORITY, WorldSettings
from tests.support.made_sets import write_set

pytest.importorskip("duckdb")

TERMS = ("sushi", "volcano", "cheese", "blues")
SITES = ("alpha", "beta", "gamma")
TINY = WorldSettings(
    topics=5,
    least_pages=12,
    most_pages=15,
    host_exponent=1.0,
    plain=0.2,
    networks=0.8,
    network_hosts=(3, 5),
    general_hosts=8,
    hubs=8,
    articles=4,
)


def write_sites(folder, terms, pages_a_term, pages, sites=SITES):
    """Write sites whose pages are about one of the terms, or about none.

    One more site has 14 pages. All of them, and two pages of the other sites, have the word "niemals".
    """
    chance = random.Random(7)
    vocabulary = ["".join(chance.choices("bcdfghklmnprst", k=7)) for _ in range(6 * pages)]
    about = [term for term in terms for _ in range(pages_a_term)]
    about += [""] * (pages - len(about))
    chance.shuffle(about)
    about += [""] * 14
    records = {site: ([], []) for site in (*sites, "klein")}
    for number, term in enumerate(about):
        site = sites[number % len(sites)] if number < pages else "klein"
        text = chance.choices(vocabulary, k=90) + [term] * (3 if term else 0)
        text += ["niemals"] * (3 if site == "klein" or number < 2 else 0)
        chance.shuffle(text)
        sentences = [" ".join(text[at : at + 9]).capitalize() + "." for at in range(0, len(text), 9)]
        content = " ".join(sentences)
        menu = "".join(f"<li><a href='/{site}-{n}'>{site} menu {n}</a>" for n in range(5))
        html = (
            f"<html><head><base href='http://elsewhere.example/'><title>Page {number} &amp; {text[0]}</title>"
            f"</head><body><ul>{menu}</ul><div>{''.join(f'<p>{one}</p>' for one in sentences)}</div>"
            f"<p>All rights reserved by {site} and friends, the owners of this place</p></body></html>"
        )
        url = f"https://{site}.example/p/{number}?x=1"
        pages_, gold = records[site]
        pages_.append({"id": str(number), "url": url, "site": site, "html": html})
        gold.append({"id": str(number), "text": content, "outside": "menu"})
    for site, (pages_, gold) in records.items():
        write_set(folder / "sites" / site, pages_, gold)
    listed = [{"site": site, "part": "train"} for site in records]
    (folder / "sites" / "sites.json").write_text(json.dumps(listed))
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_sites(tmp_path_factory.mktemp("data"), TERMS, 15, 200)


@pytest.fixture(scope="module")
def corpus(data):
    return read_corpus(load_sets(["sites"], data), topics=5, min_pages=12, max_pages=15)


@pytest.fixture(scope="module")
def world(corpus):
    return plan_world(corpus, TINY, 3)


@pytest.fixture(scope="module")
def crawl(corpus, world, tmp_path_factory):
    path = tmp_path_factory.mktemp("crawl") / "crawl"
    assert write_world(corpus, world, path) == len(world.pages)
    with Crawl.open(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def outcome(corpus):
    return measure_world(corpus, TINY, 3)


def test_the_figures_follow_from_the_rankings(corpus, world, crawl, outcome):
    kinds = {page.url: page for page in world.pages}
    sisters = sister_hosts(world)
    assert [topic.term for topic in outcome.topics] == [topic.term for topic in corpus.topics]
    for number, topic in enumerate(outcome.topics):
        base = base_set(crawl, topic.term)
        assert topic.base == len(base)
        holders = {int(owner) for owner in base.owners[template_pagelets(base)]}
        assert topic.template_share == pytest.approx(len(holders) / len(base))
        best = {world.pages[page].url for page in world.best[number]}
        for name in CONFIGURATIONS:
            urls = [found.url for found in rank(base, name).authorities]
            good = [(kinds[url].kind, kinds[url].topic) == (AUTHORITY, number) for url in urls]
            result = topic.results[name]
            for depth, value in zip(DEPTHS, result.precision, strict=True):
                assert value == pytest.approx(np.sum(good[:depth]) / depth)
            assert result.overlap == pytest.approx(len(best & set(urls)) / len(best))
            assert result.results == len(urls) == sum(good) + sum(result.wrong.values())
            wrong = [kinds[url] for url, right in zip(urls, good, strict=True) if not right]
            assert result.wrong.get("sister site", 0) == sum(
                page.kind == AUTHORITY and page.host in sisters for page in wrong
            )


def test_end_to_end_and_the_same_again(data, corpus, tmp_path):
    pytest.importorskip("matplotlib")
    variants = ({"networks": 0.0},)
    for name in ("1", "2"):
        written = EXPERIMENT.run(tmp_path / name, data=data, seeds=1, settings=TINY, variants=variants)
    names = ["table.md", "table.csv", "results.json"]
    names += [f"{chart}.{kind}" for chart in ("precision", "overlap") for kind in ("svg", "png")]
    assert [path.name for path in written] == names
    for path in written:
        assert path.read_bytes() == (tmp_path / "1" / path.name).read_bytes(), path.name
        assert path.stat().st_size > 300
    record = json.loads((tmp_path / "1" / "results.json").read_text())
    topics = [topic for world in record["worlds"] for topic in world["topics"]]
    assert len(topics) == len(corpus.topics)
    assert len(record["variants"]["networks = 0"]) == 1
    rows = {
        (row["configuration"], row["measure"]): row
        for row in csv.DictReader((tmp_path / "1" / "table.csv").open())
    }
    table = (tmp_path / "1" / "table.md").read_text()
    for name in CONFIGURATIONS:
        for place, depth in enumerate(DEPTHS):
            mean = np.mean([topic["results"][name]["precision"][place] for topic in topics])
            row = rows[name, f"precision@{depth}"]
            assert float(row["mean"]) == pytest.approx(mean, abs=1e-4)
            assert float(row["low"]) <= float(row["mean"]) <= float(row["high"])
        first = np.mean([topic["results"][name]["precision"][0] for topic in topics])
        line = next(line for line in table.splitlines() if line.startswith(f"| {name} | "))
        assert f"| {first:.0%} [".replace("%", " %") in line
    for text in ("81 %", "43 %", "| networks = 0 | 1 |", "**average**", "`network_hosts` | (3, 5)"):
        assert text in table
