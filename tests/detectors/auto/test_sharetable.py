"""The kernel of keys and shares gives what its reference gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import sharetable as module
from detemplate.detectors.auto.sharetable import Hashes, compare, fill_shares, joined_keys, picked_keys
from tests.support.kernels import needs_kernel, uncompiled

pytestmark = needs_kernel(module)

LEVELS = 3


def both(run) -> None:
    got = run()
    with uncompiled(module):
        wanted = run()
    if isinstance(wanted, np.ndarray):
        assert (got.dtype, got.tobytes()) == (wanted.dtype, wanted.tobytes())
    else:
        assert got == wanted


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(0, 5), st.integers(1, 6), st.integers(1, 9))
def test_kernel_equals_reference(seed, segments, groups, slots, pages):
    draw = np.random.default_rng(seed)
    slots = min(slots, segments)
    slot = np.concatenate([np.arange(slots), draw.integers(0, slots, segments - slots)]).astype(np.int32)
    group = draw.integers(-1, groups, (segments, LEVELS), dtype=np.int32)
    votes, content = draw.random(slots) > 0.5, draw.random(segments) > 0.5
    length = 2 * segments + groups + 3 * slots
    keys, rows_content = (draw.integers(0, 2**64, count, dtype=np.uint64) for count in (length, 20))
    counts = draw.integers(0, draw.integers(1, 9), length, dtype=np.int32)
    words = draw.integers(0, 50, segments, dtype=np.int32)
    rows = [draw.integers(0, 20, count, dtype=np.int32) for count in (segments, groups)]
    hashes = Hashes(keys[:segments], rows_content, *rows, keys[:slots][slot], slot)
    mixes = draw.integers(0, 2**64, 6, dtype=np.uint64)

    def table(counted):
        found = np.full((segments, LEVELS + 7), -1.0)
        fill_shares(counts, slot, group, votes, pages, counted, found)
        return found

    both(lambda: joined_keys(hashes, slots, mixes))
    both(lambda: picked_keys(keys, counts, slot, votes))
    both(lambda: compare(counts, length - 2 * slots, content, words, 3))
    both(lambda: table(counted=False))
    both(lambda: table(counted=True))
