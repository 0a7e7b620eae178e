"""The segments that show a page's title."""

from __future__ import annotations

import html as markup
import re

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from detemplate.errors import PageError
from detemplate.page import title as module
from detemplate.page import title_reference
from detemplate.page.page import Page
from detemplate.page.title import PART, title_candidates, title_segments
from tests.support.kernels import needs_kernel
from tests.support.soup import soups


def shown_in(html: str) -> list[str]:
    page = Page("http://e.org/", html)
    return [page.segment_text(number) for number in title_segments(page)]


def shown(title: str, body: str) -> list[str]:
    return shown_in(f"<title>{title}</title><body>{body}")


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("A fine day", "A fine day"),
        ("A fine day - The Daily News", "A fine day"),
        ("The Daily News | A fine day", "A fine day"),
        ("The Daily News: A fine day", "A fine day"),
        ("News &raquo; Local » A fine day for all of us", "A fine day for all of us"),
        ("Tom &amp; Jerry — Films", "Tom & Jerry"),
        ("中文标题_网站", "中文标题"),
        ("中文标题-网站", "中文标题"),
        ("他说A-B很好-BBC 中文", "他说A-B很好"),
        ("BBC--中文标题很长", "中文标题很长"),
        ("A fine day\n  - News", "A fine day"),
        ("A  fine\n\tday | News", "A\n fine   day"),
        ("It’s “the” day – News", "It’s “the” day"),
        ("他的“故事”很长很长——新闻网", "他的“故事”很长很长"),
        ("‘à la carte’ … et après « Le Journal", "‘à la carte’ … et après"),
        ("Well-known words – Dictionary", "Well-known words"),
        ("Part 1: The start - Site", "Part 1: The start"),
    ],
)
def test_titles_and_their_parts(title, heading):
    body = f"<p>before</p><h1>\n {markup.escape(heading)} </h1><p>after it</p>"
    assert shown(title, body) == [" ".join(heading.split())]


def test_the_longest_part_that_is_shown():
    body = "<p>News</p><p>A fine day</p><h1>A fine day - News</h1><p>A fine day - News</p>"
    assert shown("A fine day - News - Site", body) == ["A fine day - News"] * 2


@pytest.mark.parametrize(
    "body",
    [
        "<p>A fine day it was</p><p>Oh! A fine day</p>",  # a part of a longer text
        "<script>var t='>A fine day<'</script><p>text</p>",
        "<p title='A fine day'>text</p><!-- A fine day --><p>More</p>",
        "",
    ],
)
def test_what_is_no_title(body):
    assert shown("A fine day", body) == []


@pytest.mark.parametrize(
    "meta",
    [
        '<meta property="og:title" content="A &quot;fine&quot; day &amp; more | News">',
        "<meta content='A \"fine\" day &amp; more' name=x property='og:title'>",
        '<meta name="a>b" property="og:title" content=" A &quot;fine&quot;  day &amp; more ">',
    ],
)
def test_og_title_stands_in_for_the_title(meta):
    head = f"<title>Something else</title>{meta}"
    page = Page("http://e.org/", f'{head}<p>News</p><h1>A "fine" day &amp; more</h1>')
    assert [page.segment_text(number) for number in title_segments(page)] == ['A "fine" day & more']
    # Only if no text shows the title itself.
    page = Page("http://e.org/", f'{head}<h2>Something else</h2><h1>A "fine" day &amp; more</h1>')
    assert [page.segment_text(number) for number in title_segments(page)] == ["Something else"]


@pytest.mark.parametrize(
    "meta",
    [
        '<meta property="og:title">',
        '<meta property="og:title" content="">',
        '<b property="og:title" content="text">',  # only meta elements count
        '<b x="og:title',
        '"og:title"',
    ],
)
def test_og_titles_that_give_no_title(meta):
    assert title_segments(Page("http://e.org/", f"{meta}<p>text</p>")) == []


def test_og_title_is_read_before_a_late_title_element():
    meta = "<meta property='og:title' content='A fine day'>"
    assert shown_in(f"{meta}<p>A fine day</p><title>A fine day</title><p>text</p>") == ["A fine day"]
    assert shown_in(f"<p>A fine day</p><title>A fine day</title>{meta}<p>text</p>") == []


def test_short_parts_are_no_titles():
    assert shown("A - Something much longer than that", "<p>A</p>") == []
    assert shown("", "<p>text</p>") == []
    assert title_segments(Page("http://e.org/", "<p>text</p>")) == []


def test_odd_titles():
    for title in ("x" * 5000, " | ".join("abcdefghijk"), "- - -", ": ", "|", "&lt;p&gt;"):
        page = Page("http://e.org/", f"<title>{title}</title><p>{title}</p><p>b</p>")
        assert len(title_segments(page)) <= len(page.segments)
    many = Page("http://e.org/", "<title>A fine day</title>" + "<p>A fine day</p>" * 100)
    assert title_segments(many) == list(range(20))


words = st.sampled_from(["one", "’tis", "é", "b&c", "-", "|", ":", "–", " ", "<", "“"])
texts = st.lists(words, max_size=6).map(" ".join)


@given(texts, st.lists(texts, max_size=5))
def test_against_all_parts(title, bodies):
    """Against a plain version: split, join, compare the texts of all segments."""
    source = "".join(f"<p>{markup.escape(each)}</p>" for each in bodies)
    page = Page("http://e.org/", f"<title>{markup.escape(title)}</title>{source}<p>end</p>")
    whole = " ".join(markup.escape(title, quote=False).split())
    pieces = re.split(r"(\s+(?:[|–-]|&lt;)+\s+|:\s+|\s*[|–]\s*)", whole)
    if len(pieces) > 11:
        pieces = [whole]
    runs = {
        "".join(pieces[first : last + 1]).strip()
        for first in range(0, len(pieces), 2)
        for last in range(first, len(pieces), 2)
    }
    runs = {run for run in runs if run and len(run.encode()) >= PART * len(whole.encode())}
    count = len(page.segments)
    own = [page.canonical[page.columns.start[row] : page.columns.stop[row]].decode() for row in page.segments]
    for run in sorted(runs, key=lambda run: (-len(run.encode()), run.encode())):
        wanted = [number for number in range(count) if " ".join(own[number].split()) == run]
        if wanted:
            break
    else:
        wanted = []
    assert title_segments(page) == wanted


@given(soups)
def test_any_page(source):
    try:
        page = Page("http://e.org/", "<title>a b</title>" + source)
    except PageError:
        return
    found = title_segments(page)
    assert found == sorted(set(found))
    for number in found:
        assert page.segment_text(number)


def test_candidates_are_all_parts_that_are_shown():
    """The longest first; short ones only beside a longer one. The first are those of ``title_segments``."""

    def candidates(title: str, body: str, head: str = "") -> list[list[str]]:
        page = Page("http://e.org/", f"<title>{title}</title>{head}<body>{body}")
        found = title_candidates(page)
        first = title_segments(page)
        assert (found[0] if found else []) == first
        return [[page.segment_text(number) for number in one] for one in found]

    long, body = "The Blog of Kusumoto", "<h1>The Blog of Kusumoto</h1><p>Hula</p><h2>Hula</h2>"
    assert candidates(f"Hula - {long}", body) == [[long], ["Hula", "Hula"]]
    assert candidates(f"Hula - {long} and others", body) == []
    assert candidates(f"Hula - Dance - {long}", body + "<p>Hula - Dance") == [
        [long],
        ["Hula - Dance"],
        ["Hula", "Hula"],
    ]
    other = '<meta property="og:title" content="A dance">'
    assert candidates(long, body + "<p>A dance", other) == [[long], ["A dance"]]
    assert candidates("", body) == []


def kernel_titles(titles: list[bytes], rows: list[int], shown: list[bytes], share: float) -> list[list[int]]:
    content = np.array([1, *map(xxhash.xxh64_intdigest, shown)], np.uint64)
    segments = np.arange(1, len(content), dtype=np.int32)
    given = titles, rows, content, segments, share, 40, 3
    found = module.KERNEL.shown_titles(*given)
    assert found == title_reference.shown_titles(*given)
    return found


pieces = st.sampled_from(
    ["a", "bc", " ", "  ", "\t", "\v", "-", "--", "|", "_", ":", "::", "/", "~", "&gt;", "&lt;", "&amp;", "•", "·", "»",
     "«", "›", "‹", "—", "–", "｜", "－", "中", "文", "é", "\u2020", "ﾐ"]
)  # fmt: skip
written = st.lists(pieces, max_size=9).map("".join).map(str.encode)


@needs_kernel(module)
@given(st.lists(st.tuples(written, st.integers(0, 3)), max_size=2), st.data())
def test_kernel_equals_reference(titles, data):
    """What is shown is drawn from the parts of the titles."""
    parts = [part for text, _ in titles for part in title_reference.parts(b" ".join(text.split()), 99)]
    shown = data.draw(st.lists(st.sampled_from(parts), max_size=6)) if parts else []
    share = data.draw(st.sampled_from([0, 0.3, 0.9]))
    kernel_titles([text for text, _ in titles], [row for _, row in titles], [*shown, b"x", *shown], share)


@needs_kernel(module)
def test_kernel_finds_each_part_once():
    shown = [b"b", b"a - b", b"b", b"b", b"b", b"a"]
    assert kernel_titles([b"a\n- b", b" a - b "], [0, 0], shown, 0) == [[1], [5], [0, 2, 3]]
    assert kernel_titles([b"a - b", b"b|c"], [0, 0], shown, 0) == [[1], [5], [0, 2, 3]]
    assert kernel_titles([b"a - b", b"b|c"], [0, 3], shown, 0) == [[1], [5], [0, 2, 3], [2, 3, 4]]
    assert kernel_titles([b"x" * 41, b"x" * 40], [0, 0], [b"x" * 41, b"x" * 40], 0) == [[1]]
    assert kernel_titles([b"a-b|" * 6], [0], [b"b", b"a-b|" * 5 + b"a-b|"], 0) == [[1]]
    assert kernel_titles([], [], shown, 0) == []


@needs_kernel(module)
def test_the_kernel_refuses_what_does_not_fit():
    content, segments = np.zeros(2, np.uint64), np.arange(2, dtype=np.int32)
    for titles, rows, wrong, longest in (
        ([b"a"] * 3, [0] * 3, segments, 9),
        ([b"a"], [0, 0], segments, 9),
        ([b"a"], [0], segments, 1001),
        ([b"a"], [0], segments + 1, 9),
        ([b"a"], [0], segments - 1, 9),
    ):
        with pytest.raises(ValueError, match=r"two titles|no such row"):
            module.KERNEL.shown_titles(titles, rows, content, wrong, 0.3, longest, 3)
