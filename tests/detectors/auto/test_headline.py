"""The text that is a page's headline."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.headline import headline, own_titles, shown_again
from detemplate.page.page import Page

segment = st.tuples(
    st.booleans(), st.booleans(), st.integers(0, 12), st.sampled_from([-1.0, 0.0, 0.4, 0.5, 1.0])
)


@given(st.lists(segment, min_size=1, max_size=10), st.integers(0, 4))
def test_against_a_loop(segments, others):
    is_title, kept, words, shares = map(np.array, zip(*segments, strict=True))
    own = [
        number
        for number, (title, _, count, share) in enumerate(segments)
        if title and (share < 0.5 if others >= 2 else count >= 2)
    ]
    wanted = None
    if own and not (is_title & kept).any():
        running = [number for number, (_, kept_, count, _) in enumerate(segments) if kept_ and count >= 8]
        before = [number for number in own if running and number <= running[0]]
        wanted = before[-1] if before else own[0]
    assert headline(np.flatnonzero(is_title).tolist(), kept, words, shares, others) == wanted


@given(st.lists(st.tuples(segment, st.booleans()), min_size=1, max_size=10))
def test_titles_shown_again_against_a_loop(segments):
    is_title, kept, words, shares = map(np.array, zip(*(each for each, _ in segments), strict=True))
    linked = np.array([link for _, link in segments])
    body = next((n for n in range(len(kept)) if kept[n] and words[n] >= 8 and not is_title[n]), None)
    above = [n for n in range(body or 0) if is_title[n] and kept[n] and not linked[n]]
    wanted = [n for n in above[:-1] if shares[n] <= 0.1]
    assert shown_again(np.flatnonzero(is_title).tolist(), kept, linked, words, shares) == wanted


@pytest.mark.parametrize(("title", "shares", "others", "wanted"), [
    ("Hula - The Blog of Kusumoto", {}, 1, ["The Blog of Kusumoto"]),
    ("Hula - The Blog of Kusumoto", {"The Blog of Kusumoto": 0.5}, 1, ["The Blog of Kusumoto"]),
    ("Hula - The Blog of Kusumoto", {"The Blog of Kusumoto": 0.5}, 2, ["Hula"]),
    ("Hula - The Blog of Kusumoto", {"The Blog of Kusumoto": 0.4}, 2, ["The Blog of Kusumoto"]),
    ("Hula - The Blog of Kusumoto", {"The Blog of Kusumoto": 1.0, "Hula": 0.5}, 9, []),
    ("Hula - Dance - The Blog of Kusumoto", {"The Blog of Kusumoto": 1.0}, 9, ["Dance"]),
    ("Nothing of this", {"The Blog of Kusumoto": 1.0}, 9, []),
])  # fmt: skip
def test_the_title_is_not_the_sites_name(title, shares, others, wanted):
    """A longer part of the title that most other pages show is the name of the site."""
    page = Page(
        "http://e.org/",
        f"<title>{title}</title><h1>The Blog of Kusumoto</h1><h2>Hula</h2><p>Dance</p><p>text</p>",
    )
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    share = np.array([shares.get(text, 0.0) for text in texts])
    assert [texts[number] for number in own_titles(page, share, others)] == wanted
