"""The text that is a page's headline."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.headline import headline

segment = st.tuples(
    st.booleans(), st.booleans(), st.integers(0, 12), st.sampled_from([-1.0, 0.0, 0.4, 0.5, 1.0])
)


@given(st.lists(segment, min_size=1, max_size=10), st.integers(0, 4))
def test_against_a_loop(segments, others):
    is_title, kept, words, shares = map(np.array, zip(*segments, strict=True))
    own = [
        number
        for number, (title, _, count, share) in enumerate(segments)
        if title and count >= 2 and not (others >= 2 and share >= 0.5)
    ]
    wanted = None
    if own and not (is_title & kept).any():
        running = [number for number, (_, kept_, count, _) in enumerate(segments) if kept_ and count >= 8]
        before = [number for number in own if running and number <= running[0]]
        wanted = before[-1] if before else own[0]
    assert headline(np.flatnonzero(is_title), kept, words, shares, others) == wanted
