"""Small pages after public bug reports of extractors, from the measuring data: those that hold must go on holding."""

import pytest

from benchmarks.support.cases import CASES, faults
from lab.labelled.datasets import data_folder

HELD = (
    "author-paren", "by-zh", "date-comment", "date-mod-itemprop", "date-updated", "delins", "fig-substack",
    "hid-attr", "hid-none", "lastupd-author", "logo3", "long-wp-400", "qtag", "rd484", "rd744", "rj18",
    "ruby", "site-continue", "site-newsletter", "site-paywall", "split1", "split2", "svg-title",
    "tailstrong1", "tasklist", "tfoot", "title-appname", "traf-and", "traf-fig", "traf-pub", "traf916",
    "twoblocks-cols-12-1", "twoblocks-cols-20-4", "twoblocks-rows-12-1", "twoblocks-rows-20-4", "utf8asl1",
    "wae19", "wp-vcard",
)  # fmt: skip
"""Names of the cases that hold."""


@pytest.mark.data
@pytest.mark.parametrize("name", HELD)
def test_a_case_holds(name):
    assert faults(data_folder() / CASES / name) == []
