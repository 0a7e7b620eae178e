"""Template ratios of blocks, against sums block by block."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.segments import template_ratios

sizes = st.integers(0, 2**31 - 1) | st.integers(0, 5)
segments = st.lists(st.tuples(st.booleans(), st.integers(-1, 3), sizes), max_size=12)


@given(segments)
def test_a_ratio_is_that_of_a_run_of_segments(given_segments: list[tuple[bool, int, int]]) -> None:
    wanted: list[float] = []
    for _, run in groupby(given_segments, key=lambda segment: segment[1]):
        block = list(run)
        total = sum(size for _, _, size in block)
        template = sum(size for is_template, _, size in block if is_template)
        wanted += [template / total if total else 0.0] * len(block)
    template, blocks, chars = ([segment[part] for segment in given_segments] for part in range(3))
    found = template_ratios(
        np.array(template, np.bool_), np.array(blocks, np.int32), np.array(chars, np.int32)
    )
    assert (found.dtype, found.tolist()) == (np.float64, wanted)
