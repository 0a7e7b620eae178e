"""Template expressions on injected template and on mirrors: small runs end to end, the command."""

import json

import numpy as np
import pytest

from lab.expressions.mirrors import METHODS
from lab.expressions.runs import LEVELS
from tests.support.made_sets import write_set

# --- runs ---

# Few words, so that pairs of them recur: the histogram needs rare strings beside the template's.
WORDS = [f"{a}{b}{c}" for a in "bdf" for b in "aeiou" for c in "lmnr"]


def story(number):
    rng = np.random.default_rng(number)
    return "\n".join(" ".join(rng.choice(WORDS, 30)) + "." for _ in range(4))


@pytest.fixture
def made_data(tmp_path):
    """Make four sites with a template each, and clean English documents."""
    folder = tmp_path / "data"
    clean = [
        {"id": str(n), "url": f"http://c{n}/", "site": f"c{n}", "html": f"<html lang=en><p>{story(n)}</p>"}
        for n in range(40)
    ]
    write_set(
        folder / "wcxb-dev", clean, [{"id": str(n), "type": "article", "text": story(n)} for n in range(40)]
    )
    names = ["news", "blog", "wiki", "shop"]
    for name in names:
        menu = [f"{name} menu item {'abcdefghij'[k]}" for k in range(10)]
        pages = [
            {
                "id": str(n), "url": f"http://{name}/{n}", "site": name,
                "html": "".join(f"<p>{item}</p>" for item in menu) + f"<article>{story(100 + n)}</article>",
            }
            for n in range(8)
        ]  # fmt: skip
        gold = [{"id": str(n), "text": story(100 + n), "outside": " ".join(menu)} for n in range(8)]
        write_set(folder / "sites" / name, pages, gold)
    (folder / "sites" / "sites.json").write_text(
        json.dumps([{"site": name, "part": "train", "language": "en (some fr)"} for name in names])
    )
    return folder


def test_a_small_run(made_data, results):
    for module in ("matplotlib", "pydivsufsort"):
        pytest.importorskip(module)
    charts = ["documents", "shares", "mirrors"]
    record, table = results("expressions", "--data", made_data, "--quick", charts=charts)
    assert record["seeds"] == [0]
    assert record["templates"] == dict.fromkeys(["news", "blog", "wiki", "shop"], 40)
    base = [r for r in record["rows"] if r["documents"] == 20 and r["cleaned"] == "held out"]
    assert {r["level"] for r in base} == set(LEVELS)
    for row in base:
        assert row["recall_by_share"]["1"][0] == 1
        assert row["precision"][0] > 0.99
        assert set(row["sites"]) == {"news", "blog", "wiki", "shop"}
    assert set(record["quality"]) == {"segments", "sandwich", "expressions"}
    quality = record["quality"]["expressions"]["sites"]
    assert (quality["kept"][0], quality["removed"][0]) == (1, 1)
    assert {row["method"] for row in record["mirrors"]} <= set(METHODS)
    for text in (
        "A quick run",
        "4 real sites",
        "| `date 12/03/2007` | yes |",
        "| 100% | 100.0",
        "| `expressions` | 100.0",
    ):
        assert text in table
