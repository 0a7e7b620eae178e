"""Sums over the slots of a site's pages, and the log-odds that follow from them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.model import model_of
from detemplate.detectors.auto.siteslots import PageSlots, SiteSlots, SlotEvidence
from detemplate.detectors.auto.slotodds import SegmentOdds
from detemplate.detectors.auto.slotsums import COLUMNS, SCALE
from detemplate.detectors.auto.stages import PageStage
from detemplate.page.page import Page
from tests.oracles import slotodds
from tests.oracles.slotodds import (
    CONTAINER_ODDS,
    LABEL_ODDS,
    LIKELY,
    SHELTER,
    SLOT_PAGES,
    SWITCH,
    TEMPLATE_ODDS,
    THRESHOLD,
    UNLIKELY,
)

MODEL = model_of("")
PARAGRAPHS = "".join(f"<p class='t'>{'A sentence of an article, one of several. ' * 6}" for _ in range(3))


def article(number: int, extra: str = "") -> Page:
    return Page(
        f"http://a/{number}",
        f"<body><div class=menu><a href=/>Home</a><a href=/b>About us</a></div><div class=main><h1>Title {number}</h1>"
        f"{PARAGRAPHS.replace('several', str(number))}</div>{extra}<div class=foot>Footer</div>",
    )


def slots_of(page: Page, odds: float | list[float] = 0.0) -> tuple[PageSlots, np.ndarray]:
    alone = np.broadcast_to(np.asarray(odds, np.float64), (len(page.segments),)).copy()
    return PageSlots.of(page, PageStage.run(page, MODEL), alone), alone


def found(site: SiteSlots, page: PageSlots, *, counted: bool) -> SlotEvidence:
    return SlotEvidence.of(page, site.totals(page, counted=counted))


def segments_of(alone, sited=None, share=0.0, listed=None):
    count = len(alone)
    listed = np.zeros(count, np.bool_) if listed is None else listed
    return SegmentOdds(
        alone,
        alone if sited is None else sited,
        np.full(count, 5.0),
        np.zeros(count) + share,
        listed,
        listed + 1,
    )


def slot_odds(alone, sited, others, evidence, *, record):
    segments, pure = segments_of(alone, sited), slotodds.purity(evidence)
    return slotodds.slot_odds(evidence, segments, others, pure, record=record)


def labelled_odds(odds, evidence, more=0.0, *, record=False):
    return slotodds.labelled_odds(evidence, odds, np.full(len(odds), 5.0), more + 0 * odds, record=record)


def test_sums_of_a_page():
    page = Page("", "<div>one two<p>three</p></div><p>four five six</p>")
    sums, _ = slots_of(page, [0.0, 6.0, -9.0])
    by_text = {
        page.segment_text(number): sums.sums[own] / SCALE for number, own in enumerate(sums.tree.own.tolist())
    }
    content = 2 * 0.5 + 1 / (1 + np.exp(-6)) + 3 / (1 + np.exp(9))
    names = {name: number for number, name in enumerate(COLUMNS)}
    assert by_text["one two"][names["words"]] == pytest.approx(2 / content, abs=1e-5)
    assert by_text["one two"][names["words inside"]] == pytest.approx(3 / content, abs=1e-5)
    assert by_text["one two"][names["content"]] == pytest.approx(1 / content, abs=1e-5)
    assert by_text["three"][names["odds"]] == pytest.approx(1.3 * 6, abs=1e-5)
    assert by_text["four five six"][names["odds"]] == pytest.approx(3.3 * -6, abs=1e-5)  # clipped
    assert (sums.sums[:, names["pages"]] == 1).all()


@given(st.permutations(range(5)))
def test_the_order_of_the_pages_does_not_matter(order):
    every = [slots_of(article(number), number / 2)[0] for number in range(5)]
    one, other = SiteSlots(), SiteSlots()
    for number in range(5):
        one.learn(every[number])
        other.learn(every[order[number]])
    target = slots_of(article(7), 0.3)[0]
    for left, right in zip(
        found(one, target, counted=False), found(other, target, counted=False), strict=True
    ):
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right)
        elif isinstance(left, int | float):
            assert left == right


def test_a_page_that_was_learnt_does_not_count_for_itself():
    every = [slots_of(article(number), number / 2)[0] for number in range(4)]
    without, with_it = SiteSlots(), SiteSlots()
    for page in every[1:]:
        without.learn(page)
        with_it.learn(page)
    with_it.learn(every[0])
    before, after = found(without, every[0], counted=False), found(with_it, every[0], counted=True)
    np.testing.assert_array_equal(before.total, after.total)
    assert (before.pages, before.prose, before.long) == (after.pages, after.prose, after.long)
    mean, pages = slotodds.other_pages(after)
    assert pages.max() == 3
    assert mean[after.tree.own[0]] == pytest.approx(1.0, abs=1e-5)  # of .5, 1 and 1.5


def test_unknown_slots_have_no_mean():
    site = SiteSlots()
    site.learn(slots_of(article(1), 2.0)[0])
    page = Page("", "<section>quite <b>another</b> page</section>")
    evidence = found(site, slots_of(page, 1.0)[0], counted=False)
    mean, pages = slotodds.other_pages(evidence)
    own = evidence.tree.own
    assert not mean[own].any()
    assert not pages[own].any()
    odds = np.full(len(own), 1.0)
    np.testing.assert_allclose(slot_odds(odds, odds - 2, 1, evidence, record=False), odds - 2)


def test_the_rarest_slots_are_dropped():
    site = SiteSlots(most=40)
    for number in range(12):
        site.learn(
            slots_of(article(number, f"<div class=x{'abcdefghijklmn'[number]}>once <b>x</b></div>"))[0]
        )
        assert len(site) <= 40
    target = slots_of(article(99))[0]
    _, pages = slotodds.other_pages(found(site, target, counted=False))
    assert pages[target.tree.own].max() == 12


def test_state_comes_back():
    site = SiteSlots()
    for number in range(3):
        site.learn(slots_of(article(number), number)[0])
    copy = SiteSlots()
    copy.load(site.pages, site.prose, site.long, site.dump())
    target = slots_of(article(9))[0]
    np.testing.assert_array_equal(
        found(site, target, counted=False).total, found(copy, target, counted=False).total
    )
    assert copy.nbytes == site.nbytes
    damaged = site.dump()
    damaged["slots"] = damaged["slots"][::-1]
    with pytest.raises(ValueError, match="inconsistent"):
        SiteSlots().load(site.pages, site.prose, site.long, damaged)
    with pytest.raises(ValueError, match="inconsistent"):
        SiteSlots().load(1, site.prose, site.long, site.dump())
    with pytest.raises(ValueError, match="inconsistent"):
        SiteSlots().load(site.pages, site.prose, 4, site.dump())


def evidence_of(others: list[float], own: float = 0.0):
    site = SiteSlots()
    for number, odds in enumerate(others):
        site.learn(slots_of(article(number), odds)[0])
    page = article(50)
    sums, alone = slots_of(page, own)
    return found(site, sums, counted=False), alone, page


def test_log_odds_move_towards_the_mean_of_the_slot():
    evidence, alone, _ = evidence_of([2.0, 4.0, 3.0])
    got = slot_odds(alone, alone, 3, evidence, record=False)
    np.testing.assert_allclose(got, 3 / (3 + SLOT_PAGES) * 3.0, atol=1e-4)


def test_repetition_counts_in_full_and_its_absence_in_part():
    evidence, alone, _ = evidence_of([-3.0] * 4)
    pooled = slot_odds(alone, alone, 4, evidence, record=False)
    np.testing.assert_allclose(slot_odds(alone, alone - 2, 4, evidence, record=False), pooled - 2)
    raised = slot_odds(alone, alone + 2, 4, evidence, record=False) - pooled
    on_record = slot_odds(alone, alone + 2, 4, evidence, record=True) - pooled
    np.testing.assert_allclose(on_record, 2 * 4 / 36)
    np.testing.assert_allclose(raised, on_record / (1 + np.exp(3.0)), rtol=1e-4)


@pytest.mark.parametrize(("listed", "purity"), [(6.0, 0.9), (-6.0, 0.0)])
def test_repetition_says_less_where_a_container_holds_nothing_but_content(listed, purity):
    words = " ".join(f"word{number}" for number in range(20))
    html = f"<body><div class=main><h2>Return value</h2><p>{{}} {words}</p><ul><li>{words}</ul></div><p>All rights are ours."

    def sums(number):
        page = Page("http://a/", html.format(number))
        return slots_of(page, [-0.5, 6.0, listed, -6.0])

    site = SiteSlots()
    for number in range(4):
        site.learn(sums(number)[0])
    own, alone = sums(9)
    evidence = found(site, own, counted=False)
    assert slotodds.purity(evidence)[evidence.tree.own[0]] == pytest.approx(purity, abs=0.1)
    still = slot_odds(alone, alone, 4, evidence, record=False)
    likely = np.clip((alone - UNLIKELY) / (LIKELY - UNLIKELY), 0, 1)
    inside = slotodds.purity(evidence)[evidence.tree.own]
    lowered = still - slot_odds(alone, alone - 4, 4, evidence, record=False)
    np.testing.assert_allclose(lowered, 4 * (1 - SHELTER * inside * likely))
    assert (lowered[0] < 3) == bool(purity)  # the heading


def test_containers_are_known_from_three_pages_on():
    site = SiteSlots()
    for number in range(2):
        page = slots_of(article(number), 3.0)[0]
        assert not slotodds.purity(found(site, page, counted=False)).any()
        site.learn(page)
    assert slotodds.purity(found(site, slots_of(article(5), 3.0)[0], counted=False)).max() > 0.5


def test_slots_of_content_are_told_from_others():
    odds = {"menu": -2.0, "main": 2.0, "foot": -2.0}
    site = SiteSlots()
    values = []
    for number in range(6):
        page = article(number)
        values = [2.0 if len(page.segment_text(index)) > 30 else -2.0 for index in range(len(page.segments))]
        site.learn(slots_of(page, values)[0])
    page = article(60)
    sums, alone = slots_of(page, values)
    evidence = found(site, sums, counted=False)
    got = labelled_odds(alone, evidence)
    long = np.array([len(page.segment_text(index)) > 30 for index in range(len(page.segments))])
    np.testing.assert_allclose(got[long], alone[long] + LABEL_ODDS)
    assert (got[0], got[-1]) == (alone[0] - TEMPLATE_ODDS, alone[-1] - TEMPLATE_ODDS)
    kept = labelled_odds(alone, evidence, record=True)
    assert (kept[0], kept[-1]) == (alone[0], alone[-1])
    assert odds


def test_in_containers_of_content_labels_say_more():
    """Unless the page alone takes a text for template, other pages have it, or it is a link to a heading."""
    site = SiteSlots()
    for number in range(4):
        site.learn(slots_of(article(number), [-6.0, -6.0, *[6.0] * 4, -6.0])[0])
    own, alone = slots_of(article(9), [-6.0, -6.0, 0.0, -1.5, 5.0, 5.0, -6.0])
    evidence = found(site, own, counted=False)
    most = CONTAINER_ODDS * slotodds.purity(evidence)[own.tree.own]
    assert (most[2:6] > 0.8 * CONTAINER_ODDS).all()
    got = slotodds.container_odds(evidence, segments_of(alone), slotodds.purity(evidence))
    np.testing.assert_allclose(got, most * [0, 0, 1, 0.5, 1, 1, 0])
    share, listed = np.array([0, 0, 0.375, 0, 0.8, 0, 0]), np.arange(7) == 5
    segments = segments_of(alone, share=share, listed=listed)
    got = slotodds.container_odds(evidence, segments, slotodds.purity(evidence))
    np.testing.assert_allclose(got, most * [0, 0, 0.5, 0.5, 0, 0, 0])
    labelled = labelled_odds(alone, evidence, got)
    np.testing.assert_allclose(labelled - labelled_odds(alone, evidence), got)


def test_few_pages_label_no_slots():
    evidence, alone, _ = evidence_of([3.0] * 2)
    assert labelled_odds(alone, evidence) is alone
    evidence, alone, _ = evidence_of([3.0] * 3)
    assert labelled_odds(alone, evidence) is not alone


def test_a_slot_that_other_pages_fill_is_content_although_little_of_it_is_here():
    short = "<div class=main><p class=t>brief</div>"
    site = SiteSlots()
    rng = random.Random(0)
    for number in range(6):
        page = article(rng.randrange(1000) + number)
        odds = [3.0 if len(page.segment_text(index)) > 30 else -3.0 for index in range(len(page.segments))]
        site.learn(slots_of(page, odds)[0])
    page = Page(
        "http://a/x", f"<body><div class=menu><a href=/>Home</a></div>{short}<div class=foot>Footer</div>"
    )
    sums, alone = slots_of(page, [-3.0, 0.0, -3.0])
    evidence = found(site, sums, counted=False)
    odds = slot_odds(alone, alone, 6, evidence, record=False)
    content = slotodds.content_slots(evidence, odds, np.full(3, 1.3))
    assert content.tolist() == [False, True, False]
    assert THRESHOLD > SWITCH
