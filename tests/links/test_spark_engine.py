"""The table engine on Spark: the same queries, the same templates as on DuckDB."""

import random

import pyarrow.parquet as pq
import pytest

from detemplate.links.detect import ALGORITHMS
from detemplate.links.engine import DuckEngine
from detemplate.links.sparkengine import SparkEngine
from detemplate.links.tables import TABLES
from tests.support.commands import cli
from tests.support.table_crawls import SmallCrawl

QUERIES = (
    "SELECT template_id, pagelet_shingle, pages, pagelets, hosts FROM templates ORDER BY template_id",
    "SELECT template_id, page_key, pagelet_serial FROM template_pagelets ORDER BY template_id, page_key, pagelet_serial",
)


@pytest.fixture(scope="module")
def engine(spark):
    with SparkEngine(spark) as made:
        yield made


def write_crawl(folder, seed):
    """Write a crawl at random: 40 pages of four hosts, 160 pagelets, 90 links, some of them to no page."""
    chance = random.Random(seed)
    crawl = SmallCrawl(
        {key - 20: (f"h{key % 4}.example", chance.randrange(30)) for key in range(40)},
        [(chance.randrange(40) - 20, chance.choice([None, *range(-6, 6)])) for _ in range(160)],
        [(chance.randrange(40) - 20, chance.randrange(44) - 20) for _ in range(90)],
    )
    for name, table in crawl.tables().items():
        (folder / name).mkdir(parents=True)
        pq.write_table(table.cast(TABLES[name]), folder / name / "0.parquet")
    return folder


def templates(engine, crawl, algorithm):
    for name in TABLES:
        engine.source(name, crawl / name)
    found = ALGORITHMS[algorithm](engine)
    return [found, *(engine.rows(query) for query in QUERIES)]


def test_the_templates_are_those_of_duckdb(engine, tmp_path):
    """By the algorithm that finds components, too; the command runs the other one."""
    crawl = write_crawl(tmp_path / "crawl", 2)
    with DuckEngine(memory="500MB", threads=1) as duck:
        expected = templates(duck, crawl, "global")
    assert len(expected[1]) > 5
    assert templates(engine, crawl, "global") == expected


def test_the_command(engine, tmp_path, capsys):
    """The command joins the running session."""
    crawl = write_crawl(tmp_path / "crawl", 4)
    told = []
    for command in (["spark", "templates"], ["templates"]):
        states = tmp_path / "-".join([*command, "known.json"])
        cli(*command, crawl, "-a", "local", "--top", "3", "--states", states)
        captured = capsys.readouterr()
        told.append((captured.out, captured.err.splitlines()[-1], states.read_text()))
    assert told[0] == told[1]
    cli("spark", "templates", tmp_path / "none", code=2)
    assert "there is no" in capsys.readouterr().err
