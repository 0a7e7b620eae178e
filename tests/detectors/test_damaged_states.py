"""Damaged states are refused or give a detector that works; they never crash."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.registry import DETECTORS
from detemplate.detectors.state import StateError, pack
from tests.support.helpers import learned, make, site

every_method = pytest.mark.parametrize("method", DETECTORS)


def try_to_load(method, data):
    """Load a state; if it is not refused, the detector must work."""
    try:
        detector = DETECTORS[method].from_bytes(data)
    except StateError:
        return
    for page in site(3):
        detector.learn(page)
        detector.score(page)
    detector.to_bytes()


@every_method
def test_states_cut_off_anywhere_are_refused(method):
    state = learned(method, True, site(4)).to_bytes()
    for stop in [*range(0, 700), *range(700, len(state), 97), len(state) - 1]:
        if stop < len(state):
            with pytest.raises(StateError):
                DETECTORS[method].from_bytes(state[:stop])
    with pytest.raises(StateError):
        DETECTORS[method].from_bytes(state + b"\0")


@every_method
@given(st.data())
def test_damaged_states_never_crash(method, data):
    state = bytearray(learned(method, data.draw(st.booleans()), site(2)).to_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.one_of(st.integers(0, min(600, len(state) - 1)), st.integers(0, len(state) - 1)))
        state[at] = data.draw(st.one_of(st.integers(0, 255), st.sampled_from(b'0123456789-"[]{},:.eE')))
    try_to_load(method, bytes(state))


@every_method
@given(st.binary(max_size=100))
def test_noise_is_refused(method, noise):
    magic = make(method, streaming=True).to_bytes()[:17]
    for data in (noise, magic + noise, magic + struct.pack("<Q", len(noise)) + noise):
        with pytest.raises(StateError):
            DETECTORS[method].from_bytes(data)


@every_method
def test_other_methods_and_versions_are_refused(method):
    for other in DETECTORS:
        if other != method:
            with pytest.raises(StateError, match=other):
                DETECTORS[method].from_bytes(make(other, streaming=True).to_bytes())
    with pytest.raises(StateError, match="version 99"):
        DETECTORS[method].from_bytes(pack(method, 99, {}, {}))


_WRONG = (
    None, True, -1, 2**31, 2**63, 1.5, float("inf"), float("nan"), "x", [], [[1, 2]], {"x": 1},
)  # fmt: skip


def parts(state):
    size = int.from_bytes(state[17:25], "little")
    return json.loads(state[25 : 25 + size]), state[25 + size :]


def joined(state, head, body):
    text = json.dumps(head).encode()
    return state[:17] + len(text).to_bytes(8, "little") + text + body


def replaced(value, wrong):
    """Return copies of a JSON value, each with one of its parts replaced or left out."""
    found = [wrong]
    if isinstance(value, dict):
        found += [{**value, key: new} for key in value for new in replaced(value[key], wrong)]
        found += [{other: value[other] for other in value if other != key} for key in value]
    if isinstance(value, list):
        found += [
            [*value[:at], new, *value[at + 1 :]]
            for at in range(len(value))
            for new in replaced(value[at], wrong)
        ]
    return found


@every_method
def test_wrong_values_anywhere_in_the_header_never_crash(method):
    state = learned(method, True, site(2)).to_bytes()
    head, body = parts(state)
    for wrong in _WRONG:
        for changed in replaced(head, wrong):
            try_to_load(method, joined(state, changed, body))
    try_to_load(method, joined(state, head, body)[:25] + b"[" * 200_000)
    deep = b"[" * 200_000
    try_to_load(method, state[:17] + len(deep).to_bytes(8, "little") + deep)


@every_method
def test_arrays_of_other_types_and_lengths_never_crash(method):
    """Numbers that overflow in a smaller type must not get into a table."""
    state = learned(method, True, site(2)).to_bytes()
    head, body = parts(state)
    for name, (kind, length) in head["arrays"].items():
        for other in ("<u8", "<i8", "<i4", "<u4", "<f4", "<f8", "|u1", "<O", "<U4", "nonsense"):
            for value in (0, 1, -1, 2**31, 2**32, 2**63 - 1, float("nan")):
                at = 0
                pieces = []
                layout = dict(head["arrays"])
                for each, (its_kind, its_length) in head["arrays"].items():
                    size = np.dtype(its_kind).itemsize * its_length
                    piece = body[at : at + size]
                    at += size
                    if each == name and other[1:] in ("u8", "i8", "i4", "u4", "f4", "f8", "u1"):
                        with np.errstate(all="ignore"):
                            filled = (
                                np.array([value] * length, np.float64).astype(other)
                                if value != value or "f" in other
                                else np.array([value % 2**64] * length, np.uint64).astype(other)
                            )
                        piece = filled.tobytes()
                    layout[each] = [other, length] if each == name else layout[each]
                    pieces.append(piece)
                try_to_load(method, joined(state, {**head, "arrays": layout}, b"".join(pieces)))
        assert kind in ("<u8", "<i8", "<i4", "<i2", "|i1", "|u1")
