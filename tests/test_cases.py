"""Small pages after public bug reports of extractors, from the measuring data: those that hold must go on holding."""

import pytest

from benchmarks.support.cases import CASES, faults
from lab.labelled.datasets import data_folder

HELD = (
    "delins",
    "fig-substack",
    "hid-attr",
    "hid-none",
    "rd484",
    "rd744",
    "rj18",
    "qtag",
    "ruby",
    "svg-title",
    "tasklist",
    "tfoot",
    "utf8asl1",
)
"""Names of the cases that hold."""


@pytest.mark.data
@pytest.mark.parametrize("name", HELD)
def test_a_case_holds(name: str) -> None:
    assert faults(data_folder() / CASES / name) == []
