"""The kernel of keys and shares gives what its reference gives."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import sharetable as module
from detemplate.detectors.auto.sharetable import (
    LONGEST,
    SIGNATURES,
    Hashes,
    fill_shares,
    page_keys,
    picked_keys,
)
from tests.support.kernels import needs_kernel, uncompiled

pytestmark = needs_kernel(module)

LEVELS = 3


def both(run) -> None:
    got = run()
    with uncompiled(module):
        wanted = run()
    for one, other in zip(got, wanted, strict=True) if isinstance(got, tuple) else [(got, wanted)]:
        assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(0, 5), st.integers(1, 6), st.integers(1, 9))
def test_kernel_equals_reference(seed, segments, groups, slots, pages):
    draw = np.random.default_rng(seed)
    slots = min(slots, segments)
    slot = np.concatenate([np.arange(slots), draw.integers(0, slots, segments - slots)]).astype(np.int32)
    group = draw.integers(-1, groups, (segments, LEVELS), dtype=np.int32)
    votes = draw.random(slots) > 0.5
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

    means, weight = draw.random(segments), draw.random(segments) + 0.1
    both(lambda: page_keys(hashes, means, weight, words, 0.5, mixes))
    both(lambda: picked_keys(keys, counts, slot, votes))
    both(lambda: table(counted=False))
    both(lambda: table(counted=True))


segments = st.lists(
    st.tuples(st.integers(0, 2**64 - 1), st.booleans(), st.integers(0, 9)),
    min_size=1, max_size=12, unique_by=lambda row: row[0],
)  # fmt: skip


def signed(rows):
    keys, content, words = zip(*rows, strict=True)
    segments, place = np.array(keys, np.uint64), np.zeros(len(keys), np.int32)
    hashes = Hashes(segments, segments, place, place[:0], segments, place)
    likely, mixes = np.array(content) * 0.6, np.zeros(6, np.uint64)
    found = page_keys(hashes, likely, np.ones(len(keys)), np.array(words, np.int32), 0.5, mixes)
    return found[2].tolist()


def longest_content(rows):
    likely = [row for row in rows if row[1]] or rows
    by_length = sorted(likely, key=lambda row: (-row[2], row[0]))
    return {row[0] for row in (by_length[:LONGEST] if any(row[1] for row in rows) else likely)}, sum(
        row[2] for row in likely
    )


@given(segments, segments, st.randoms(use_true_random=False), st.booleans())
def test_pages_with_the_same_longest_content_share_a_signature(rows, others, draw, kernel):
    with nullcontext() if kernel else uncompiled(module):
        found = signed(rows)
        assert len(set(found)) == SIGNATURES
        # Neither the order nor template matters.
        assert signed(draw.sample(rows, len(rows))) == found
        if any(row[1] for row in rows):
            assert signed([*rows, (2**64 - 1, False, 100)]) == found
        (longest, size), (theirs, other) = longest_content(rows), longest_content(others)
        shared = set(found) & set(signed(others))
        small, large = sorted((max(size, 1), max(other, 1)))
        if longest != theirs or large > 1.26 * small:
            assert not shared
        elif large < 1.11 * small:
            assert shared


def test_how_much_longer_a_copy_may_be():
    def page(words: int) -> set[int]:
        return set(
            signed([(1, True, 900), (2, True, 800), *((key, True, 100) for key in range(3, words // 100))])
        )

    for words in range(2000, 4000, 100):
        size = words + 1400
        for other in range(words, 6000, 100):
            ratio = (other + 1400) / size
            if ratio < 1.11 or ratio > 1.25:
                assert bool(page(words) & page(other)) == (ratio < 1.11)
