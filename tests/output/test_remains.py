"""What remains of a page: the kernel against its reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from detemplate.output import remains as module
from detemplate.output.cutting import removed_nodes
from detemplate.output.remains import inert_candidates, remains, spaced_nodes
from detemplate.output.roles import (
    BLOCK_OF_CODE,
    CALLOUT,
    DRAWN_LINK,
    FORMULA,
    HEADING,
    IMAGE,
    LINK,
    LOOSE,
    MATH,
    MATH_ATTRIBUTE,
    NOTE_LINK,
    NUMBERED,
    SCRIPT,
)
from detemplate.page.page import Page
from tests.support.cut_pages import cut_at_random
from tests.support.kernels import needs_kernel, uncompiled
from tests.support.soup import HARD, soups

pytestmark = needs_kernel(module)

pieces = st.sampled_from([
    "<ul>", "<li>", "</ul>", "<div>", "</div>", "<pre>", "<code>", "</code>", "</pre>", "<noscript>", "</noscript>",
    "<video>seen by none</video>", "<script>code()</script>", "<script type='math/tex'>x</script>", "<h2>", "<p>",
    "<p class='big alert'>", "<a href='#n' class=Noteref>", "<sup>", "</sup>", "<b class='x line-no'>", "<b data-math=x>",
    "<b style='user-select:none' onclick=x>", "<a href=' java\tscript:x'>", "<i class='inline online'>", "<svg>", "</svg>",
    "<img class='latex' src=x>", "<img alt='a' class=\"x ql-img-y\">", "<math><mi>x</mi></math>", " ", "word ", "w",
    "<a href=x>", "</a>", "<style>s</style>", "<iframe>text</iframe>", "<b>", "</b>",
])  # fmt: skip
lists = st.lists(pieces, max_size=20).map("".join)


@given(st.one_of(soups, lists, st.sampled_from(HARD)), st.integers(0, 2**32))
@settings(max_examples=150)
@example("<script>code()</script><ul><script type='math/tex'>x</script><math><mi>x</mi></math>", 151)
def test_kernel_equals_reference(html: str, seed: int) -> None:
    page, removed = cut_at_random("u", html, seed, (0, 0.3, 0.7))
    found = remains(page, removed)
    told, inert = remains(page, removed, attributes=True), inert_candidates(page, found.removed)
    spaced = spaced_nodes(page, found.removed), spaced_nodes(page, removed)
    mask = np.isin(page.segments, [row for top in removed for row in range(top, page.columns.end[top])])
    highest = removed_nodes(page, mask)
    with uncompiled(module):
        assert removed_nodes(page, mask) == highest
        assert remains(page, removed) == found
        assert remains(page, removed, attributes=True) == told
        assert inert_candidates(page, found.removed) == inert
        assert (spaced_nodes(page, found.removed), spaced_nodes(page, removed)) == spaced


@pytest.mark.parametrize(
    ("html", "flags"),
    [
        ("<p>x", 0),
        ("<p><a>x</a>", LINK),
        ("<pre>x</pre>", BLOCK_OF_CODE),
        ("<h1>x</h1>", HEADING),
        ("<ul><li>x</ul>", 0),
        ("<ul>x</ul>", LOOSE),
        ("<ul><p>x</p></ul>", LOOSE),
        ("<ul><li>x</li>  <p> </p></ul>", 0),
        ("<p>x<math><mi>y</mi></math>", MATH),
        ("<p>x<script type='Math/TeX'></script>", SCRIPT),
        ("<p>x<script defer type='math/tex; mode=display'>y</script>", SCRIPT | FORMULA),
        ("<script>x</script><ul><li><script type='math/tex'>x</script></ul>", SCRIPT | FORMULA),
        ("<p>x<script>y</script><b title='a' type='math/tex'>z</b>", SCRIPT),
        ("<p>x<img src='latex'>", IMAGE),
        ("<p>x<img alt='class=\"tex\"' src=i class='big LaTeX'>", IMAGE | FORMULA),
        ("<p>x<img class='mat te tx'>", IMAGE),
        ("<p>x<noscript><a href=y>z</a></noscript>", 0),
    ],
)
def test_flags(html: str, flags: int) -> None:
    asked = LINK | BLOCK_OF_CODE | HEADING | LOOSE | MATH | SCRIPT | FORMULA | IMAGE
    assert remains(Page("u", html), []).present & asked == flags
    with uncompiled(module):
        assert remains(Page("u", html), []).present & asked == flags


@pytest.mark.parametrize(
    ("html", "flags"),
    [
        ("<p class='x alert-info'>x", CALLOUT),
        ("<span class=alert>x</span><p class=a>", 0),
        ("<p>x<sup><a href=#n>1</a></sup>", NOTE_LINK),
        ("<p>x<a href=#n><sup>1</sup></a>", NOTE_LINK),
        ("<p>x<a href=#n class=FootnoteRef>1</a>", NOTE_LINK),
        ("<p>x<a href=#n>1</a><sup><a href=n>2</a></sup>", 0),
        ("<p data-math=x>x", MATH_ATTRIBUTE),
        ("<p class='code-gutter'>x", NUMBERED),
        ("<p style='-webkit-user-select:none'>x", NUMBERED),
        ("<p class='inline online headline-x'>x", 0),
        ("<a href=x><b><svg></svg></b></a>", DRAWN_LINK),
        ("<a href=x>x</a><svg></svg>", 0),
    ],
)
def test_flags_of_attributes(html: str, flags: int) -> None:
    asked = CALLOUT | NOTE_LINK | MATH_ATTRIBUTE | NUMBERED | DRAWN_LINK
    assert remains(Page("u", html), [], attributes=True).present & asked == flags
    assert remains(Page("u", html), []).present & asked == 0
    with uncompiled(module):
        assert remains(Page("u", html), [], attributes=True).present & asked == flags


def test_flags_of_what_is_removed_do_not_count() -> None:
    page = Page("u", "<div><pre>x</pre></div><p>y</p><ul><li>z</li></ul>")
    rows = removed_nodes(page, np.array([True, False, False]))
    assert not remains(page, rows).present & BLOCK_OF_CODE
    assert remains(page, rows).removed == rows
    assert remains(page, []).present & BLOCK_OF_CODE


def test_wrong_columns_are_refused() -> None:
    page = Page("u", "<p>x<p>y")
    with pytest.raises(ValueError, match="no row"):
        spaced_nodes(page, [len(page.columns)])
    page.columns.end = page.columns.end[:-1]
    with pytest.raises(ValueError, match="differ in length"):
        remains(page, [])
    with pytest.raises(ValueError, match="differ in length"):
        spaced_nodes(page, [])
