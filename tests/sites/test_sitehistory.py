"""The history of a site: bounded, the same after a break, and with its redesigns."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from detemplate.detectors.state import StateError
from detemplate.page.address import directory
from detemplate.sites.history import WIDTH, PageCounts, PageSummary, SiteHistory


def look(*keys, share=0.5):
    return PageSummary(share, keys, tuple(f"text {key}" for key in keys))


def day(number):
    return f"2026-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}T00:00:00Z"


RUN = day(0)


@given(st.lists(st.lists(st.integers(0, 30), max_size=8, unique=True), max_size=60), st.integers(0, 60))
def test_few_templates_are_counted_exactly(pages, cut):
    """As if by hand; also where the history was written and read in between."""
    history, counts, firsts, lasts = SiteHistory(), Counter[int](), {}, {}
    for number, keys in enumerate(pages):
        if number == cut:
            history = SiteHistory.from_json(history.to_json())
        history.add(look(*keys, share=number / 100), day(number), RUN)
        counts.update(keys)
        for key in keys:
            firsts.setdefault(key, day(number))
            lasts[key] = day(number)
    if not history.redesigns:
        found = {one.text: (one.pages, one.first, one.last) for one in history.texts()}
        assert found == {f"text {key}": (counts[key], firsts[key], lasts[key]) for key in counts}
    assert history.pages == len(pages) == sum(point.pages for point in history.points)
    assert history.share == pytest.approx(sum(range(len(pages))) / 100 / max(len(pages), 1), abs=1e-4)


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 2000), max_size=30, unique=True), st.integers(0, 400)), max_size=300
    )
)
@settings(max_examples=30)
def test_it_is_bounded(pages):
    history = SiteHistory()
    for share in (0.5, 0.0, 1.0):
        for keys, run in pages:
            numbers = (np.array(keys, np.uint64) * np.uint64(2**53)).tobytes()
            url = f"http://{'漢' * 99}{run}/{'漢' * 99}"
            texts = tuple("漢" * WIDTH for _ in keys)
            history.add(
                PageSummary(share, tuple(keys), texts, url, 9, numbers, bytes(n % 2 for n in keys)),
                day(run),
                day(run),
            )
    assert len(history.templates) <= 48
    assert len(history.points) <= 32
    assert len(history.redesigns) <= 12
    assert len(history.to_json()) < 2**17
    assert sum(point.pages for point in history.points) == history.pages == 3 * len(pages)
    assert SiteHistory.from_json(history.to_json()).to_json() == history.to_json()


def test_a_redesign_is_dated():
    history = SiteHistory()
    for number in range(120):
        keys = range(10) if number < 60 else range(100, 110)
        history.add(look(*keys, 1000 + number), day(number), RUN)
    [redesign] = history.redesigns
    assert redesign.date == day(60)
    assert redesign.before == pytest.approx(10 / 11, abs=0.01)
    assert redesign.after < 0.3
    assert set(redesign.gone) <= {f"text {key}" for key in range(10)}
    assert len(redesign.gone) == 5
    assert [(one.pages, one.first) for one in history.texts()[:10]] == [(60, day(60))] * 10
    for number in range(120, 200):  # a second one
        history.add(look(*range(200, 210)), day(number), RUN)
    assert [each.date for each in history.redesigns] == [day(60), day(120)]


@pytest.mark.parametrize(
    "keys",
    [
        lambda n: [*range(10), 1000 + n],  # no change
        lambda n: [*range(10)] if n % 3 else [],  # pages from which nothing is removed
        lambda n: [*range(10 if n < 60 else 6)],  # some templates go
        lambda n: [*range(5), *range(100 + 10 * (n // 30), 110 + 10 * (n // 30))],  # sections of the site
        lambda n: [1000 + n],  # nothing recurs
        lambda n: [] if n < 60 else [*range(10)],  # templates are found later only
    ],
)
def test_no_redesign(keys):
    history = SiteHistory()
    for number in range(150):
        history.add(look(*keys(number)), day(number), RUN)
    assert history.redesigns == []


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"pages":1}', '{"pages":"x"}', "[" * 100_000, '{"pages":1,"since":1,"usual":0,"recent":[1]}',
     '{"pages":1,"since":1,"usual":0,"recent":[],"templates":[["zz","","","",1,1]],"points":[],"redesigns":[]}'],
)  # fmt: skip
def test_other_text_is_refused(text):
    with pytest.raises(StateError, match="history of a site is damaged"):
        SiteHistory.from_json(text)


def seen(url, share, removed, kept):
    keys = np.array(removed + kept, np.uint64) << np.uint64(40)
    goes = np.arange(len(keys)) < len(removed)
    return PageSummary(share, (), (), url, 100, keys.tobytes(), goes.tobytes())


page_summaries = st.lists(
    st.builds(
        seen,
        st.builds("https://e.org/{}/{}".format, st.integers(0, 60), st.integers(0, 9)),
        st.sampled_from([0.0, 0.31, 0.5, 1.0]),
        st.lists(st.integers(1, 40), max_size=8, unique=True),
        st.lists(st.integers(41, 900), max_size=8, unique=True),
    ),
    max_size=120,
)


def counted(pages):
    counts = PageCounts()
    for each in pages:
        counts.add(each)
    return counts


@given(page_summaries, page_summaries)
def test_counts_of_two_runs_are_those_of_one(one, two):
    """All but the directories, where there are more than are told apart: these are within their bound."""
    first, second, both = counted(one), counted(two), counted(one + two)
    merged = first.merge(PageCounts.from_json(json.loads(json.dumps(second.to_json()))))
    true = Counter(directory(each.url) for each in one + two)
    for counts in (merged, both):
        assert counts.lost <= len(one + two) / 49
        assert len(counts.directories) <= 48
        for name in true:
            assert true[name] - counts.lost <= counts.directories.get(name, (0, 0.0))[0] <= true[name]
    told, expected = merged.to_json(), both.to_json()
    for values in (told, expected):
        values["directories"] = sorted(each[:2] for each in values["directories"])
        if both.lost or merged.lost:
            del values["directories"], values["lost"]
    assert told.pop("total") == pytest.approx(expected.pop("total"), abs=0.01)
    assert told == expected
    assert first.to_json() == counted(one).to_json()
