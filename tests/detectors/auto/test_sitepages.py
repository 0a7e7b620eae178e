"""What is learnt of a site: copies, news and joined parts against counting by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import sitecounts
from detemplate.detectors.auto.exchange import Query
from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.auto.sitepages import SitePages
from detemplate.detectors.auto.siteslots import PageSlots
from detemplate.detectors.auto.slotsums import COLUMNS
from detemplate.detectors.auto.slottree import SlotTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SLOTS = 3
"""Slots of every page: segments have keys from 0 on, slots from 100, votes from 200, new slots from 300."""

WINDOW = 3


@pytest.fixture(autouse=True, scope="module")
def _window() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sitecounts, "WINDOW", WINDOW)
        yield


def page_of(name: int, segments: Sequence[int], other_name: int = 9) -> Query:
    """A page whose segments are in the slots that their numbers leave; the first slot votes on even pages."""
    own = np.array([*segments, *(1000 + key for key in segments)], np.uint64)
    slots = np.concatenate([np.arange(SLOTS) + start for start in (100, 200, 300)]).astype(np.uint64)
    slot = np.array([key % SLOTS for key in segments], np.int32)
    votes = np.array([name % 2 == 0, False, True])
    signatures = np.array([10_000 + name, 20_000 + other_name], np.uint64)
    keys = SiteKeys(np.concatenate([own, slots]), signatures, slot, votes)
    tree = SlotTree(np.unique(own), np.zeros(0, np.int32), np.zeros(0, np.int32))
    sums = np.full((len(tree.keys), len(COLUMNS)), name + 1, np.int64)
    sums[:, 0] = 1
    return Query(keys, PageSlots(tree, sums, 7 * name, name > 2))


pages = st.builds(
    page_of, st.integers(0, 4), st.lists(st.integers(0, 12), min_size=1, max_size=4), st.integers(0, 30)
)
sites = st.lists(pages, max_size=14)


def counted_by_hand(site: Sequence[Query]) -> tuple[Counter[int], int]:
    """Give how many pages have each key, and how many were counted."""
    counts: Counter[int] = Counter()
    number = 0
    for place, (page, _) in enumerate(site):
        before = [keys for keys, _ in site[max(place - WINDOW, 0) : place]]
        signed = set(page.signatures.tolist())
        if any(signed & set(other.signatures.tolist()) for other in before):
            continue
        number += 1
        held = {key for other in before for key in other.segments.tolist()}
        new = {300 + key % SLOTS for key in page.segments.tolist() if key not in held}
        votes = {200 + slot for slot in range(SLOTS) if page.votes[slot]}
        counts.update({key for key in page.keys.tolist() if not 200 <= key < 400} | votes | new | signed)
    return counts, number


def learnt(site: Sequence[Query], most: int = 1 << 20) -> SitePages:
    found = SitePages(np.array([-1]), most)
    for page in site:
        found.learn(page)
    return found


def check(found: SitePages, site: Sequence[Query]) -> None:
    counts, number = counted_by_hand(site)
    assert found.numbers == {
        "learnt": len(site), "counted": number, "prose": sum(page.slots.prose for page in site),
        "long": sum(page.slots.long for page in site),
    }  # fmt: skip
    for page in site:
        answer = found.answer(page)
        counted = any(counts[key] for key in page.keys.signatures.tolist())
        if answer is None:
            assert number <= counted
            continue
        assert answer.counts.tolist() == [counts[key] for key in page.keys.keys.tolist()]
        assert (answer.pages, answer.counted) == (number, counted)
        assert answer.slots.pages == len(site) + (not counted)
    # Sums of slots are over all pages.
    unlike = page_of(9, range(13), 99)
    answer = found.answer(unlike)
    if answer is not None:
        for place, key in enumerate(unlike.slots.tree.keys.tolist()):
            rows = [page.slots.sums[page.slots.tree.keys == key].sum(axis=0) for page in [*site, unlike]]
            assert answer.slots.total[place].tolist() == sum(rows).tolist()


@given(sites)
def test_counts_equal_counting_by_hand(site):
    check(learnt(site), site)


@given(sites, st.lists(st.integers(0, 14), min_size=2, max_size=2), sites)
def test_joined_parts_equal_one_pass(site, cuts, later):
    places = [0, *sorted(min(cut, len(site)) for cut in cuts), len(site)]
    first, second, third = (learnt(site[start:stop]) for start, stop in pairwise(places))
    before = [part.dump() for part in (first, second, third)]
    for joined in (first.merge(second).merge(third), first.merge(second.merge(third))):
        check(joined, site)
        for page in later:
            joined.learn(page)
        check(joined, [*site, *later])
    for part, columns in zip((first, second, third), before, strict=True):
        for name, column in part.dump().items():
            np.testing.assert_array_equal(column, columns[name])


@given(sites, sites)
def test_what_was_saved_comes_back(site, later):
    found, again = learnt(site), learnt([])
    again.load(found.numbers, found.dump())
    for page in later:
        found.learn(page)
        again.learn(page)
    check(again, [*site, *later])
    check(found.merge(again), [*site, *later, *site, *later])


def test_a_page_is_a_copy_of_one_shortly_before_it():
    counted, site = [], learnt([])
    for place, name in enumerate((0, 0, 1, 2, 0, 3, 4, 1)):
        before = site.numbers["counted"]
        site.learn(page_of(name, [name], 100 + place))
        counted.append(site.numbers["counted"] > before)
    assert counted == [True, False, True, True, False, True, True, True]


def test_first_pages_are_kept_within_bounds():
    unlike = [page_of(number, [number], 100 + number) for number in range(9)]
    # Each has 11 keys.
    for most, wanted in ((10, 0), (25, 2), (1000, WINDOW)):
        assert len(learnt(unlike, most).dump()["first sizes"]) == 3 * wanted
    assert learnt(unlike).nbytes > learnt([]).nbytes


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("keys", np.array([7, 7], np.uint64)), ("recent", np.array([7, 7], np.uint64)),
        ("first slot", np.array([0, SLOTS], np.int32)), ("first slot", np.array([0, -1], np.int32)),
        ("first sizes", np.array([13, 2, 2], np.int32)), ("first sizes", np.array([13, 2], np.int32)),
        ("first sizes", np.array([11, 2, 3], np.int32)), ("first signatures", np.zeros(3, np.uint64)),
        ("first signatures", np.zeros(4, np.uint64)), ("first", np.zeros(3, np.uint64)), ("first votes", np.zeros(2, np.uint8)),
    ],
)  # fmt: skip
def test_columns_that_contradict_each_other_are_refused(name, column):
    whole = learnt([page_of(1, [1, 2])])
    learnt([]).load(whole.numbers, whole.dump())
    with pytest.raises(ValueError):  # noqa: PT011  # by any of the columns
        learnt([]).load(whole.numbers, {**whole.dump(), name: column})
    for number in ("learnt", "counted"):
        with pytest.raises(ValueError):  # noqa: PT011
            learnt([]).load({**whole.numbers, number: 0 if number == "learnt" else 2}, whole.dump())
