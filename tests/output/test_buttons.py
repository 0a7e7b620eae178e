"""Buttons beside blocks of code: which lines go, and the kernel against its reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from detemplate.output import buttons as module
from detemplate.output.buttons import with_buttons
from detemplate.output.render import to_markdown, to_text
from detemplate.page.page import Page
from tests.support.cut_pages import cut_at_random
from tests.support.kernels import needs_kernel, uncompiled
from tests.support.soup import soups

pieces = st.sampled_from([
    "<pre>", "</pre>", "<pre>a = 1\nb</pre>", "<pre><code>ls -l</code></pre>", "<div>", "</div>", "<div><pre>x</pre></div>",
    "<figure>", "</figure>", "<button>Copy</button>", "<div>py<button>Copy</button></div>", "<button></button>",
    "<div><span>py</span><button>Copy</button></div>", "<span><button>+</button></span>", "<p>words", "<h2>T</h2>",
    "<div><h2>T<button>b</button></h2></div>", f"<div>{'w ' * 30}<button>b</button></div>", "<a href=x>x</a>", "<!--c-->", " ",
    "<div><button>b</button><i></i><i></i><i></i><i></i><i></i><i></i><i></i></div>", "<i></i>", "word",
    "<table><tr><td>1\n2<td>", "<table><tr><td>x<td>", "<table><tr><td>1</td></tr>", "</table>", "<td>", "<tr>",
])  # fmt: skip
codes = st.lists(pieces, max_size=20).map("".join)


@needs_kernel(module)
@given(st.one_of(codes, codes, soups), st.integers(0, 2**32))
@settings(max_examples=300)
@example("<div><pre>a</pre><button>b</button><button>c</button></div><button>d</button>", 0)
@example("<table><tr><td>1<td><pre>a</pre></table><button>b</button>", 0)
def test_kernel_equals_reference(html: str, seed: int) -> None:
    page, removed = cut_at_random("u", html, seed, (0, 0, 0.3))
    rows = np.array(removed, np.int32)
    found = with_buttons(page, rows).tolist()
    assert found == sorted(found)
    with uncompiled(module):
        assert with_buttons(page, rows).tolist() == found


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # All that stand in a row go, on both sides, around two elements at most.
        ("<div><button>a</button><pre>x</pre><button>b</button> <button>c</button></div>", "x"),
        ("<figure><div><pre>x</pre></div><div>py <button>b</button></div></figure>", "x"),
        ("<div><figure><div><pre>x</pre></div></figure><button>b</button></div>", "x"),
        ("<div><div><div><div><pre>x</pre></div></div></div><button>b</button></div>", "x\n\nb"),
        ("<div><pre>x</pre><!-- c --><button>b</button></div>", "x"),
        # A table of code, whose first cell numbers its lines; no other table.
        ("<div><table><tr><td>1\n2<td><pre>x\ny</pre></table><button>b</button></div>", "x\ny"),
        ("<pre>x</pre><p>y<div><table><tr><td>a<td>c</table><button>b</button></div>", "x\n\ny\n\na\tc\n\nb"),
        # Short code stays, beside other code that has a button, too.
        (
            "<div><div><pre>ls</pre><button>b</button></div><div><pre>cd x</pre><button>b</button></div></div>",
            "ls\n\ncd x",
        ),
        # A line that is long, has many parts or no button stays; so does one of an element with many parts.
        (f"<div><pre>x</pre><div>{'w' * 39}<button>b</button></div></div>", "x"),
        (f"<div><pre>x</pre><div>{'w' * 40}<button>b</button></div></div>", "x\n\n" + "w" * 40 + "b"),
        (f"<div><pre>x</pre><div>y{'<i></i>' * 5}<button>b</button></div></div>", "x"),
        (f"<div><pre>x</pre><div>y{'<i></i>' * 6}<button>b</button></div></div>", "x\n\nyb"),
        ("<div><pre>x</pre><div>y</div></div>", "x\n\ny"),
        (f"<div><div>{'<i></i>' * 6}<pre>x</pre></div><button>b</button></div>", "x"),
        (f"<div><div>{'<i></i>' * 7}<pre>x</pre></div><button>b</button></div>", "x\n\nb"),
    ],
)
def test_lines_with_buttons(html: str, expected: str) -> None:
    assert to_text(Page("u", html), []) == expected
    with uncompiled(module):
        assert to_text(Page("u", html), []) == expected


def test_markdown_has_no_line_with_a_button() -> None:
    page = Page("u", "<p>a<div><div>Terminal <button>Copy</button></div><pre>ls</pre></div>")
    assert to_markdown(page, []) == "a\n\n```\nls\n```"


def test_wrong_columns_are_refused() -> None:
    page = Page("u", "<p>x<p>y")
    with pytest.raises(ValueError, match="no row"):
        with_buttons(page, np.array([len(page.columns)], np.int32))
    page.columns.end = page.columns.end[:-1]
    with pytest.raises(ValueError, match="differ in length"):
        with_buttons(page, np.array([], np.int32))
