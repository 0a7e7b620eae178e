"""The cut of the greatest expected F1: the kernel against its reference. `test_decision.py` has brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import cut as module
from detemplate.detectors.auto import cut_reference
from detemplate.detectors.auto.cut import Sampling, best_cut
from tests.support.kernels import needs_kernel, uncompiled
from tests.support.pxd import constants

both = pytest.mark.parametrize("reference", [False, True])
chances = st.floats(0, 1) | st.sampled_from([0.0, 1e-12, 0.2, 0.5, 0.98, 0.999, 1.0])
segments = st.lists(st.tuples(chances, st.integers(0, 60), st.integers(-1, 40)), min_size=1, max_size=60)


@st.composite
def samplings(draw: st.DrawFn) -> Sampling:
    groups, samples = draw(st.sampled_from([1, 2, 16])), draw(st.sampled_from([8, 16, 32]))
    thresholds = np.random.default_rng(draw(st.integers(0, 9))).random((groups, samples))
    return Sampling(thresholds.astype(np.float32), draw(st.floats(0, 3)), draw(st.integers(1, 40)))


def columns(given_segments: list[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    content, words, group = zip(*given_segments, strict=True)
    return np.array(content), np.array(words, np.int32), np.array(group, np.int32)


@needs_kernel(module)
@given(segments, samplings())
def test_kernel_equals_reference(given_segments, sampling):
    got = best_cut(*columns(given_segments), sampling)
    with uncompiled(module):
        assert got == best_cut(*columns(given_segments), sampling)


@needs_kernel(module)
@pytest.mark.parametrize("count", [1000, 100_000])
def test_long_pages(count):
    """Ranking takes no quadratic time, and keeps the order of equal ones."""
    draw = np.random.default_rng(count)
    sampling = Sampling(draw.random((256, 32), np.float32), 0.75, 20)
    given_columns = (
        draw.random(count).round(3) * 0.9,
        draw.integers(0, 50, count, np.int32),
        draw.integers(-1, 300, count, np.int32),
    )
    got = best_cut(*given_columns, sampling)
    with uncompiled(module):
        assert got == best_cut(*given_columns, sampling)


def test_constants_of_the_kernel():
    names = constants("detectors/auto/_cut.pxd")
    assert names
    for name, value in names.items():
        assert getattr(cut_reference, name) == value


@both
@pytest.mark.parametrize(
    ("lengths", "shape", "message"),
    [
        ((0, 0, 0), (2, 8), "empty or differ"),
        ((2, 1, 2), (2, 8), "empty or differ"),
        ((2, 2, 1), (2, 8), "empty or differ"),
        ((1, 1, 1), (3, 8), "a power of 2"),
        ((1, 1, 1), (0, 8), "a power of 2"),
        ((1, 1, 1), (2, 12), "a multiple of 8"),
        ((1, 1, 1), (2, 0), "a multiple of 8"),
    ],
)
def test_wrong_input(reference, lengths, shape, message):
    content, words, group = lengths
    sampling = Sampling(np.full(shape, 0.5, np.float32), 0.75, 20)
    with pytest.MonkeyPatch.context() as patch:
        if reference:
            patch.setattr(module, "KERNEL", None)
        with pytest.raises(ValueError, match=message):
            best_cut(np.full(content, 0.5), np.ones(words, np.int32), np.zeros(group, np.int32), sampling)
