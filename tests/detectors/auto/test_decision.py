"""Method auto: where it cuts, against brute force, and how it smooths lists."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.auto import decision as autodecision
from detemplate.detectors.auto.decision import expected_cut
from detemplate.detectors.auto.site import RUNNING_WORDS

# Where to cut.

segments = st.lists(
    st.tuples(st.floats(1e-6, 1 - 1e-6), st.integers(0, 40), st.integers(-1, 3)), min_size=1, max_size=12
)


def columns(given_segments):
    content, words, group = zip(*given_segments, strict=True)
    return np.array(content), np.array(words, np.int32), np.array(group, np.int32)


def shifted(content, words):
    """Give each segment's shifted probability: lower beside running text, the greatest at least a half."""
    weighed = [p * max(n, 1) for p, n in zip(content, words, strict=True)]
    running = sum(w for w, n in zip(weighed, words, strict=True) if n >= RUNNING_WORDS) / sum(weighed)
    odds = [math.log(p / (1 - p)) - autodecision.PROSE_SHIFT * running for p in content]
    return [1 / (1 + math.exp(min(max(odds), 0) - each)) for each in odds]


def expected_f1(content, words, group, chosen):
    """Give the mean F1 of a choice, sample by sample and segment by segment."""
    chance, total = shifted(content, words), 0.0
    weight = [max(int(n), 1) for n in words]
    for sample in range(autodecision.SAMPLES):
        numbers = autodecision._THRESHOLDS[:, sample]
        true = {i for i, g in enumerate(group) if numbers[g] < chance[i]}
        hits = sum(weight[i] for i in true & chosen)
        total += 2 * hits / (sum(weight[i] for i in chosen) + sum(weight[i] for i in true))
    return total / autodecision.SAMPLES


@given(segments)
def test_the_cut_gives_the_set_of_the_greatest_expected_f1(given_segments):
    content, words, group = columns(given_segments)
    cut = expected_cut(content, words, group)
    assert 0 < cut < content.max()
    kept = set(np.flatnonzero(content > cut).tolist())
    best = max(
        expected_f1(content, words, group, set(np.flatnonzero(content >= least).tolist()))
        for least in content
    )
    assert expected_f1(content, words, group, kept) == pytest.approx(best, rel=1e-9)


# Smoothing.
