"""Fingerprints: contents that share them, how often they do, and estimates of resemblance."""

import numpy as np

from detemplate.algorithms.minwise import min_wise, word_hashes
from detemplate.page.page import Page
from detemplate.page.pagelets import page_shingle, pagelet_shingles, pagelets


def page(html, url="http://e.org/"):
    return Page(url, html)


def shingles(html, url="http://e.org/", k=3, **options):
    """Give the shingle of each pagelet, None for empty ones."""
    given = page(html, url)
    found, told = pagelet_shingles(given, pagelets(given, k), **options)
    assert found.dtype == np.int64
    return [shingle if there else None for shingle, there in zip(found.tolist(), told.tolist(), strict=True)]


def body_shingle(html, url="http://e.org/"):
    [one] = shingles(html, url, k=1000)
    return one


BAR = "<ul{}>" + "".join(f"<li{{}}><a href=/{name}{{}}>The {name} part</a>" for name in "abcdefgh") + "</ul>"


def test_a_navigation_bar_is_the_same_whatever_its_markup():
    plain = body_shingle(BAR.format(*[""] * 17))
    assert body_shingle(BAR.format(" class=nav", *["", "?sid=1"] * 8)) == plain
    assert body_shingle(BAR.format("", " class=active", *["", "?sid=2"] * 7, "")) == plain
    assert body_shingle(f"<div><div>{BAR.format(*[''] * 17)}</div></div>") == plain
    assert body_shingle(BAR.format(*[""] * 17).replace("part", "place")) != plain


def test_images_are_known_by_where_they_lead():
    def images(*targets, url="http://e.org/d/x"):
        return body_shingle("".join(f"<a href='{target}'><img></a>" for target in targets), url)

    assert images("/a", "/b", "/c") == images("../a?sid=1", "/b", "http://E.org/c#x", url="http://e.org/d/e")
    assert images("/a", "/b", "/c") != images("/a", "/b", "/d")
    assert images("/a", "/b", "/c") != images("/a", "/b", "/c", url="http://other.org/")
    assert images("mailto:x@y") is None


def test_a_pagelets_shingle_is_that_of_its_words():
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


def test_pages():
    words = " ".join(f"w{at * 7919 % 1009}" for at in range(600))
    one = page_shingle(page(f"<p>{words}"))
    assert one == page_shingle(page(f"<title>other</title><div><b>{words}</b></div>", "http://other.org/"))
    assert one != page_shingle(page(f"<p>{words} {words[::-1]}"))
    assert -(2**63) <= one < 2**63
    assert page_shingle(page("<img src=1>")) == page_shingle(page("<img src=1>"))
    assert page_shingle(page("<img src=1>")) != page_shingle(page("<img src=2>"))
    assert page_shingle(page("<p>x")) != page_shingle(page("<p>y"))


# --- sketches
