"""Markdown: the kernel against its reference, the changed DOM that turbohtml renders."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from detemplate.output import markdown as module
from detemplate.output import markdown_reference, plain
from detemplate.output.markdown import markdown
from detemplate.page.page import Page
from tests.support.cut_pages import cut_at_random
from tests.support.kernels import needs_kernel, uncompiled
from tests.support.soup import HARD, soups

pytestmark = needs_kernel(module)

pieces = st.sampled_from([
    "<ul>", "<ol>", "<ol start=7>", "<li>", "</li>", "</ul>", "</ol>", "<div>", "</div>", "<p>", "</p>", "<h2>", "</h2>",
    "<blockquote>", "</blockquote>", "<pre>", "<pre class=language-c>", "</pre>", "<code>", "</code>", "<br>", "<hr>",
    "<span>", "</span>", "<b>", "</b>", "<em>", "</em>", "<i>", "</i>", "<del>", "</del>", "<a href=#x>¶</a>", "<a href=/z>",
    "<a href='http://a.b/(c'>", "</a>", "<a href=x></a>", "<a href='http://a.b/'>http://a.b/</a>", "<img src=x alt='[y] *'>",
    "<img src='data:x'>", "<img data-src=/l>", "<table>", "<tr>", "<td>", "<th>", "<td colspan=2>", "<td rowspan=3>",
    "<caption>", "</table>", "<dl>", "<dt>", "<dd>", "</dl>", "<dl><div>", "<section>", "</section>", "<script>x</script>",
    "<!-- c -->", "<details><summary>", "</summary>", "<template>t</template>", "<sup>2</sup>", "<sub>max</sub>", "</sup>",
    "<div class=alert><p class=title>", "<td><pre>1</pre>", "<span class=lineno>1</span>", "<li value=4>", "<a id=q></a>", "<svg><title>t</title></svg>", "<p style='white-space: nowrap'>", "<input>",
    " ", "\n", "word ", "w", "1 ", "* ", "3. ", "-", "#", "&nbsp;", "&lt;a&amp;b;", "&amp;", "\u200b", "\u3000", "字", "「", ".",
    "|", "$x^2$", "\\\\(a\\\\)", "[1]", "[2] ", "<sup>1</sup>", "_x_", "`", "!", "\\", "~",
])  # fmt: skip
"""What the kernel does in its own way, and what it leaves to the reference."""


@given(
    st.one_of(st.lists(pieces, max_size=30).map("".join), soups, st.sampled_from(HARD)), st.integers(0, 2**32)
)
@settings(max_examples=300, derandomize=True)  # markup in which a rule of the parser is broken may differ
@example("<dl><dt>a<dd>b<dd><p>c<dt>d</dl><dl><dd>e</dl>", 151)
@example('<bf="c>a', 151)
@example(
    "<table><tr><th>a<th>b<tr><td>x<ul><li>c<pre>d\n  e\n</pre>f</ul>g<td><pre>h</pre><b>i</b></table>", 151
)
@example(
    "<table><tr><th>a<th>b<tr><td><pre>  a  b\n</pre>g<td><pre>`</pre></table><pre><xmp>a <b c</xmp></pre>",
    151,
)
@example("<ul><li><p>a</p>b<li><li><div><p>c</p>d</div></ul><ul><li>e</ul><pre>\n\n x\n</pre>", 151)
@example(
    "<table><caption>n<tr><th rowspan=3>a|b<th colspan=9>b<tr><td>c<tr><td><ul><li>d</ul><td>e</table>", 151
)
@example("これは<em>「強調」</em>です。<b>a<br>&nbsp;b</b> words<i>so</i>, <b> </b><b>x</b><i>y</i>", 151)
@example(
    "<a href=/x><h2>T</h2></a><h3></h3><p>a<br>b<br> <br>c</p>d&nbsp;<p>&nbsp;</p><p>&nbsp;</p><pre>`</pre>",
    3,
)
@example("<ol><li>a<br><br>&nbsp;</ol><ul><li>b</li><br> <br>c</ul><ul><ul><li>d</ul>e</ul><pre></pre>", 3)
@example("<ul><ul><li><p>e<p>f</ul><li>g<li>h</ul>", 3)
@example("<b>a</b><script>1</script>x <b>b</b><script></script>y<p><b>c</b><style>.</style>z", 3)
@example(
    "<p>x<sup><a href='javascript:y()'>3</a></sup> z<sup><img src='data:x'>2</sup><sub><a>i</a></sub>", 151
)
@example(
    "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table><pre><i class=lineno>1</i>a<br>b</pre>", 151
)
@example(
    "<ol><ul><li>a</ul>b<ul><li>c</ul></ol><dl><dt><br>a<br><br>b<br><dd>c</dl><b>d</b><sub>1</sub>", 151
)
@example(
    "<table><tr><td><table><tr><td>1<td><pre>a</pre></table><td>b</table><pre>a<pre>\nb</pre></pre>", 151
)
def test_kernel_equals_reference(html: str, seed: int) -> None:
    _, removed = cut_at_random("http://e.org/a/b", html, seed, (0, 0, 0.3, 0.7))
    # With the DOM: markup that is parsed again is not always read as before.
    found = markdown(Page("http://e.org/a/b", html, keep_document=True), removed)
    with uncompiled(module):
        assert markdown(Page("http://e.org/a/b", html, keep_document=True), removed) == found


@pytest.mark.parametrize(
    "html",
    [
        "<h2>T <a href=#t>¶</a></h2><p>a <b>b</b> <a href=../x?y#z title='q'>t</a><br>c",
        "<ul><li>a<ul><li>b</ul><li><p>c<p>d</ul><ol start=3><li>e</ol>",
        "<table><tr><th>a<th>b<tr><td colspan=2>c</table><dl><dt>t<dd>d</dl>",
        "<pre class='brush: js'>x\n  y</pre><div class='alert'><p class=title>Note</p><p>a</div>",
        "<details><summary>S</summary><p>b</details><blockquote>q</blockquote><p>x<sup>2</sup> <code>c</code>",
        "<p><a href=/q>[1]</a> <a href=/r>[2]</a><p>$5 or x^2, <code>$y^2$</code>, no\\\\pattern",
        "<p>a<sup>1</sup> b<sup>3</sup>",
        "<ul>x<li>a</li><a href=/y>y</a><ul><li>b</ul><div>c</div></ul><p style='white-space:pre'>d",
        "<ol><li>a<br><br></ol>x<pre> </pre><p><b>d</b><script>e</script>f",
        "<p><a href='/x?a=1&b=2'>a</a> <a href=//h.org/x>b</a> <a href=../c>c</a> <img data-src=/d><p>$5 [x]",
        "<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre><pre><pre class=x>y</pre></pre>",
        "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table><p><b>c</b><sup>2</sup>",
        "<dl><dt>a<br>b<dd>c</dl><ol><li value=3>d</ol><a href=/x><ul><li><img src=y></ul><svg></svg></a>",
    ],
    ids=[
        "line",
        "lists",
        "tables",
        "blocks",
        "rest",
        "no notes, no formulas",
        "no raised notes",
        "in lists",
        "seams",
        "addresses",
        "line numbers",
        "table of code",
        "terms with breaks",
    ],
)
def test_common_pages_are_the_kernels(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> str:
        raise AssertionError("the reference was asked")

    monkeypatch.setattr(markdown_reference, "markdown", fail)
    assert markdown(Page("http://e.org/", html), [])


@pytest.mark.parametrize("text", ["<br>- b", "<br>1) b", "<br><br>b", "<br>\\<br>&nbsp;<br># b"])
def test_line_breaks_in_emphasis_may_take_more_room_than_before(text: str) -> None:
    html = f"<p><em>a{text * 500}</em> c"
    found = markdown(Page("http://e.org/", html), [])
    with uncompiled(module):
        assert markdown(Page("http://e.org/", html), []) == found


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p>a[1] b[2]<ol><li>c<li>d</ol>", "[^2]: d"),
        ("<p>a<sup><b>1</b></sup> b<sup>2</sup><ol><li>c<li>d</ol>", "[^2]: d"),
        ("<p>a <a href='javascript:x'>[1]</a><p>[1] b", "[^1]: b"),
        ("<p>so $x^2$ is", "so $x^2$ is"),
    ],
    ids=["brackets", "raised", "in a link that goes", "formula"],
)
def test_notes_and_formulas_are_written(html: str, written: str) -> None:
    assert written in markdown(Page("http://e.org/", html), [])


@pytest.mark.parametrize(
    ("tool", "html"),
    [
        ("resolve", "<p><a href='x y'>t</a>"),
        ("folders", "<p><a href=/x>t</a>"),
        ("folder", "<p><a href=../x>t</a>"),
        ("image", "<p>a<img srcset='x 1x'>"),
        ("language", "<pre class=x>y</pre>"),
        ("class_language", "<pre class=x>y</pre>"),
        ("numbers", "<pre><span class=lineno>1</span>y</pre>"),
        ("has_formulas", "<p>$x^2$"),
        ("is_punctuation", "<p>a<b>。</b>b"),
    ],
)
def test_what_a_tool_raises_is_raised(tool: str, html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError(tool)

    monkeypatch.setattr(module._Tools, tool, fail)
    with pytest.raises(ZeroDivisionError, match=tool):
        markdown(Page("http://e.org/a/b", html), [])


def test_what_the_rule_for_exponents_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "level_written", fail)
    monkeypatch.setattr(plain, "level_written", fail)
    for render in (markdown, plain.plain_text):
        with pytest.raises(KeyboardInterrupt):
            render(Page("http://e.org/", "<p>x<sup>2</sup>"), [])
