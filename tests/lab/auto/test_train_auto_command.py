"""``python -m lab.auto``: from labelled pages to a model that cleans."""

import json

import pytest

from detemplate.detectors.auto.model import model_of
from tests.support.auto_sites import article_record, write_labelled
from tests.support.commands import cli, read_rows
from tests.support.lab import run_lab

pytest.importorskip("lightgbm")


@pytest.fixture(autouse=True)
def _small(small):
    """Train small forests in all tests."""


def write_pages(folder, sites, each=1, *, labelled=None):
    found = [article_record(site, number) for site in sites for number in range(each)]
    gold = [{"id": record["id"], "type": "article", "text": text} for record, text in found]
    return write_labelled(folder, [record for record, _ in found], gold[:labelled])


def write_sites(folder, sites, each=4, *, labelled=None):
    for site in sites:
        write_pages(folder / site, [f"{site}.org"], each, labelled=labelled)
    (folder / "sites.json").write_text(
        json.dumps([{"site": site, "part": part} for site, part in sites.items()]), encoding="utf-8"
    )
    return folder


@pytest.fixture
def labelled(tmp_path):
    return write_pages(tmp_path / "labelled", [f"single{name}.org" for name in range(24)])


@pytest.fixture
def sites(tmp_path):
    """The last one is there to be measured on: it must not be read."""
    parts = dict.fromkeys(("docs-a", "docs-b", "wiki", "blog"), "train") | {"kept-back": "test"}
    folder = write_sites(tmp_path / "sites", parts)
    for name in ("pages", "gold"):
        (folder / "kept-back" / f"{name}.jsonl.zst").write_bytes(b"not to be read")
    return folder


def train(output, *inputs):
    return run_lab(["auto", "--folds", "2", "-o", str(output), *map(str, inputs)])


def test_a_model_that_works(labelled, sites, tmp_path, capsys):
    model = tmp_path / "my.model"
    assert train(model, labelled, sites, "--family", "docs-*") == 0
    message = capsys.readouterr().err
    assert "40 pages of 27 families of sites" in message
    assert "labelled/article: F1 " in message
    assert "sites: F1 " in message
    about = model_of(str(model)).about
    assert about["inputs"] == ["labelled", "sites"]
    assert (about["folds"], about["seed"], about["families"], about["pages"]) == (2, 0, ["docs-*"], 40)
    assert str(tmp_path) not in json.dumps(about)
    assert set(about["unseen"]) == {"labelled", "labelled/article", "sites"}
    for mean, low, high, count in about["unseen"].values():
        assert 0 <= low <= mean <= high <= 1
        assert 0 < count <= 24
    fresh = [article_record("new.org", number) for number in range(4)]
    (tmp_path / "new.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record, _ in fresh), encoding="utf-8"
    )
    cleaned = tmp_path / "clean.jsonl"
    given = str(tmp_path / "new.jsonl")
    cli("clean", given, "-m", "auto", "--set", f"model={model}", "-o", cleaned)
    rows = read_rows(cleaned)
    assert len(rows) == 4
    for row, (_, text) in zip(rows, fresh, strict=True):
        assert text.split("\n")[2] in row["text"]
        assert "all rights reserved" not in row["text"]


def test_the_same_bytes_and_quiet(tmp_path, capsys):
    few = write_pages(tmp_path / "few", [f"single{name}.org" for name in range(12)])
    for name in ("one", "two"):
        assert train(tmp_path / name, few, "-q") == 0
    assert capsys.readouterr().err == ""
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert train(tmp_path / "three", few, "-q", "--seed", "1") == 0
    assert (tmp_path / "one").read_bytes() != (tmp_path / "three").read_bytes()


def refused(capsys, output, *inputs):
    """It ends with one line, and writes nothing."""
    beside = set(output.parent.iterdir()) if output.parent.is_dir() else set()
    assert train(output, *inputs, "-q") == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert (set(output.parent.iterdir()) if output.parent.is_dir() else set()) == beside
    return message


def test_too_few_families(tmp_path, capsys):
    few = write_pages(tmp_path / "few", ["a.org", "b.org", "www.a.org", "c.org"])
    assert "3 families of sites with labelled pages are too few for 2 folds" in refused(
        capsys, tmp_path / "m", few
    )
    # Families are what the patterns say.
    sites = write_sites(tmp_path / "sites", {f"docs-{n}": "train" for n in range(6)})
    assert "1 families of sites" in refused(capsys, tmp_path / "m", sites, "--family", "docs-*")


def test_models_of_the_cross_validation(labelled, tmp_path):
    """Sites for measuring are learned from, too; each family is left out once."""
    whole = write_sites(tmp_path / "whole", {"docs-a": "train", "docs-b": "test"})
    folder = tmp_path / "folds"
    words = [
        "auto", "--folds", "2", "--family", "docs-*", "--left-out", str(folder), str(labelled), str(whole),
    ]  # fmt: skip
    assert run_lab(words) == 0
    models = [model_of(str(path)) for path in sorted(folder.iterdir())]
    assert len(models) == 2
    left_out = [family for model in models for family in model.about["left out"]]
    assert sorted(left_out) == sorted(["docs-*", *(f"single{name}.org" for name in range(24))])
