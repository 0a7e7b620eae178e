"""Keys and shares of a site's pages, against counting by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.auto.siteshares import SHARE_NAMES, UNKNOWN, SiteShares
from detemplate.detectors.auto.surroundings import Surroundings
from detemplate.page.page import Page
from tests.support.auto_sites import counted, found, likeness, pages

if TYPE_CHECKING:
    from detemplate.features.segment import SegmentFeatures

_STOCK = (
    "<ul class=menu><li><a href=/>Home</a><li><a href=/a>About the site</a></ul>",
    "<ul class=menu><li><a href=/>Home</a><li>Here</ul>",
    "<p>Home</p>",
    "<div class=x><p>one text that is common</p><p>and one more</p></div>",
    "<div class=x><p>a text of its own, of some more words</p></div>",
    "<section><div><p>nested</p></div></section>",
    "bare",
    "<footer>Copyright, all rights reserved</footer>",
    "<article><h1>A title</h1><p>What the article says in its first text.</p></article>",
)

stock_pages = st.lists(st.sampled_from(_STOCK), min_size=1, max_size=6).map(
    lambda parts: Page("http://e.org/", "".join(parts))
)


def keys_of(page: Page, content: np.ndarray | None = None) -> SiteKeys:
    features = found(page)
    given_content = likeness(page) if content is None else content
    return SiteKeys.of(page, features, Surroundings.of(page, features), given_content)


def shares_of(page: Page, counts: np.ndarray, pages: int, content: np.ndarray | None = None) -> SiteShares:
    return keys_of(page, content).shares(Surroundings.of(page, found(page)).group, counts, pages)


@dataclass
class ByHand:
    """A page as sets."""

    segments: list[int]
    texts: list[int]
    groups: list[list[int | None]]
    slots: list[int]
    votes: set[int]

    @classmethod
    def of(cls, page: Page) -> ByHand:
        features: SegmentFeatures = found(page)
        content, slots = likeness(page), features.slots.tolist()
        hashes = page.columns.content.tolist()
        votes = set()
        for slot in set(slots):
            own = [i for i, other in enumerate(slots) if other == slot]
            weight = [int(features.words[i]) + 0.3 for i in own]
            mean = sum(content[i] * w for i, w in zip(own, weight, strict=True)) / sum(weight)
            if mean > 0.5:
                votes.add(slot)
        return cls(
            page.segment_keys.tolist(),
            [hashes[row] for row in page.segments.tolist()],
            [[hashes[row] if row >= 0 else None for row in around] for around in features.groups.tolist()],
            slots,
            votes,
        )

    def group_set(self) -> set[int | None]:
        return {group for around in self.groups for group in around} - {None}


def shares_by_hand(target: ByHand, others: list[ByHand]) -> list[dict[str, float]]:
    count = len(others)

    def on(holds) -> int:
        return sum(1 for other in others if holds(other))

    # A slot is new on a page if a segment in it was on no page before.
    before: set[int] = set()
    new = []
    for other in others:
        new.append({slot for key, slot in zip(other.segments, other.slots, strict=True) if key not in before})
        before |= set(other.segments)
    table = []
    for i, segment in enumerate(target.segments):
        own = on(lambda other, key=segment: key in other.segments)
        slot = target.slots[i]
        slots = on(lambda other, key=slot: key in other.slots)
        votes = on(lambda other, key=slot: key in other.votes)
        table.append(
            {
                "segment pages": own,
                "segment share": own / count,
                "text share": on(lambda other, key=target.texts[i]: key in other.texts) / count,
                "slot share": slots / count,
                "slot pages": slots,
                "slot content": votes / slots if slots else UNKNOWN,
                "slot news": sum(slot in each for each in new) / slots if slots else UNKNOWN,
            }
            | {
                f"group share level {level}": on(lambda other, key=key: key in other.group_set()) / count
                if key is not None
                else 0.0
                for level, key in enumerate(target.groups[i])
            }
        )
    return table


@given(st.one_of(stock_pages, pages), st.lists(stock_pages, min_size=1, max_size=5))
def test_shares_equal_counting_by_hand(target, others):
    keys = keys_of(target)
    counts = counted([keys_of(other) for other in others]).counts(keys.keys)
    got = shares_of(target, counts, len(others))
    wanted = shares_by_hand(ByHand.of(target), [ByHand.of(other) for other in others])
    assert got.pages == len(others)
    np.testing.assert_allclose(got.table, [[line[name] for name in SHARE_NAMES] for line in wanted])
    assert got.table.shape == (len(target.segments), len(SHARE_NAMES))


def test_counts_beyond_the_pages_that_are_left():
    """A table that forgets pages may know more of a key than there are other pages."""
    page = Page("http://e.org/", "<div><p>one two three</p></div><p>four")
    got = shares_of(page, np.full(len(keys_of(page).keys), 9, np.int32), 4)
    for name, column in zip(SHARE_NAMES, got.table.T, strict=True):
        if not name.endswith("pages"):
            assert (column <= 1).all(), name


@pytest.mark.parametrize("others", [1, 3])
def test_the_same_text_elsewhere_on_the_page_is_another_segment(others):
    page = Page("http://e.org/", "<p>Home</p><div><b>Home</b></div>")
    table = counted([keys_of(Page("http://e.org/", "<p>Home</p>"))] * others)
    got = shares_of(page, table.counts(keys_of(page).keys), others)
    assert got.segment_share.tolist() == [1, 0]
    assert got.text_share.tolist() == [1, 1]
