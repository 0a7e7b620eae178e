"""The gate on the site stage, on made figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.support.siteevidence import MOST_LOSS, compare, has_several_pages
from lab.labelled.bootstrap import Estimate
from lab.labelled.datasets import load_sets
from lab.labelled.measure import Figures

if TYPE_CHECKING:
    from pathlib import Path


def figures(f1: float) -> Figures:
    return Figures(10, 2, {"f1": Estimate(f1, 0, 1)})


@pytest.mark.parametrize(("loss", "fails"), [(-0.1, False), (0.0, False), (MOST_LOSS, False), (0.0021, True)])
def test_other_pages_of_the_site_may_cost_little(loss: float, fails: bool) -> None:
    lines, failures = compare({"l3s-gn1": figures(0.9 - loss)}, {"l3s-gn1": figures(0.9)})
    assert lines == [f"l3s-gn1 f1: {0.9 - loss:.4f} with the site, 0.9000 by the page alone"]
    assert failures == (lines if fails else [])


def test_sets_are_compared_where_both_were_measured() -> None:
    low, high = figures(0.1), figures(0.9)
    by_site = {"sites/test": low, "sites/wiki": low, "chaos": low, "daniel-test": low}
    lines, failures = compare(by_site, {"sites/test": high, "sites/wiki": high, "chaos": high})
    assert lines == failures == ["sites/test f1: 0.1000 with the site, 0.9000 by the page alone"]


def test_languages_are_shown_only() -> None:
    lines, failures = compare({"daniel-test/pl": figures(0.1)}, {"daniel-test/pl": figures(0.9)})
    assert lines == ["daniel-test/pl f1: 0.1000 with the site, 0.9000 by the page alone"]
    assert not failures


def test_sets_with_several_pages_a_site(labelled_data: Path) -> None:
    names = [labelled.name for labelled in load_sets(folder=labelled_data) if has_several_pages(labelled)]
    assert names == [
        "cleanportaleval",
        "dragnet-hosts",
        "daniel-test",
        "records-test",
        "l3s-gn1",
        "sites/wiki",
    ]
