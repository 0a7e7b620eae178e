"""The table of the site stage: columns against loops."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.context import NAMES, OWN, SITE_FROM, page_context, site_context
from detemplate.detectors.auto.siteshares import SHARE_NAMES, UNKNOWN, SiteShares
from detemplate.detectors.auto.surroundings import Surroundings, mean_names
from detemplate.features.segment import LEVELS
from detemplate.features.segment import NAMES as SEGMENT_FEATURES
from detemplate.page.page import Page
from tests.support.auto_sites import found, long_page, means_of, pages

randoms = st.randoms(use_true_random=False)


def scores(draw, count):
    """Scores with some that are equal and some at the ends."""
    return np.array([draw.choice([1e-9, 0.5, 1 - 1e-9, draw.uniform(0.01, 0.99)]) for _ in range(count)])


def measured(page, draw):
    features = found(page)
    return features, Surroundings.of(page, features), scores(draw, len(page.segments))


def named(table):
    return dict(zip(NAMES, table.T, strict=True))


def context(features, around, content, shares):
    return site_context(page_context(features, around, content), around, content, shares)


def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES)
    assert NAMES[SITE_FROM] == "site pages"
    assert NAMES[SITE_FROM + 1 : SITE_FROM + 1 + len(SHARE_NAMES)] == SHARE_NAMES


@pytest.mark.parametrize("seed", range(2))
def test_columns_of_long_pages_equal_loops(seed):
    check_page(long_page(seed), random.Random(seed))
    check_site(long_page(seed), random.Random(seed))


@given(pages, randoms)
def test_the_table_of_the_page_does_not_change(page, draw):
    features, around, content = measured(page, draw)
    count = len(content)
    alone = page_context(features, around, content)
    before = alone.copy()
    shares = SiteShares(7, np.array([[draw.random() for _ in SHARE_NAMES] for _ in range(count)]))
    assert not np.array_equal(site_context(alone, around, content, shares), before)
    np.testing.assert_array_equal(alone, before)
    assert site_context(alone, around, content, SiteShares.unknown(0, count)) is alone


@given(pages, randoms)
def test_page_columns_equal_loops(page, draw):
    check_page(page, draw)


@given(pages, randoms)
def test_site_columns_equal_loops(page, draw):
    check_site(page, draw)


def check_page(page, draw):
    features, around, content = measured(page, draw)
    table = page_context(features, around, content)
    assert table.shape == (len(content), len(NAMES))
    assert table.dtype == np.float32
    assert table.flags.c_contiguous
    assert np.isfinite(table).all()
    column, count = named(table), len(content)
    weighed = [float(score * weight) for score, weight in zip(content, around.weight, strict=True)]
    total = sum(weighed)
    strong = [i for i in range(count) if content[i] > 0.7 and features.words[i] >= 8]
    for i in range(count):
        before = sum(weighed[:i])
        steps_back = [i - j for j in strong if j < i]
        steps_on = [j - i for j in strong if j >= i]
        wanted = {
            "content": content[i],
            "content words": total,
            "content share": total / sum(around.weight),
            "highest": max(content),
            "unsure": sum(abs(score - 0.5) < 0.3 for score in content) / count,
            "pure": sum(w for w, score in zip(weighed, content, strict=True) if score > 0.5)
            / max(total, 1e-9),
            "content before": before / max(total, 1e-9),
            "words before": before,
            "words after": total - before,
            "strong before": min([999, *steps_back]),
            "strong after": min([999, *steps_on]),
        }
        for name, value in wanted.items():
            np.testing.assert_allclose(column[name][i], value, rtol=1e-6, atol=1e-5, err_msg=name)
    for name in OWN:
        np.testing.assert_array_equal(column[name], features.table[:, SEGMENT_FEATURES.index(name)])
    means = means_of(around, content)
    for level in range(LEVELS):
        spans = zip(around.first[:, level].tolist(), around.last[:, level].tolist(), strict=True)
        wanted_shares = [sum(weighed[first:last]) / max(total, 1e-9) for first, last in spans]
        np.testing.assert_allclose(column[f"part level {level}"], wanted_shares, rtol=1e-6, atol=1e-6)
    for number, name in enumerate(mean_names("content")):
        np.testing.assert_array_equal(column[name], means[:, number])


def check_site(page, draw):
    features, around, content = measured(page, draw)
    count = len(content)
    rows = [[draw.choice([0, 0.5, 1, draw.random()]) for _ in SHARE_NAMES] for _ in range(count)]
    shares = SiteShares(7, np.array(rows))
    table = context(features, around, content, shares)
    assert table.shape == (count, len(NAMES))
    means_from = SITE_FROM + 1 + len(SHARE_NAMES)
    assert (table[:, SITE_FROM] == 7).all()
    np.testing.assert_array_equal(table[:, SITE_FROM + 1 : means_from], shares.table.astype(np.float32))
    column = named(table)
    own = shares.segment_share
    weight = around.weight
    wanted = {
        "repeated": sum(weight[own > 0]) / sum(weight),
        "frequent": sum(weight[own >= 0.5]) / sum(weight),
        "repeated content": sum((weight * content)[own > 0]) / max(sum(weight * content), 1e-9),
        "frequent content": sum((weight * content)[own >= 0.5]) / max(sum(weight * content), 1e-9),
        "highest share": max(own),
    }
    for name, value in wanted.items():
        np.testing.assert_allclose(column[name], value, rtol=1e-6, atol=1e-6, err_msg=name)
    for number, name in enumerate(mean_names("share")):
        np.testing.assert_array_equal(column[name], means_of(around, own)[:, number])
    # What the page shows is the same whatever the site does.
    unknown = page_context(features, around, content)
    np.testing.assert_array_equal(unknown[:, :SITE_FROM], table[:, :SITE_FROM])


@given(pages, randoms)
def test_without_other_pages_all_site_columns_are_unknown(page, draw):
    features, around, content = measured(page, draw)
    table = page_context(features, around, content)
    assert (table[:, SITE_FROM] == 0).all()
    assert (table[:, SITE_FROM + 1 :] == UNKNOWN).all()


def test_tables_of_other_columns_are_refused():
    page = Page("http://e.org/", "<p>one two")
    features = found(page)
    around, table = Surroundings.of(page, features), np.zeros((1, len(NAMES)), np.float32)
    own = np.zeros(len(OWN), np.int32)
    with pytest.raises(ValueError, match="other columns"):
        around.context(features, own, np.full(1, 0.5), UNKNOWN, table[:, :SITE_FROM].copy())
    for width, place in ((len(NAMES), 0), (3, -1), (3, 3)):
        with pytest.raises(ValueError, match="other columns"):
            around.site_context(np.full(1, 0.5), 1, np.zeros((1, width)), place, table)
