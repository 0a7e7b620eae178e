"""Constants that the kernel shares with the Python side are equal."""

from detemplate.layout import layout
from tests.support.pxd import enums


def test_displays_styles_traits_and_sides():
    displays, styles, traits, sides, *_ = enums("layout/_flowrows.pxd")
    for enum in (displays, styles, traits, sides):
        assert enum == {name: getattr(layout, name) for name in enum}
