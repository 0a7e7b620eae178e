"""Fields: places that a site's pages keep for what is new on each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import fields as module
from detemplate.detectors.auto.fields import Places, fields, records

share = st.sampled_from([-1.0, 0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0])
place = st.tuples(
    share,
    share,
    st.sampled_from([0.0, 0.01, 0.5, 1.0]),
    st.one_of(st.integers(1, 14), st.integers(1, 2 * module.RECORD_PLAIN)),
    st.booleans(),
    st.integers(0, 2 * module.WORDS),
    st.sampled_from([0.0, 0.03, 0.04, 0.08, 0.15, 0.2, 0.4, 1.0]),
)
field = st.tuples(
    st.sampled_from([0.8, 1.0]), st.sampled_from([0.5, 0.8, 1.0]), st.sampled_from([0.0, 0.3]), st.integers(1, 12),
    st.just(False), st.integers(0, 3), st.sampled_from([0.04, 0.1]),
)  # fmt: skip
places = st.lists(st.one_of(place, field), min_size=1, max_size=16)


def columns(given_places: list) -> Places:
    return Places(*(np.array(column) for column in zip(*given_places, strict=True)))


@given(places, st.integers(0, 3 * module.OTHERS))
def test_what_a_field_is(given_places, others):
    wanted, more, prose = [], [], 0
    for slots, news, own, same, linked, words, alone in given_places:
        here = others >= 7 and slots >= 0.8 and words <= (6 if linked else 25)
        new = news >= 0.8 or (news >= 0.5 and own == 0 and same == 1)
        wanted.append(here and new and own < 1 and same <= 12 and alone >= 0.08)
        less = new and own < 1 and same <= 12 and alone >= 0.04
        listed = news >= 0.8 and same <= 60 and alone >= 0.2
        shared = news >= 0.5 and own < 0.5 and same <= 12 and alone >= 0.1
        more.append(here and (less or listed or shared))
        prose += words if alone > 0.5 and words >= 20 else 0
    count = sum(wanted)
    if count < 4:
        wanted = [False] * len(wanted)
    elif count >= 6 and prose <= 40 * count:
        wanted = more
    assert fields(columns(given_places), others).tolist() == wanted


@given(places, st.integers(0, 3 * module.OTHERS))
def test_what_a_record_is(given_places, others):
    field = fields(columns(given_places), others).tolist()
    wanted = []
    for number, (slots, news, _, same, linked, _, _) in enumerate(given_places):
        loose = others >= 7 and slots >= 0.1 and news >= 0.1 and same <= (5 if linked else 100)
        wanted.append(loose or field[number])
    assert records(columns(given_places), others).tolist() == wanted


def test_a_price_and_what_is_none():
    def of(**given_values: float) -> bool:
        usual = {
            "slots": 1.0, "news": 1.0, "own": 0.0, "same": 1, "linked": False, "words": 1, "alone": 0.1
        }  # fmt: skip
        values = {
            name: np.array([value] + [usual[name]] * 3) for name, value in (usual | given_values).items()
        }
        return bool(fields(Places(**values), 20)[0])

    assert of()
    assert not of(same=30)  # a list
    assert not of(slots=0.3)  # on some pages only
    assert not of(own=1.0, news=0.1)  # the same on all pages
    assert not of(linked=True, words=12)  # a teaser
    assert not of(alone=0.01)  # surely none of the content


@pytest.mark.parametrize(("prose", "wanted"), [(0, True), (240, True), (241, False)])
def test_a_record_keeps_its_table_where_an_article_does_not(prose, wanted):
    one = np.ones(8)
    same, words = one.copy(), one.astype(np.int32)
    same[6], words[7] = 40, prose
    alone = np.where(words > 1, 0.9, 0.3)
    assert fields(Places(one, one, 0 * one, same, one < 0, words, alone), 20)[6] == wanted


@pytest.mark.parametrize(("count", "wanted"), [(1, False), (3, False), (4, True), (9, True)])
def test_a_record_has_several_fields(count, wanted):
    one = np.ones(count)
    places = Places(one, one, 0 * one, one, one < 0, one.astype(np.int32), 0.1 * one)
    assert fields(places, 20).tolist() == [wanted] * count
