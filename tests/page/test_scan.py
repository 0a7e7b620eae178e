import numpy as np
import pytest
import turbohtml
from hypothesis import given, strategies as st

from detemplate.page import tags
from detemplate.page.columns import CODE, COMMENT, DOCTYPE, ELEMENT, INSTRUCTION, RAW, TEXT, Columns
from detemplate.page.page import Page
from detemplate.page.scan import encoded, read_columns
from tests.oracles.scan import walk
from tests.support.soup import HARD, REFUSED

TYPES = (*Columns.TYPES, np.int32, np.uint64)
"""Types of the columns, of the rows of the segments, and of their keys."""


def assert_equal(scanned, walked, canonical):
    for name, wanted in zip(Columns.__slots__, TYPES, strict=True):
        ours, theirs = getattr(scanned, name), getattr(walked, name)
        assert ours.dtype == theirs.dtype == wanted
        if not np.array_equal(ours, theirs):
            rows = min(len(ours), len(theirs))
            row = int(np.argmax(ours[:rows] != theirs[:rows]))
            pytest.fail(
                f"{name} differs first in row {row}: {ours[row]} != {theirs[row]} in {canonical[:2000]!r}"
            )


def check(html):
    """Compare the scan with the walk over the DOM; tell whether the scan read the page."""
    document = turbohtml.parse(html, positions=False)
    serialised = document.serialize().encode()
    canonical, walked = walk(document)
    assert canonical == serialised
    read, found = read_columns(document)
    assert read == serialised
    if found is not None:
        assert_equal(found, walked, canonical)
        return True
    # The page is mended, and read again.
    page = Page("u", html)
    canonical, walked = walk(turbohtml.parse(page.source, positions=False))
    assert canonical == page.canonical
    assert_equal(page.columns, walked, canonical)
    return False


@pytest.mark.parametrize("html", HARD)
def test_hard_pages(html):
    assert check(html) is (html not in REFUSED)


@pytest.mark.parametrize(
    ("html", "after"),
    [
        ("a<plaintext><b>x</plaintext>", "a<pre>&lt;b&gt;x&lt;/plaintext&gt;</pre>"),
        ("<p>a</p><div><plaintext>", "<p>a</p><div><pre></pre></div>"),
        ("<p>a<template><plaintext>\n<i>", "<p>a<template><pre>\n\n&lt;i&gt;</pre></template></p>"),
        ("<svg><plaintext>a</plaintext></svg>b", "<svg><plaintext>a</plaintext></svg>b"),
        ("<p>a<script><!-- <script>", "<p>a<script><!-- <script>--></script></p>"),
        ("<p>a<script><!-- <SCRIPT/ -- x", "<p>a<script><!-- <SCRIPT/ -- x--></script></p>"),
        (
            "<p>a<script><!-- b --></script><script><!--<script>c</script><script>",
            "<p>a<script><!-- b --></script><script><!--<script>c</script><script>--></script></p>",
        ),
    ],
)
def test_what_cannot_be_read_back_is_mended(html, after):
    canonical, found = read_columns(turbohtml.parse(html, positions=False))
    assert (found is None) == (not html.startswith("<svg>"))
    page = Page("u", html)
    assert page.canonical.decode() == f"<html><head></head><body>{after}</body></html>"
    assert (page.canonical == canonical) == (found is not None)
    assert turbohtml.parse(page.source, positions=False).serialize().encode() == page.canonical
    assert_equal(page.columns, walk(page.parse_source())[1], page.canonical)


def test_columns_of_a_small_page_say_what_they_should():
    html = "<!DOCTYPE html><!--c--><p id=a>one <b>two</b></p><script>s</script><title>t</title><?x?><svg><a>v"
    canonical, found = read_columns(turbohtml.parse(html, positions=False))
    rows = [
        (kind, canonical[start:stop].decode(), int(parent))
        for kind, start, stop, parent in zip(found.kind, found.start, found.stop, found.parent, strict=True)
    ]
    assert [kind for kind, _, _ in rows] == [
        DOCTYPE, COMMENT, ELEMENT, ELEMENT, ELEMENT, ELEMENT, TEXT, ELEMENT, TEXT, ELEMENT, CODE, ELEMENT, RAW,
        INSTRUCTION, ELEMENT, ELEMENT, TEXT,
    ]  # fmt: skip
    assert rows[5][1:] == ('<p id="a">one <b>two</b></p>', 4)
    assert rows[8][1:] == ("two", 7)
    assert found.end[5] == 9
    assert found.chars[5] == len("one") + len("two")
    assert found.chars[2] == len("one") + len("two") + len("v")
    assert found.block[6] == found.block[8] != found.block[-1]
    assert found.tag[5] == tags.IDS["p"]
    assert found.tag[-2] == tags.IDS["a"] | tags.IN_SVG
    assert found.path[8] == found.path[7] != found.path[5] == found.path[6]


def test_equal_content_has_equal_hashes_wherever_it_stands():
    html = "<div><p>a <b>b</b></p></div><div><section><p>a  <b>b</b><!--c--></p></section></div><p>a <i>b</i></p><p>a <b>c</b>"
    _, found = read_columns(turbohtml.parse(html, positions=False))
    first, second, third, fourth = np.flatnonzero(found.tag == tags.IDS["p"])
    assert found.content[first] == found.content[second]
    assert found.path[first] != found.path[second]
    assert len({int(found.content[row]) for row in (first, third, fourth)}) == 3
    assert found.path[third] == found.path[fourth]


def test_every_character_around_those_that_show_nothing():
    codes = [
        *range(0x100),
        *range(0x1680, 0x1690),
        *range(0x1FF0, 0x2080),
        *range(0x2FF0, 0x3010),
        0xFEFE,
        0xFEFF,
    ]
    for code in codes:
        check(f"<p>{chr(code)}</p><p> {chr(code)}&nbsp;</p><iframe>{chr(code)}</iframe>")


RUNS = st.builds(
    str.__mul__,
    st.sampled_from(["a", "é", "ߞ", "ࠀ", "文", "\uffff", "😀", "\U0010ffff", "<", "\x7f", "\x80"]),
    st.sampled_from([1, 2, 7, 8, 9, 15, 16, 17, 40]),
)


@given(st.lists(st.lists(RUNS, max_size=6).map("".join), max_size=4))
def test_texts_of_every_width_are_joined_as_utf8(pieces):
    assert encoded(pieces) == "".join(pieces).encode()


@pytest.mark.parametrize("around", ["", "a" * 20, "文", "😀" * 3])
@pytest.mark.parametrize("half", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
def test_half_a_surrogate_pair_is_no_character(around, half):
    with pytest.raises(UnicodeEncodeError):
        encoded([around, around + chr(half) + around])
