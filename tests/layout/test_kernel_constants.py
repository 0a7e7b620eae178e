"""Constants that the kernel shares with the Python side are equal."""

from __future__ import annotations

from detemplate.layout import defaults, layout
from tests.support.pxd import enums


def test_displays_styles_traits_and_sides() -> None:
    displays, styles, traits, sides, *_ = enums("layout/_flowrows.pxd")
    for enum in (displays, styles, traits):
        assert enum == {name: getattr(defaults, name) for name in enum}
    assert sides == {name: getattr(layout, name) for name in sides}
