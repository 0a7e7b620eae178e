"""``detemplate train`` for pagelevel: from sites to a model that cleans pages."""

import json

import pytest

from detemplate.cli import main
from detemplate.detectors.pagemodel import model_of
from tests.support.commands import cli
from tests.support.training_sites import site_records, write_jsonl

SITES = ("a.org", "b.org", "c.org", "docs-de", "docs-fr")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    records = [record for site in SITES for record in site_records(site, 10)]
    return write_jsonl(tmp_path_factory.mktemp("train") / "pages.jsonl", records)


def train(pages, output, *more):
    return main(
        ["train", pages, "-o", str(output), "--min-pages", "10", "--family", "docs-*", "--folds", "2", *more]
    )


def test_twice_the_same_bytes_and_a_model_that_works(pages, tmp_path, capsys):
    assert train(pages, tmp_path / "one.json") == 0
    err = capsys.readouterr().err
    assert "50 pages of 5 sites" in err
    assert "fold 2:" in err
    assert train(pages, tmp_path / "two.json", "-q") == 0
    assert capsys.readouterr().err == ""
    written = (tmp_path / "one.json").read_bytes()
    assert written == (tmp_path / "two.json").read_bytes()
    model = json.loads(written)
    assert set(model["sites"]) == set(SITES)
    assert model["sites"]["a.org"]["pages"] == 10
    assert model["command"].startswith(f"detemplate train {pages} --min-pages 10")
    assert "--family 'docs-*'" in model["command"]
    assert set(model["made_with"]) == {"detemplate", "numpy", "python", "scikit-learn"}
    assert sum(each["nodes"] for each in model["classifiers"]) == sum(
        each["nodes"] for each in model["sites"].values()
    )
    assert [sorted(fold["sites"]) for fold in model["cross_validation"]].count(["docs-de", "docs-fr"]) <= 1
    assert all(fold["auc"] > 0.8 for fold in model["cross_validation"])
    assert model_of(str(tmp_path / "one.json")).layout == "estimated"
    output = tmp_path / "clean.jsonl"
    fresh = write_jsonl(tmp_path / "new.jsonl", site_records("new.org", 3))
    arguments = [
        "clean", fresh, "-m", "pagelevel", "--set", f"model={tmp_path / 'one.json'}", "-o", str(output),
        "--explain",
    ]  # fmt: skip
    cli(*arguments)
    for row in map(json.loads, output.read_text().splitlines()):
        assert "Title" in row["text"]
        assert "all rights reserved" not in row["text"]
        assert sum(len(section["text"]) for section in row["sections"]) > len(row["text"])
        assert {section["template"] for section in row["sections"]} == {True, False}
