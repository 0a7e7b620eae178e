"""Fields: slots that hold something new on each page of a site."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import fields as module
from detemplate.detectors.auto.fields import (
    FieldFeatures,
    fields,
    is_record,
    likely_fields,
    of_articles,
    records,
)

share = st.sampled_from([-1.0, 0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0])
segment = st.tuples(
    share,
    share,
    st.sampled_from([0.0, 0.01, 0.5, 1.0]),
    st.one_of(st.integers(1, 14), st.integers(1, 2 * module.LOOSE_TEXTS)),
    st.booleans(),
    st.integers(0, 2 * module.MAX_WORDS),
    st.sampled_from([0.0, 0.005, 0.008, 0.02, 0.04, 0.08, 0.4, 1.0]),
)
field = st.tuples(
    st.sampled_from([0.8, 1.0]), st.sampled_from([0.5, 0.8, 1.0]), st.sampled_from([0.0, 0.3]), st.integers(1, 12),
    st.just(False), st.integers(0, 3), st.sampled_from([0.01, 0.1]),
)  # fmt: skip
segments = st.lists(st.one_of(segment, field), min_size=1, max_size=16)


def columns(given_segments: list) -> FieldFeatures:
    return FieldFeatures(*(np.array(column) for column in zip(*given_segments, strict=True)))


@pytest.mark.parametrize(
    ("long", "prose", "articles"),
    [(0.69, 0.74, False), (0.7, 0.0, True), (0.0, 0.75, True), (0.0, 0.0, False)],
)
def test_a_site_of_articles_has_long_texts_or_little_else(long, prose, articles):
    assert of_articles(long, prose) == articles


@given(segments, st.integers(0, 2 * module.MANY_PAGES), st.booleans())
def test_what_a_field_is(given_segments, others, articles):
    wanted, more, single, prose, faints = [], [], [], 0, 0
    least = 0.04 if articles else 0.08
    for slot_share, slot_new, segment_share, slot_texts, linked, words, page_content in given_segments:
        common = others >= 3 and slot_share >= 0.8 and words <= (6 if linked else 25)
        fresh = slot_new >= 0.8 or (slot_new >= 0.5 and segment_share == 0 and slot_texts == 1)
        wanted.append(common and fresh and segment_share < 1 and slot_texts <= 12 and page_content >= least)
        single.append(wanted[-1] and slot_texts == 1 and not (articles and linked))
        faint = common and fresh and segment_share < 1 and slot_texts <= 24 and page_content >= 0.008
        faints += faint and not linked
        listed = slot_new >= 0.8 and slot_texts <= 60 and page_content >= 0.04
        shared = slot_new >= 0.5 and segment_share < 0.5 and slot_texts <= 24 and page_content >= 0.02
        more.append(faint or (common and (listed or shared)))
        prose += words if page_content > 0.5 and words >= 20 else 0
    count = sum(wanted)
    unlinked = sum(field and not one[4] for field, one in zip(wanted, given_segments, strict=True))
    if not articles or unlinked < 8:
        wanted = single
    if count < 4:
        wanted = [False] * len(wanted)
    if not articles and faints >= 6 and prose <= 80 * faints:
        wanted = more
    if others < 7:
        wanted = [
            field and one[3] == 1 and not one[4] for field, one in zip(wanted, given_segments, strict=True)
        ]
        if sum(wanted) < 4:
            wanted = [False] * len(wanted)
    assert fields(columns(given_segments), others, articles=articles).tolist() == wanted


@given(segments, st.integers(0, 2 * module.MANY_PAGES))
def test_what_loose_fields_are(given_segments, others):
    field = fields(columns(given_segments), others).tolist()
    wanted = []
    for number, (slot_share, slot_new, _, slot_texts, linked, _, _) in enumerate(given_segments):
        loose = others >= 2 and slot_share >= 0.1 and slot_new >= 0.1 and slot_texts <= (5 if linked else 100)
        wanted.append(loose or field[number])
    assert records(columns(given_segments), others).tolist() == wanted


def test_a_price_is_a_field_and_what_is_not():
    def of(**given_values: float) -> bool:
        usual = {
            "slot_share": 1.0, "slot_new": 1.0, "segment_share": 0.0, "slot_texts": 1, "linked": False, "words": 1, "page_content": 0.1
        }  # fmt: skip
        values = {
            name: np.array([value] + [usual[name]] * 3) for name, value in (usual | given_values).items()
        }
        return bool(fields(FieldFeatures(**values), 20)[0])

    assert of()
    assert not of(slot_texts=30)  # a list
    assert not of(slot_share=0.3)  # on some pages only
    assert not of(segment_share=1.0, slot_new=0.1)  # the same on all pages
    assert not of(linked=True, words=12)  # a teaser
    assert not of(page_content=0.001)  # surely none of the content


@pytest.mark.parametrize(("prose", "wanted"), [(0, True), (480, True), (481, False)])
def test_a_record_keeps_its_table_where_an_article_does_not(prose, wanted):
    one = np.ones(8)
    slot_texts, words = one.copy(), one.astype(np.int32)
    slot_texts[6], words[7] = 40, prose
    page_content = np.where(words > 1, 0.9, 0.3)
    assert fields(FieldFeatures(one, one, 0 * one, slot_texts, one < 0, words, page_content), 20)[6] == wanted


def test_records_are_on_no_site_of_articles():
    """Of an article's fields, those alone in their slot stay; a record keeps all."""
    one = np.ones(7)
    slot_texts = np.array([1, 1, 3, 3, 3, 1, 1.0])
    linked = np.array([False] * 6 + [True])
    segments = FieldFeatures(one, one, 0 * one, slot_texts, linked, one.astype(np.int32), 0.1 * one)
    assert fields(segments, 20, articles=False).all()
    assert fields(segments, 20, articles=True).tolist() == [True, True, False, False, False, True, False]
    filled = fields(segments, 20)
    assert is_record(filled, linked, articles=False)
    assert not is_record(filled, linked, articles=True)
    assert not is_record(filled, ~linked, articles=False)


def test_a_page_that_is_no_record_has_no_lists_of_fields():
    """A manual's page names the chapters before and after it in one slot, and its own alone in another."""
    one = np.ones(5)
    slot_texts = np.array([1, 2, 2, 1, 1.0])
    segments = FieldFeatures(one, one, 0 * one, slot_texts, one < 0, one.astype(np.int32), 0.1 * one)
    assert fields(segments, 20).tolist() == [True, False, False, True, True]


def test_loose_fields_need_few_pages():
    one = np.ones(1)
    segments = FieldFeatures(0.5 * one, 0.5 * one, 0 * one, one, one < 0, one.astype(np.int32), 0 * one)
    assert [bool(records(segments, others)[0]) for others in (1, 2, 3)] == [False, True, True]


@pytest.mark.parametrize(("count", "wanted"), [(1, False), (3, False), (4, True), (9, True)])
def test_a_record_has_several_fields(count, wanted):
    one = np.ones(count)
    segments = FieldFeatures(one, one, 0 * one, one, one < 0, one.astype(np.int32), 0.1 * one)
    assert fields(segments, 20).tolist() == [wanted] * count


@given(
    st.lists(st.tuples(st.sampled_from([-9.0, -3.31, -3.3, 0.0]), st.booleans(), st.sampled_from([1, 2]))),
    st.booleans(),
)
def test_fields_that_may_be_teasers(given_segments, articles):
    """What looks like template by all evidence is no field in a link; on a site of articles, nor in a list."""
    odds, linked, slot_texts = (np.array([one[at] for one in given_segments]) for at in range(3))
    wanted = [
        value >= -3.3 or (not in_link and (not articles or texts == 1))
        for value, in_link, texts in given_segments
    ]
    assert likely_fields(odds, linked.astype(bool), slot_texts, articles=articles).tolist() == wanted
