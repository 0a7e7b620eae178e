"""Constants that a kernel reads from a .pxd file are those of the Python side."""

from __future__ import annotations

import pytest

from detemplate.algorithms import forestlayout, isotonic_reference, minwise, tokenmatch_reference
from tests.support.pxd import constants


@pytest.mark.parametrize(
    ("path", "module", "names"),
    [
        ("algorithms/_pieces.pxd", forestlayout, {"LANES", "WORD", "SPREAD", "SHIFT", "CHUNK", "STEP"}),
        ("algorithms/_choices.pxd", isotonic_reference, {"MOVE", "KEEP", "LEAST"}),
        ("algorithms/_letters.pxd", tokenmatch_reference, {"LONGEST_KEPT"}),
    ],
)
def test_names_and_numbers_agree(path, module, names):
    numbers = constants(path)
    assert {name: numbers[name] for name in names} == {name: getattr(module, name) for name in names}


def test_the_multiplier_of_hashes_is_one():
    assert constants("algorithms/_hashing.pxd")["GOLDEN"] == minwise.GOLDEN


def test_each_bit_has_a_place_of_its_own():
    places = {
        (forestlayout.SPREAD << bit & 0xFFFFFFFF) >> forestlayout.SHIFT for bit in range(forestlayout.WORD)
    }
    assert places == set(range(forestlayout.WORD))
