"""Fingerprints: contents that share them, how often they do, and estimates of resemblance."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.minwise import least, min_wise, minima, mixed, word_hashes
from detemplate.page.fingerprints import (
    page_shingle,
    page_sketch,
    pagelet_shingles,
    resemblance,
)
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelets


def page(html: str, url: str = "http://e.org/") -> Page:
    return Page(url, html)


def shingles(html: str, url: str = "http://e.org/", k: int = 3, **options: int) -> list[int | None]:
    """Give the shingle of each pagelet, None for empty ones."""
    given = page(html, url)
    found, told = pagelet_shingles(given, pagelets(given, k), **options)
    assert found.dtype == np.int64
    return [shingle if there else None for shingle, there in zip(found.tolist(), told.tolist(), strict=True)]


def body_shingle(html: str, url: str = "http://e.org/") -> int | None:
    [one] = shingles(html, url, k=1000)
    return one


BAR = "<ul{}>" + "".join(f"<li{{}}><a href=/{name}{{}}>The {name} part</a>" for name in "abcdefgh") + "</ul>"


def test_a_navigation_bar_is_the_same_whatever_its_markup() -> None:
    plain = body_shingle(BAR.format(*[""] * 17))
    assert body_shingle(BAR.format(" class=nav", *["", "?sid=1"] * 8)) == plain
    assert body_shingle(BAR.format("", " class=active", *["", "?sid=2"] * 7, "")) == plain
    assert body_shingle(f"<div><div>{BAR.format(*[''] * 17)}</div></div>") == plain
    assert body_shingle(BAR.format(*[""] * 17).replace("part", "place")) != plain


def test_one_word_in_another_place_is_another_pagelet() -> None:
    links = "<ul><li><a href=/1>1</a><li><a href=/2>2</a><li><a href=/3>3</a></ul>"
    html = f"{links}<p>Home</p><div><span>Home</span></div><p>Home"
    head, _, first, second, third = shingles(html)
    assert head is None
    assert first == third != second


def test_images_are_known_by_where_they_lead() -> None:
    def images(*targets: str, url: str = "http://e.org/d/x") -> int | None:
        return body_shingle("".join(f"<a href='{target}'><img></a>" for target in targets), url)

    assert images("/a", "/b", "/c") == images("../a?sid=1", "/b", "http://E.org/c#x", url="http://e.org/d/e")
    assert images("/a", "/b", "/c") != images("/a", "/b", "/d")
    assert images("/a", "/b", "/c") != images("/a", "/b", "/c", url="http://other.org/")
    assert images("mailto:x@y") is None


def test_empty_pagelets_have_none() -> None:
    assert body_shingle("<br><img src=x><script>1</script><a href='javascript:0'></a>") is None
    given = page("<p>x")
    found, told = pagelet_shingles(given, np.zeros(0, np.int32))
    assert len(found) == len(told) == 0


def test_a_pagelets_shingle_is_that_of_its_words() -> None:
    """Text of other pagelets, and text outside of pagelets, does not count."""
    links = "<ul><li><a href=/1>1</a><li><a href=/2>2</a><li><a href=/3>3</a></ul>"
    for width, sketch in ((2, 1), (5, 4), (7, 9)):
        text = "one two three four five six seven eight"
        words = min_wise(*word_hashes([text.encode()]), width, sketch).view(np.int64)[0]
        found = shingles(
            f"loose{links}in none<p>one two <b>three four</b> five six seven eight</p>no<p>x",
            width=width,
            sketch=sketch,
        )
        assert found[2] == words


def test_pages() -> None:
    words = " ".join(f"w{at * 7919 % 1009}" for at in range(600))
    one = page_shingle(page(f"<p>{words}"))
    assert one == page_shingle(page(f"<title>other</title><div><b>{words}</b></div>", "http://other.org/"))
    assert one != page_shingle(page(f"<p>{words} {words[::-1]}"))
    assert -(2**63) <= one < 2**63
    assert page_shingle(page("<img src=1>")) == page_shingle(page("<img src=1>"))
    assert page_shingle(page("<img src=1>")) != page_shingle(page("<img src=2>"))
    assert page_shingle(page("<p>x")) != page_shingle(page("<p>y"))


# --- sketches


def sets_of(shared: int, only_one: int, only_other: int, seed: int) -> tuple[list[bytes], list[bytes]]:
    words = [b"%d-%d" % (seed, at) for at in range(shared + only_one + only_other)]
    return words[: shared + only_one], words[:shared] + words[shared + only_one :]


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 10**9))
def test_the_estimate_is_within_the_bounds_of_its_binomial(
    shared: int, only_one: int, only_other: int, seed: int
) -> None:
    if not shared + only_one or not shared + only_other:
        return
    size = 256
    sketches = [
        minima(*word_hashes([b" ".join(words)]), 1, size)[:, 0]
        for words in sets_of(shared, only_one, only_other, seed)
    ]
    exact = shared / (shared + only_one + only_other)
    # Six standard deviations, and what a binomial's tail has beyond a normal one's.
    assert abs(resemblance(*sketches) - exact) <= 6 * (exact * (1 - exact) / size) ** 0.5 + 4 / size
    if exact in (0, 1):
        assert resemblance(*sketches) == exact


def test_shingles_are_shared_with_the_documented_probability() -> None:
    """Shingles of both kinds, at r = 0.9, in 300 pairs."""
    rounds, sketch = 300, 4
    equal = {"min-wise": 0, "least": 0}
    for seed in range(rounds):
        pair = [word_hashes([b" ".join(words)]) for words in sets_of(180, 10, 10, seed)]
        equal["min-wise"] += len({int(min_wise(*words, 1, sketch)[0]) for words in pair}) == 1
        equal["least"] += len({least(words[0], 1, sketch).tobytes() for words in pair}) == 1
    meant = 0.9**sketch
    for found in equal.values():
        assert abs(found / rounds - meant) < 4.5 * (meant * (1 - meant) / rounds) ** 0.5


@given(st.lists(st.integers(0, 12), max_size=200), st.integers(1, 4), st.integers(1, 9))
def test_the_least_hashes_are_those_of_all_grams(numbers: list[int], width: int, sketch: int) -> None:
    words = mixed(np.array(numbers, np.uint64))
    grams: list[int] = []
    for at in range(max(len(words) - width + 1, min(1, len(words)))):
        grams += least(words[at : at + width], width, 1).tolist()
    assert least(words, width, sketch).tolist() == sorted(set(grams))[:sketch]


def test_page_sketches() -> None:
    words = [f"w{at}" for at in range(400)]
    random.Random(1).shuffle(words)
    one = page_sketch(page("<p>" + " ".join(words)), width=1)
    other = page_sketch(page("<p>" + " ".join(words[100:])), width=1)
    assert len(one) == 128
    assert abs(resemblance(one, other) - 0.75) < 6 * (0.75 * 0.25 / 128) ** 0.5
    assert resemblance(one, one) == 1
    silent = page_sketch(page("<img>"))
    assert resemblance(silent, silent) == 1
    assert resemblance(silent, one) == 0
    with pytest.raises(ValueError, match="64"):
        resemblance(one, one[:64])
