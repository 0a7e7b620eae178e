"""What remains of a page: what is cut, and what the renderings have to do."""

from __future__ import annotations

import numpy as np
import pytest

from detemplate.output.cutting import removed_nodes
from detemplate.output.remains import remains, spaced_nodes
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
