"""Constants that the kernel shares with the Python side are equal."""

from detemplate.layout import layout
from tests.support.pxd import enums


def test_displays_and_sides():
    for enum in enums("layout/_flowrows.pxd"):
        assert enum == {name: getattr(layout, name) for name in enum}
