"""Signatures of pages."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.sharetable import LONGEST, SIGNATURES, Hashes, page_keys

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


@given(segments, segments, st.randoms(use_true_random=False))
def test_pages_with_the_same_longest_content_share_a_signature(rows, others, draw):
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
