"""Clusters: purity by hand, clusters of clean texts follow classes, those of full texts sites."""

import random

import pytest

from lab.classification.pages import ClassPage
from lab.clustering.__main__ import agreement
from tests.support.made_sites import types_set

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")


def test_templates_make_clusters_of_sites():
    chance = random.Random(1)
    vocabularies = {name: [f"{name}{n}" for n in range(40)] for name in "abst"}
    pages, full, clean = [], [], []
    for site in "st":
        for label in "ab":
            for number in range(15):
                content = " ".join(chance.choices(vocabularies[label], k=30))
                template = " ".join(chance.choices(vocabularies[site], k=300))
                pages.append(ClassPage(site, label, f"https://{site}/{label}{number}", ""))
                clean.append(content)
                full.append(f"{template} {content}")
    by_content = agreement(clean, pages, starts=3, seed=0)
    by_template = agreement(full, pages, starts=3, seed=0)
    assert by_content.purity == by_content.rand == 1
    assert by_content.sites < 0.1
    assert by_template.sites > 0.9
    assert by_template.rand < 0.1


def write_labels(data, lines):
    (data / "labels").mkdir(exist_ok=True)
    (data / "labels" / "red.tsv").write_text("# classes\n" + "".join(f"{line}\n" for line in lines))


@pytest.fixture
def data(made_sites, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "sites").symlink_to(made_sites / "sites")
    types_set(folder / "webkb", "uv", ("course", "staff"))
    write_labels(
        folder, [f"{n}\t{'even' if n % 2 == 0 else 'odd'}" for n in range(20)] + ["21\trare", "22\ta,b"]
    )
    return folder


def test_all_in_one(data, results):
    words = ("--data", data, "--pages", 4, "--methods", "sitelevel")
    record, table = results("clustering", *words, charts=["clusters"])
    assert record["groups"].keys() == {"made pages", "webkb", "red"}
    sites = {(row["group"], row["method"]): row["sites"] for row in record["rows"]}
    # The full text's clusters follow sites more.
    assert sites["made pages", "full text"] > sites["made pages", "sitelevel"]
    assert sites["red", "sitelevel"] is None
    assert "## red\n\n20 pages, 2 classes, 1 sites." in table
