"""Headings that stay with their sections."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.headings import section_headings
from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.page.tags import NAMES
from tests.support.soup import soups

LONG = "one two three four five six seven eight"


def raised(body: str, removed: set[str], odds: float = 0.0) -> list[str]:
    page = Page("http://e.org/", body)
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    kept = np.array([text not in removed for text in texts])
    words = np.array([len(text.split()) for text in texts])
    return [
        text
        for text, one in zip(
            texts, section_headings(page, kept, words, np.full(len(texts), odds)), strict=True
        )
        if one
    ]


@pytest.mark.parametrize(("body", "removed", "wanted"), [
    (f"<h2>Return value</h2><p>{LONG}</p>", {"Return value"}, ["Return value"]),
    (f"<h2>Return <b>value</b></h2><p>{LONG}</p>", {"Return", "value"}, ["Return", "value"]),
    (f"<h2>Return <b>value</b></h2><p>{LONG}</p>", {"Return"}, []),
    (f"<h2>Return value</h2><p>{LONG}</p>", set(), []),
    (f"<h2>Return value</h2><p>{LONG}</p>", {"Return value", LONG}, []),
    ("<h2>Return value</h2><p>one two three</p>", {"Return value"}, []),
    (f"<h2>Return value</h2><p>a b c d e f g h i</p><p>{LONG}</p>", {"Return value", "a b c d e f g h i"}, []),
    (f"<h2>Return value</h2><p>a b c d e f g h</p><p>{LONG}</p>", {"Return value", "a b c d e f g h"}, ["Return value"]),
    (f"<h2>More</h2><h2>Return value</h2><p>{LONG}</p>", {"More", "Return value"}, ["Return value"]),
    (f"<aside><h2>More</h2><a>links</a></aside><p>{LONG}</p>", {"More", "links"}, []),
    (f"<div><span><h2>Return value</h2></span></div><p>{LONG}</p>", {"Return value"}, ["Return value"]),
    (f"<h2>{LONG} {LONG}</h2><p>{LONG}</p>", {f"{LONG} {LONG}"}, []),
    (f"<p>{LONG}</p><h2>More</h2>", {"More"}, []),
    ("<p>text</p>", {"text"}, []),
])  # fmt: skip
def test_which_headings_stay(body, removed, wanted):
    assert raised(body, removed) == raised(body, removed, -3.0) == wanted
    assert raised(body, removed, -3.1) == []


@given(soups, st.integers(0, 2**32 - 1))
def test_against_a_walk_over_all_headings(source, seed):
    try:
        page = Page("http://e.org/", source)
    except PageError:
        return
    draw, count = np.random.default_rng(seed), len(page.segments)
    kept, words, odds = draw.random(count) < 0.6, draw.integers(0, 12, count), draw.normal(-3, 1, count)
    wanted = np.zeros(count, bool)
    headings = [
        row
        for row in range(len(page.columns))
        if NAMES[page.columns.tag[row] & 1023] in {"h1", "h2", "h3", "h4", "h5", "h6"}
    ]
    headings = [row for row in headings if len(page.segments_in(row))]
    for place, row in enumerate(headings):
        inside = page.segments_in(row)
        above = row
        while above >= 0 and page.segments_in(above).stop == inside.stop:
            above = int(page.columns.parent[above])
        if above < 0:
            continue
        stop = page.segments_in(above).stop
        if place + 1 < len(headings):
            stop = min(stop, page.segments_in(headings[place + 1]).start)
        section = slice(inside.stop, stop)
        stays = words[section][kept[section]].sum()
        one = slice(inside.start, inside.stop)
        if (
            not words[one][kept[one]].any()
            and words[one].sum() <= 15
            and stays >= 8
            and stays >= words[section].sum() / 2
        ):
            wanted[one] = True
    assert (section_headings(page, kept, words, odds) == wanted).all()
