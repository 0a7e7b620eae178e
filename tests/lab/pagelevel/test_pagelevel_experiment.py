"""The page-level experiment: counts by hand, judgements against the detector's verdicts, averages, the command."""

import json

import numpy as np
import pytest

from detemplate import Page
from detemplate.detectors.pagelevel import BASIC
from lab.labelled.segmentlabels import CONTENT, NEUTRAL, TEMPLATE, SegmentLabels
from lab.pagelevel.counts import TemplateCounts, f_measure
from lab.pagelevel.measure import QUICK_SITE_PAGES
from tests.support.made_sets import write_set

T, C, N = TEMPLATE, CONTENT, NEUTRAL


@pytest.fixture
def model_file(tmp_path):
    """Write classifiers made by hand: nodes with much anchor text have high scores."""
    file = tmp_path / "model.json"
    one = {"intercept": -2.0, "coefficients": [4.0], "means": [0.0], "scales": [1.0]}
    file.write_text(
        json.dumps(
            {
                "format": "detemplate page-level model",
                "version": 1,
                "layout": "estimated",
                "min_area": 2000.0,
                "features": ["anchor_text"],
                "cut_points": [20000.0],
                "classifiers": [one, {**one, "intercept": -1.5}],
            }
        )
    )
    return str(file)


# --- counts ---

HTML = (
    "<nav><a href=/>Home</a> <a href=/a>About us</a> <a href=/i><img src=i></a> Menu</nav>"
    "<p>One two <a href=/b>three <b>four five</b></a> six <a href=/j><img src=j></a></p>"
    "<div>Nice <a href=/c>comment</a></div><a href=/k><img src=k></a>"
)


def counts_of(*label):
    page = Page("http://a/1", HTML)
    texts = [page.segment_text(index) for index in range(len(page.segments))]
    assert texts == ["Home", "About us", "Menu", "One two", "three", "four five", "six", "Nice", "comment"]
    words = np.array([len(text.split()) for text in texts])
    return TemplateCounts(page, SegmentLabels(np.array(label, np.int8), words, 1.0))


def bools(*values):
    return np.array(values, np.bool_)


def test_counts_by_hand():
    counts = counts_of(T, T, T, C, C, C, C, N, N)
    # The last image is in the body, which has both labels; those in nav and p have the label of nav and p.
    assert len(counts.bare) == 2
    nothing = counts.count(bools(*[0] * 9), bools(0, 0))
    assert nothing.tolist() == [[4, 0, 0], [3, 0, 0], [3, 0, 0]]
    # "Home" and "Menu"; "three", a third of its link; the neutral segments; the image in p.
    some = counts.count(bools(1, 0, 1, 0, 1, 0, 0, 1, 1), bools(0, 1))
    assert some.tolist() == [[4, 3, 2], [3, 2, 1], [3, 2, 1]]
    # "four five", two thirds of their link, and the first image.
    more = counts.count(bools(1, 1, 0, 0, 0, 1, 0, 0, 0), bools(1, 0))
    assert more.tolist() == [[4, 5, 3], [3, 5, 3], [3, 4, 3]]
    everything = counts.count(bools(*[1] * 9), bools(1, 1))
    assert everything.tolist() == [[4, 10, 4], [3, 6, 3], [3, 5, 3]]
    assert f_measure(some).tolist() == pytest.approx([2 * 2 / 7, 2 / 5, 2 / 5])


# --- the command ---

MENU = "<nav>" + "".join(f"<a href=/{n}>Section number {n}</a> " for n in range(30)) + "</nav>"


def story(number):
    return " ".join(f"word{number}x{n} tells of things" for n in range(60))


@pytest.fixture
def menu_data(tmp_path):
    folder = tmp_path / "menus"
    records = [
        {"id": str(n), "url": f"https://a/{n}", "site": f"s{n % 3}", "html": f"{MENU}<p>{story(n)}</p><p>Imprint</p>"}
        for n in range(40)
    ]  # fmt: skip
    gold = [{"id": str(n), "text": story(n), "outside": "Section Imprint"} for n in range(40)]
    records[15]["html"] = " "
    gold[30]["text"] = ""
    write_set(folder / "chaos", records, gold)
    write_set(folder / "sites" / "blog", records[:9], gold[:9])
    (folder / "sites" / "sites.json").write_text(json.dumps([{"site": "blog", "part": "train"}]))
    return folder


CHARTS = ("segmentation", "penalty-detection", "penalty-segmentation", "threshold")


def test_the_command_end_to_end(menu_data, model_file, results):
    pytest.importorskip("matplotlib")
    record, report = results(
        "pagelevel",
        "--data",
        menu_data,
        "--sets",
        "chaos,sites",
        "--model",
        model_file,
        "--quick",
        charts=CHARTS,
    )
    result = record["sets"]
    # Pages 0, 15 and 30 of the set: the second is blank, the third has no content in its gold.
    assert result["chaos"]["pages"] == 1
    assert result["chaos"]["skipped"] == {"empty": 1, "no content in the gold": 1}
    assert result["sites/train"]["pages"] == QUICK_SITE_PAGES
    basic = next(row for row in record["rows"] if (row["set"], row["variant"]) == ("chaos", BASIC))
    # The menu has 90 words, all identified; the imprint is the 91st. All 30 links are template.
    for measure, expected in (("text", (1, 90 / 91, 180 / 181)), ("links", (1, 1, 1))):
        pooled = [basic[f"pooled {name} {measure}"] for name in "PRF"]
        assert pooled == pytest.approx(expected, abs=1e-5)
    for line in (
        "| chaos (1) | text |",
        "| sites/train (2) | links |",
        "A quick run",
        "+0.06",
        "0.77",
        "3 pages",
    ):
        assert line in report
