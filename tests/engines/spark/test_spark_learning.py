"""Mining and training on Spark: the files of one machine, byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from detemplate.cli import main
from detemplate.expressions.files import read
from tests.support.training_sites import site_records
from tests.support.warc_fixtures import http, pack, record

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SITES = {"a.org": 9, "b.example": 7, "c.org": 8, "few.org": 2}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Pages of four sites, mixed, in a file of lines and a WARC file; some URLs come twice."""
    folder = tmp_path_factory.mktemp("crawl")
    rows = [row for site, pages in SITES.items() for row in site_records(site, pages)]
    rows = [rows[number * 7 % len(rows)] for number in range(len(rows))]
    later = [row | {"html": row["html"].replace("Title", "Later title")} for row in rows[:2]]
    first, second = rows[:12], [*rows[12:], *later]
    lines = folder / "a.jsonl"
    with lines.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in [*first, {"url": "http://a.org/none", "html": " "}])
        file.write("not JSON\n")
        file.write(json.dumps({"html": first[0]["html"], "site": "a.org"}) + "\n")
    packed = folder / "b.warc.gz"
    packed.write_bytes(pack([record(http(row["html"].encode()), url=row["url"]) for row in second], ".gz"))
    return [str(lines), str(packed)]


def both(
    capsys: pytest.CaptureFixture[str], command: list[str], inputs: list[str], out: Path, name: str
) -> list[Any]:
    """Run a command on one machine and on Spark; give what it wrote and the lines that it told."""
    found = []
    for place in ([], ["spark"]):
        output = out / "-".join([*place, name])
        split = ["--split-size", "4000"] if place else []
        assert main([*place, *command, *inputs, *split, "-o", str(output)]) == 0, capsys.readouterr().err
        told = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("[")]
        found.append((output.read_bytes(), [line.rpartition(" in ")[0] or line for line in told]))
    return found


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--collections", "3"], "found.json"),
        (["--on", "html", "--versions", "last", "--min-literals", "1", "--cut", "4"], "found.txt"),
    ],
)
def test_expressions_are_those_of_one_machine(
    spark: SparkSession, crawl: list[str], options: list[str], name: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    pytest.importorskip("pydivsufsort")
    alone, there = both(capsys, ["mine", *options], crawl, tmp_path, name)
    assert there == alone
    if name.endswith(".json"):
        found = read(tmp_path / name)
        assert [each.name for each in found.collections] == sorted(SITES)
        assert len(found.expressions) > 10
        assert "skipped 4: 2 duplicate url, 1 empty, 1 bad record" in alone[1][-1]


def test_the_model_is_that_of_one_machine(
    spark: SparkSession, crawl: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    options = ["--min-pages", "5", "--pages-per-site", "7", "--versions", "last", "--nodes-per-page", "30"]
    alone, there = both(capsys, ["train", *options, "--folds", "2", "--seed", "3"], crawl, tmp_path, "m.json")
    assert there == alone
    assert set(json.loads(alone[0])["sites"]) == {site for site, pages in SITES.items() if pages >= 5}


def test_what_cannot_be_done(
    spark: SparkSession, crawl: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, told in (
        (["train", *crawl, "--versions", "keep", "-o", "m.json"], "takes one version of a page"),
        (["train", *crawl, "-o", "m.bin"], "must end in .json"),
        (["train", *crawl, "--min-pages", "90", "-o", "m.json"], "no site has 90 pages"),
        (["train", *crawl, "--split-size", "5", "-o", "m.json"], "at least 1,024 bytes"),
        (["mine", *crawl, "--max-bad", "1", "-o", "e.json"], "records are bad"),
        (["mine", *crawl, "-o", crawl[0]], "would replace an input"),
        (
            ["mine", *crawl, "--temp", str(tmp_path / "none"), "-o", str(tmp_path / "e.json")],
            "cannot work in",
        ),
    ):
        assert main(["spark", *command]) == 2
        captured = capsys.readouterr().err
        assert told in captured.splitlines()[-1], (command, captured)
        assert "Traceback" not in captured
    assert not list(tmp_path.iterdir())


def test_a_site_of_too_many_tokens(spark: SparkSession, crawl: list[str], tmp_path: Path) -> None:
    from detemplate.engines.mining import MiningJob
    from detemplate.engines.spark.mining import spark_mine
    from detemplate.engines.spark.reads import Reads
    from detemplate.errors import UserError

    with pytest.raises(UserError, match=r"documents of a\.org need more than 0 MB"):
        spark_mine(spark, crawl, Reads(), MiningJob(memory=1000), str(tmp_path / "e.json"))
