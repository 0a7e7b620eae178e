"""Plain text: the kernel against its reference, the changed DOM that turbohtml renders."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from detemplate.output import plain as module
from detemplate.output.cutting import removed_nodes
from detemplate.output.plain import plain_text
from detemplate.page.page import Page
from tests.support.cut_pages import cut_at_random
from tests.support.kernels import needs_kernel, uncompiled
from tests.support.soup import HARD, soups

pytestmark = needs_kernel(module)

pieces = st.sampled_from([
    "<ul>", "<ol>", "<ol start=7>", "<li>", "<li value=3>", "</ul>", "</ol>", "<div>", "</div>", "<p>", "</p>", "<h2>",
    "<blockquote>", "</blockquote>", "<pre>", "<pre>\n\n", "</pre>", "<code>", "</code>", "<br>", "<hr>", "<span>",
    "</span>", "<b>", "</b>", "<a href=#x>¶</a>", "<a href='#y'><i>#</i></a>", "<a href=z>link</a>", "¶ ", "<img src=x>",
    "<table>", "<tr>", "<td>", "<th>", "<td colspan=2>", "<td rowspan=3>", "<td colspan=70>", "<caption>", "</table>",
    "<dl>", "<dt>", "<dd>", "</dl>", "<dl><div>", "<section>", "</section>", "<script>x</script>", "<!-- c -->",
    "<pre><xmp>", "</xmp>", "if a<b", "<table role=none>", "<colgroup>", "<center>",
    "<button>Copy</button>", "<span class=lineno>1</span>", "<template>t</template>", "<sup>2</sup>", "<sub>max</sub>", "<sup><i> k</i>", "</sup>",
    " ", "\n", "word ", "w", "1 ", "* ", "3. ", "&nbsp;", "&lt;a&amp;", "\u200b", "\u3000", "字 ", "¶\u00a0",
])  # fmt: skip
"""What the kernel does in its own way, and what it leaves to the reference."""


@given(
    st.one_of(st.lists(pieces, max_size=30).map("".join), soups, st.sampled_from(HARD)), st.integers(0, 2**32)
)
@settings(max_examples=200, derandomize=True)  # markup in which a rule of the parser is broken may differ
@example("<ul><li><p>a</p>b<li><li><div><p>c</p>d</div></ul><pre>\n\n x\n</pre>", 151)
@example("<table><tr><th rowspan=3>a<th colspan=9>b<tr><td>c<tr><td>d<td>e</table>", 151)
@example("x<sup>2</sup><sub>(i)</sub><sub>j</sub> <b>10</b><sup>-3</sup> m<sup>e</sup><sup>®</sup>", 151)
@example("10<sub>max</sub><ul><li> <i> </i> a<li><span><p> b</span></ul><pre>c</pre><a href=#x>12</a>", 3)
@example("<dl><dt>a<dd>b<dd><p>c<dt>d</dl><dl><dd>e</dl>", 151)
@example("<ul><p>a</p><li>b<div><p>c</p></div></ul><pre>d</pre><ol><h2>e</h2><dl><dt>f</dl></ol>", 151)
@example("<ol><table role=none><td><td><p>a</table><li><table><tr><td>b</table></ol><pre>c</pre>", 151)
@example("<ol>&nbsp;<div>&nbsp;</div><pre>c</pre><section><li>x</section><script>y</script></ol>", 151)
@example("<pre>c</pre><ol><h2>T<a href=#x>#</a></h2><p>a</ol>", 3)
@example("<dl><dt><a name=x></a><dd>a<dt> <dd> </dl><pre>b</pre>", 151)
def test_kernel_equals_reference(html: str, seed: int) -> None:
    _, removed = cut_at_random("u", html, seed, (0, 0, 0.3, 0.7))
    # With the DOM: markup that is parsed again is not always read as before.
    found = plain_text(Page("u", html, keep_document=True), removed)
    with uncompiled(module):
        assert plain_text(Page("u", html, keep_document=True), removed) == found


code = st.sampled_from([
    "<span class=line>", "<span>", "</span>", "<b>", "</b>", "<br>", "<div>", "</div>", "<li>", "</li>", "<code>", "</code>",
    "1", "2", "3", " ", "\n", "x", "&nbsp;", "\u3000", "\u200b", "&lt;", "<svg><button>b</button></svg>", "<button>b</button>",
])  # fmt: skip
"""Lines of code, which may be counted."""


@given(
    st.lists(code, max_size=16).map("".join),
    st.integers(1, 4),
    st.sampled_from(["", "<nav><button>menu</button></nav>", "<button>copy</button>"]),
    st.integers(0, 2**32),
)
@settings(max_examples=200, derandomize=True)
@example(
    "<div><b>1</b>x</div><div><b>2</b>y</div><div><b>3</b>z</div>", 1, "<nav><button>menu</button></nav>", 0
)
@example("<code><div>x<b>1</b></div><div><b>2</b></div><div><b>3</b></div></code>", 1, "", 0)
@example("<code><span><i>&nbsp;1</i></span><span><i>2</i></span><span><i>3</i></span></code><br>", 1, "", 0)
@example("<span><i>1</i></span><span> <i>2 </i></span><span>x<i>3</i></span><br>", 1, "", 0)
@example("<span><i>1</i> gutter</span><span class='a ln'>2</span><span><i>4</i></span><br>", 1, "", 0)
@example("<b>x</b><span><i>\u30001</i></span><span><i>2</i></span><span><i>3</i></span><br>", 1, "", 0)
def test_lines_of_code(lines: str, times: int, before: str, seed: int) -> None:
    """Code is laid out by the kernel as by its reference, wherever the page has buttons."""
    html = f"{before}<p>text</p><pre>{lines * times}</pre>"
    page = Page("u", html)
    rng = random.Random(seed)
    removed = removed_nodes(
        page, np.array([rng.random() < rng.choice((0, 0.3)) for _ in page.segments], bool)
    )
    found = plain_text(Page("u", html, keep_document=True), removed)
    with uncompiled(module):
        assert plain_text(Page("u", html, keep_document=True), removed) == found


def test_kernel_does_lines_of_code(monkeypatch) -> None:
    """The reference does no code whose lines are not counted, for a button that is elsewhere on the page."""
    monkeypatch.setattr(module.plain_reference, "plain_text", None)
    lines = "<span class=line><span class=a><span>int</span> x</span>;</span><br><span class=line>y</span>"
    page = Page("u", f"<nav><button>menu</button></nav><p>text</p><div><pre>{lines}</pre></div>")
    assert plain_text(page, []).endswith("text\n\nint x;\ny")
    # The first line has a 1, and the code speaks of line numbers: they are none.
    page = Page(
        "u", "<pre><span>i = <b>1</b>; // lineno</span><br><span>j = <b>1</b></span><br><span>k</span></pre>"
    )
    assert plain_text(page, []).endswith("i = 1; // lineno\nj = 1\nk")


def test_kernel_does_what_is_rare(monkeypatch) -> None:
    """It lays out ``xmp`` in code, blocks in lists outside of items, tables at the beginning of items, empty terms."""
    monkeypatch.setattr(module.plain_reference, "plain_text", None)
    for html, expected in (
        ("<pre><xmp>\nif a<b & c<style>:\n  d</xmp></pre>", "if a<b & c<style>:\n  d"),
        ("<ul><p>a</p><li>b</ul><pre>c</pre>", "* a\n* b\n\nc"),
        ("<ul><li><table><tr><td>a</table>b</ul><pre>c</pre>", "* a\n  b\n\nc"),
        ("<dl><dt><a name=x></a><dd>a</dl><pre>b</pre>", "* \n  * a\n\nb"),
    ):
        assert plain_text(Page("u", html), []) == expected
