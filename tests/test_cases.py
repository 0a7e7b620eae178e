"""Small pages after public bug reports of extractors, from the measuring data: those that hold must go on holding."""

import importlib.util

import pytest

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
    folder = data_folder() / "cases"
    spec = importlib.util.spec_from_file_location("check", folder / "check.py")
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    assert check.faults(folder / name) == []
