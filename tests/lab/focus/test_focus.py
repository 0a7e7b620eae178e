"""Focused crawls: on a toy web, each strategy fetches in the order that follows from its definition."""

import json

import numpy as np
import pytest

from detemplate.page.page import Page
from lab.focus.__main__ import EXPERIMENT
from lab.focus.crawler import ORACLE, PAGELET, Strategy, crawl, harvest
from lab.links.world import WorldSettings
from tests.lab.links.test_links_experiment import TERMS, write_sites
from tests.support.lab import run_lab

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")

MENU = "<ul><li><a href=/m1>one</a><li><a href=/m2>two</a><li><a href=/m3>three</a></ul>"


def block(*names, text=""):
    return f"<div><p>{text}</p>" + "".join(f"<p><a href=/{name}>{name}</a></p>" for name in names) + "</div>"


WEB = {
    "seed": MENU + block("x1", "x2", "x3", text="other") + block("g1", "g2", "g3", text="topic topic topic"),
    "x1": MENU + block("n1", "n2", "n3", text="other"),
    "g1": MENU + "<p>topic topic</p>" + block("g4", "g5", "g6", text="topic topic"),
    **dict.fromkeys(("g2", "g3", "g4", "g5", "g6"), MENU + f"<p>{'topic ' * 3}</p>"),
    **dict.fromkeys(("x2", "x3", "n1", "n2", "n3", "m1", "m2", "m3"), MENU + "<p>other</p>"),
}
GOOD = {f"http://toy.example/g{number}" for number in range(1, 7)}


def share(texts):
    """Score texts by the share of their words that are "topic"."""
    return np.array([text.split().count("topic") / max(1, len(text.split())) for text in texts])


def fetch(url):
    name = url.rpartition("/")[2]
    return Page(url, f"<body>{WEB[name]}") if name in WEB else None


def order(strategy, budget=15):
    found = crawl(fetch, ["http://toy.example/seed"], strategy, share, GOOD, budget=budget)
    assert len(set(found)) == len(found)
    return [url.rpartition("/")[2] for url in found[1:]]


def test_the_oracle_is_the_best_possible():
    assert order(Strategy(ORACLE))[:6] == ["g1", "g2", "g3", "g4", "g5", "g6"]
    fetched = [f"http://toy.example/{name}" for name in order(Strategy(ORACLE))]
    assert harvest(fetched, GOOD, [6, 12]) == [1, 0.5]


def test_pagelets_about_the_topic_come_first():
    assert order(Strategy(PAGELET))[:6] == ["g1", "g4", "g5", "g6", "g2", "g3"]


SMALL = WorldSettings(
    topics=2, least_pages=12, most_pages=15, host_exponent=1.0, general_hosts=6, hubs=5, articles=3,
    network_hosts=(2, 3),
)  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_sites(tmp_path_factory.mktemp("data"), TERMS[:2], 15, 200)


def test_all_in_one(data, tmp_path, capsys):
    out = tmp_path / "out"
    written = EXPERIMENT.run(out, data=data, methods=["pagelets"], settings=SMALL, webs=1)
    names = {path.name for path in written}
    assert names == {"table.md", "table.csv", "results.json", "harvest.svg", "harvest.png"}
    crawls = json.loads((out / "results.json").read_text())["rows"]
    assert len(crawls) == 2 * 11
    table = (out / "table.md").read_text()
    assert "| pagelets: page + pagelet |" in table
    assert "| distiller: page, pagelets |" in table
    for method, message in (("toy", "unknown method 'toy'"), ("expressions", "cannot clean a stream")):
        assert run_lab(["focus", "--data", str(data), "--methods", method, "--out", str(out)]) == 2
        assert message in capsys.readouterr().err
    run_lab(["focus", "--data", str(data), "--sites", "alpha", "--out", str(out)])
    assert "name more sites, or all" in capsys.readouterr().err
