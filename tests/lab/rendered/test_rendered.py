"""Browser layouts: classifiers are trained and tested on both kinds, on the same pages."""

import json

import pytest

from lab.rendered.__main__ import EXPERIMENT, TEST_SETS as SETS
from tests.support.made_sets import write_set
from tests.support.made_sites import write_made_sites

pytest.importorskip("playwright")
pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module", autouse=True)
def chromium(chromium_path):
    pass


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = write_made_sites(tmp_path_factory.mktemp("rendered"), pages=4)
    for name in SETS:
        pages, gold = [], []
        for number in range(2):
            text = f"The river {name} rose in the night and took house {number} with it. " * 6
            menu = "".join(f"<li><a href=/{n}>Menu entry {n}</a>" for n in range(12))
            html = f"<ul>{menu}</ul><main><h1>Flood {number}</h1><p>{text}</main><footer>All rights</footer>"
            url = f"https://{name}.example/{number}"
            pages.append({"id": str(number), "url": url, "site": name, "html": html})
            gold.append({"id": str(number), "type": "article", "text": f"Flood {number} {text}"})
        write_set(folder / name, pages, gold)
    return folder


def test_all_in_one(data, tmp_path):
    out = tmp_path / "out"
    written = EXPERIMENT.run(out, data=data, names=["red", "lent"], pages=3)
    assert {path.name for path in written} == {
        "table.md", "table.csv", "results.json", "layouts.svg", "layouts.png",
    }  # fmt: skip
    record = json.loads((out / "results.json").read_text())
    rows = {(row["trained"], row["tested"], row["set"], row["variant"]): row for row in record["rows"]}
    kinds = ("estimated", "rendered")
    pairs = [(train, test) for train in kinds for test in kinds]
    assert list(dict.fromkeys(key[:2] for key in rows)) == pairs
    for train, test in pairs:
        pages = [rows[train, test, name, "smooth"]["pages"] for name in SETS]
        assert sum(pages) == 6
        assert pages == [rows["estimated", "estimated", name, "smooth"]["pages"] for name in SETS]
    assert record["trained"]["estimated"]["sites"] == record["trained"]["rendered"]["sites"] == 2
    # The boxes differ: so do the areas of the sampled nodes, and with them their number or the scores.
    first, last = ([row["F text"] for key, row in rows.items() if key[:2] == pair] for pair in pairs[::3])
    assert first != last
    assert "| paper, COMMON | 0.56 → 0.60 |" in (out / "table.md").read_text()
