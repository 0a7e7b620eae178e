"""Constants that a kernel reads from a .pxd file are those of the Python side."""

from __future__ import annotations

from detemplate.algorithms import forestlayout, minwise
from tests.support.pxd import constants


def test_sizes_of_the_forests_pieces():
    names = {"LANES", "WORD", "SPREAD", "SHIFT", "CHUNK", "STEP"}
    numbers = constants("algorithms/_pieces.pxd")
    assert {name: numbers[name] for name in names} == {name: getattr(forestlayout, name) for name in names}


def test_the_multiplier_of_hashes_is_one():
    assert constants("algorithms/_hashing.pxd")["GOLDEN"] == minwise.GOLDEN


def test_each_bit_has_a_place_of_its_own():
    places = {
        (forestlayout.SPREAD << bit & 0xFFFFFFFF) >> forestlayout.SHIFT for bit in range(forestlayout.WORD)
    }
    assert places == set(range(forestlayout.WORD))
