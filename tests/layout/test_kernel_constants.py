"""Constants that the kernel shares with the Python side are equal."""

from __future__ import annotations

from detemplate.layout import defaults, flowrows
from tests.support.pxd import declared, enums


def test_rows_displays_and_flags() -> None:
    displays, styles, traits, *rest = enums("layout/_flowrows.pxd")
    for enum in (displays, styles, traits):
        assert enum == {name: getattr(defaults, name) for name in enum}
    for enum in rest:
        assert enum == {name: getattr(flowrows, name) for name in enum}
    assert [len(enum) for enum in (displays, styles, traits, *rest)] == [12, 11, 3, 17, 5, 3, 1]
    rows, sides, *_ = rest
    for enum in (styles, rows, sides):
        assert [*enum.values()] == list(range(len(enum)))


def test_lengths() -> None:
    lengths = declared("layout/_flow.py")
    assert lengths.pop("DIGIT_ZERO") == ord("0")
    assert len(lengths) == 9
    assert lengths == {name: getattr(flowrows, name) for name in lengths}
