"""Incremental detection against batches: scores and storage by hand, the choice of settings, the command."""

import json

import numpy as np
import pytest

from detemplate import Page
from lab.incremental.compare import INCREMENTAL
from lab.incremental.runs import ALL, Setting, SitePages, run_setting, site_page
from lab.incremental.scores import PageWords
from lab.labelled.pages import Gold
from tests.support.made_sets import page as record, write_set

BATCH = "sandwich"  # any method that learns a batch before it scores


def mask(*values):
    return np.array(values, np.bool_)


def page_words():
    html = "<nav>Home About</nav><p>one two home</p><footer>Legal about</footer><p>unlabelled</p>"
    page = Page("http://a/1", html)
    assert [page.segment_text(i) for i in range(4)] == [
        "Home About",
        "one two home",
        "Legal about",
        "unlabelled",
    ]
    return PageWords(page, Gold(text="one two home", outside="Home About Legal about picture"))


@pytest.mark.parametrize(
    ("removed", "expected", "recall", "precision"),
    [
        # Shown from outside: home, about, legal, about; "picture" is in no segment.
        (mask(0, 0, 0, 0), (0, 0, 4), 0.0, None),
        (mask(1, 0, 0, 0), (2, 0, 4), 0.5, 1.0),
        (mask(1, 0, 1, 0), (4, 0, 4), 1.0, 1.0),
        # "one" and "two" are lost; the navigation's "home" now counts as the content's.
        (mask(0, 1, 0, 0), (1, 2, 4), 0.25, 1 / 3),
        (mask(1, 1, 0, 0), (2, 3, 4), 0.5, 0.4),
        # A word in neither does not count.
        (mask(0, 0, 0, 1), (0, 0, 4), 0.0, None),
        (mask(1, 1, 1, 1), (4, 3, 4), 1.0, 4 / 7),
    ],
)
def test_removed_words_by_hand(removed, expected, recall, precision):
    removal = page_words().removal(removed)
    assert removal == expected
    assert removal.recall == recall
    assert removal.precision == precision


def menu_site(pages=8, gold=8):
    """Pages with a menu of two words and a story of three; only the first ones have gold."""
    made = []
    for n in range(1, pages + 1):
        page = Page(
            f"http://a/{n}", f"<ul><li>Home</li><li>About</li></ul><p>story {n} {'x' * n}</p>", site="a"
        )
        made.append(
            site_page(page, Gold(text=f"story {n} {'x' * n}", outside="Home About") if n <= gold else None)
        )
    return SitePages("menu", "test", made)


def test_incremental_scores_by_hand():
    """A segment is template from its fifth page on: the menus of pages 5 to 8 are removed."""
    result = run_setting(menu_site(), Setting(INCREMENTAL))
    assert (result.recall, result.precision, result.delay) == (0.5, 1.0, 0.0)
    assert run_setting(menu_site(gold=5), Setting(INCREMENTAL)).recall == pytest.approx(1 / 5)


def test_batch_storage_and_delay_by_hand():
    site = menu_site(5)
    a, b, c, d, e = (len(each.page.canonical) for each in site.pages)
    result = run_setting(site, Setting(BATCH, 2))
    assert result.series.tolist() == [a, a + b, c, c + d, e]
    assert result.storage == pytest.approx((a + a + b + c + c + d + e) / 5)
    assert result.full == pytest.approx((a + b + c + d + e) / 3)
    assert result.delay == pytest.approx((1 + 0 + 1 + 0 + 0) / 5)
    whole = run_setting(site, Setting(BATCH, ALL))
    assert whole.full == a + b + c + d + e
    assert whole.delay == (4 + 3 + 2 + 1 + 0) / 5


@pytest.fixture
def menu_data(tmp_path):
    """Make two sites of ten pages with a menu, and one blank page each."""
    folder = tmp_path / "menus"
    for name in ("blog", "wiki"):
        pages = [record(n, name, f"story number {n} of {name}") for n in range(10)]
        gold = [
            {"id": str(n), "type": "x", "text": f"story number {n} of {name}", "outside": "Home About"}
            for n in range(10)
        ]
        pages.append({"id": "10", "url": f"https://{name}/10", "site": name, "html": " "})
        write_set(folder / "sites" / name, pages, gold)
    sites = [{"site": "blog", "part": "train"}, {"site": "wiki", "part": "test"}]
    (folder / "sites" / "sites.json").write_text(json.dumps(sites))
    return folder


CHARTS = ("storage-over-time", "recall-storage", "recall-storage-by-site")


def test_the_command_end_to_end(menu_data, results):
    pytest.importorskip("matplotlib")
    result, report = results("incremental", "--data", menu_data, "--quick", "--recall", 0.5, charts=CHARTS)
    assert (result["sites"], result["pages"], result["skipped"]) == (2, 20, 2)
    assert {row["method"] for row in result["rows"]} == {"segments", "shingles", "styletree"}
    # Six of ten menus are removed: those from the fifth page on.
    ours = [row for row in result["rows"] if row["method"] == "segments"]
    assert {row["recall"] for row in ours if row["comparison"] == "wanted"} == {0.6}
    for line in ("| blog | 10 |", "| wiki | 10 |", "A quick run", "93.8 %", "at recall 50 %"):
        assert line in report
