"""Markdown, read back by a CommonMark parser."""

import re
from collections import Counter
from html import escape

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from detemplate.output.options import Rendering
from detemplate.output.text import to_markdown
from detemplate.page.page import Page

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def markdown(html, url="http://e.org/a/b", **options):
    return to_markdown(Page(url, html, keep_document=True), [], Rendering(**options))


def read_back(html, **options):
    """The HTML that a parser makes of the Markdown, on one line."""
    rendered = PARSER.render(markdown(html, **options))
    return rendered.replace(">\n<", "><").strip()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # Emphasis beside letters and punctuation.
        ("a<em>b</em>c is <b>x </b>y", "a<em>b</em>c is <strong>x</strong> y"),
        ("これは<em>「強調」</em>です。", "これは「<em>強調</em>」です。"),
        ("<b>これ。</b>は", "<strong>これ</strong>。は"),
        ("words<i>so</i>, is<b>it</b>", "words<em>so</em>, is<strong>it</strong>"),
        ("<b>a<br>&nbsp;b</b>", "<strong>a<br />\nb</strong>"),
        ("<i><b>k</b></i> <b>a<i>b</i>c</b>", "<em><strong>k</strong></em> <strong>a<em>b</em>c</strong>"),
        ("a <b>&nbsp;b&nbsp;</b>c <b> d </b>e", "a  <strong>b</strong> c <strong>d</strong> e"),
        ("<b>a</b><b>b</b> c<b> </b>d", "<strong>a</strong><strong>b</strong> c  d"),
        ("<i>a</i><b>b</b><i>c</i>d", "<em>a</em><strong>b</strong><em>c</em>d"),
        ("<em>a</em><strong>b</strong>c <s>d</s><i>e</i>", "<em>a</em>bc de"),
        ("x<em><a href=http://e.org/>y</a></em>z", 'x<a href="http://e.org/">y</a>z'),
        ("a<del>b</del>c 1*2*3 _x_ [y](z)", "a<s>b</s>c 1*2*3 _x_ [y](z)"),
        # Links.
        ("<a href=../x?y#z>t</a>", '<a href="http://e.org/x?y#z">t</a>'),
        ("<a href=/x></a><a href=/y> </a>t", "t"),
        ("<a href='javascript:x()'>t</a> <a href='JavaScript\t:x'>u</a>", "t u"),
        ("<a href=x><svg><style>p {}</style></svg></a><a href=y><script>z()</script> </a>t", "t"),
        ("<a href='http://[::1'>t</a> <a href='x y(z'>u</a>", 't <a href="http://e.org/a/x%20y(z">u</a>'),
        ("<a href=mailto:a@b.c>t</a> <a>u</a>", '<a href="mailto:a@b.c">t</a> u'),
        # Images.
        ("<img src=i.png alt='a b'>", '<img src="http://e.org/a/i.png" alt="a b" />'),
        ("<img src='data:image/gif;x' data-src=/i.png>", '<img src="http://e.org/i.png" alt="" />'),
        ("<img src='data:image/gif;x'>t<a href=x><img src=data:,></a>", "t"),
        ("<img srcset='/s.png 100w, /l.png 900w'>", '<img src="http://e.org/l.png" alt="" />'),
        ("<picture><source srcset='/p.webp 2x'><img src='data:x'></picture>",
         '<img src="http://e.org/p.webp" alt="" />'),
        ("<a href=x><span><img src='chrome-extension://a'></span></a>t", "t"),
        ("<img width=1 height=1 src=/pixel>t", "t"),
        # Entities.
        ("&nbsp;x&nbsp;y &lt;b&gt; &amp;amp;&nbsp;", "x y &lt;b&gt; &amp;amp;"),
        ("<code>&amp;#160;</code>&nbsp;", "<code>&amp;#160;</code>"),
        ("<math><annotation encoding='application/x-tex'>x_i*y*</annotation></math>", "$x_i<em>y</em>$"),
    ],
)  # fmt: skip
def test_inline(html, expected):
    assert read_back(f"<p>{html}</p>") == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>T <a href=#t>¶</a></h2><h3></h3><h4><a href=#u></a>U</h4>", "<h2>T</h2><h4>U</h4>"),
        ("<a href=/x><h2>T</h2><p>k</p></a>", '<h2><a href="http://e.org/x">T</a></h2><p>k</p>'),
        ("<table><tr><th>a<th>b<tr><td colspan=2>c<tr><td rowspan=2>d<td>e<br>f<tr><td>g|h</table>",
         "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td></td></tr>"
         "<tr><td>d</td><td>e f</td></tr><tr><td></td><td>g|h</td></tr></tbody></table>"),
        ("<table><tr><th>a<tr><td>b<td><ul><li>c<li>d</ul><i>e</i> f<ol><li>g</ol></table>",
         "<table><thead><tr><th>a</th><th></th></tr></thead><tbody><tr><td>b</td><td>* c * d <em>e</em> f 1. g</td></tr></tbody>"
         "</table>"),
        ("<table><tr><td>x<td><table><tr><td>a<td>b</table></table>",
         "<p>x</p><table><thead><tr><th>a</th><th>b</th></tr></thead></table>"),
        ("<pre class='brush: js'>x\n  y</pre><pre><code class='language-c++'>z</code></pre>"
         "<div class=highlight-rust><code><pre>r</pre></code></div><pre data-lang=go>g</pre><pre>p</pre>",
         '<pre><code class="language-js">x\n  y\n</code></pre><pre><code class="language-c++">z\n</code></pre>'
         '<pre><code class="language-rust">r\n</code></pre><pre><code class="language-go">g\n</code></pre>'
         "<pre><code>p\n</code></pre>"),
        ("<figure class='highlight ruby'><pre>x\ny</pre></figure><figure class='highlight '><pre>z\nw</pre></figure>",
         '<pre><code class="language-ruby">x\ny\n</code></pre><pre><code>z\nw\n</code></pre>'),
        ("<dl><dt>t<dd>d<dt>u<dd><p>v</p><p>w</dl>",
         "<ul><li><strong>t</strong><ul><li>d</li></ul></li><li><strong>u</strong><ul><li><p>v</p><p>w</p></li>"
         "</ul></li></ul>"),
        ("<div><p>a</p><br>b</div><p><br><br>c<br></p>", "<p>a</p><p>b</p><p>c</p>"),
        ("<p>a<br>b<br> <br>c</p><p><b>d<br><br>e</b></p>",
         "<p>a<br />\nb</p><p>c</p><p><strong>d<br />\ne</strong></p>"),
        ("<p style='white-space: pre-wrap'>a  <a href=/x>b</a></p><p style='white\\2d space:pre'>c  d",
         '<p>a <a href="http://e.org/x">b</a></p><p>c d</p>'),
        ("<ul>x<li>a</li><a href=/y>y</a></ul>",
         '<p>x</p><ul><li>a\n<a href="http://e.org/y">y</a></li></ul>'),
        ("<pre lang=c>x</pre><pre><code lang=PHP>y</code></pre><pre lang=en>z</pre><pre lang=de-AT>z</pre>",
         '<pre><code class="language-c">x\n</code></pre><pre><code class="language-PHP">y\n</code></pre>'
         "<pre><code>z\n</code></pre><pre><code>z\n</code></pre>"),
        ("<details><summary>S</summary><p>b</details>", "<p><strong>S</strong></p><p>b</p>"),
        ("<p>a</p><p>&nbsp;</p><p>&nbsp;</p><pre>&amp;#160;\n\n\nb</pre>",
         "<p>a</p><pre><code>&amp;#160;\n\n\nb\n</code></pre>"),
    ],
)  # fmt: skip
def test_blocks(html, expected):
    assert read_back(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (r"<p>a \(x_i*y*\) b \[ \frac{a_1}{b} \] c", r"a $x_i*y*$ b $$\frac{a_1}{b}$$ c"),
        ("<p>a $$ e^{x}_1 $$ b\n$$ c", "a $$e^{x}_1$$ b $$ c"),
        (r"<p>$\alpha\_1$ and $x^2$, $y_{i}$ cost $5 and $6_a",
         r"$\alpha\_1$ and $x^2$, $y_{i}$ cost $5 and $6\_a"),
        # In code, and what is none.
        (r"<p><code>\(x\)</code> <kbd>\[x=1\]</kbd>", r"`\(x\)` `\[x=1\]`"),
        (r"<p>match \(.*\) or \[a-z\] or \([0-9]\)", r"match \\(.\*\\) or \\\[a-z\\\] or \\(\[0-9\]\\)"),
        (r"<p>$$ and $$; $HOME/a_b/$PATH; \( \)", r"$$ and $$; $HOME/a\_b/$PATH; \\( \\)"),
    ],
)  # fmt: skip
def test_formulas_between_delimiters(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<div class='admonition note'><p class=admonition-title>Note</p><p>a</p></div>",
        "<div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title><svg></svg>Note</p><p>a</p></div>",
        "<div class='theme-admonition alert'><div class=admonitionHeading_x><span><svg></svg></span>Note</div><div><p>a"
        "</div></div>",
        "<div class=callout data-callout=note><div class=callout-title><div class=callout-icon></div>"
        "<div class=callout-title-inner>Note</div></div><div class=callout-content><p>a</p></div></div>",
        "<div class='alert alert-info' role=alert><h4 class=alert-heading>Note</h4><p>a</p></div>",
    ],
    ids=["sphinx", "github", "docusaurus", "obsidian", "bootstrap"],
)
def test_callouts(html):
    assert markdown(f"<p>x</p>{html}<p>y</p>") == "x\n\n> **Note**\n>\n> a\n\ny"


def test_what_is_no_callout():
    assert markdown("<div class=alert><p>a</p></div><p class=callout>b</p>") == "a\n\nb"
    long = "word " * 40
    assert not markdown(f"<div class=admonition><p class=title>{long}</p><p>a</p></div>").startswith(">")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li><input type=checkbox checked disabled> a<li><input type=checkbox disabled> b</ul>", "- [x] a\n- [ ] b"),
        ("<ol><li class=task-list-item><label><input type=checkbox> a</label></ol>", "1. [ ] a"),
        ("<ul><li><input type=checkbox name=b> brand<li><input disabled>x</ul>", "- brand\n- x"),
        ("<p><ruby>漢<rp>(<rt>かん<rp>)</rp>字<rt>じ</ruby>です", "漢(かん)字(じ)です"),
        ("<p><ruby>灯台<rt>（とうだい）</ruby>", "灯台（とうだい）"),
        ("<table><tr><th>a<th>b<tfoot><tr><td>1<td>2</tfoot><tbody><tr><td>3<td>4</table>",
         "| a | b |\n| --- | --- |\n| 3 | 4 |\n| 1 | 2 |"),
        ("<p>a <q>b</q> <q>“c”</q>", 'a "b" “c”'),
        ("<h2 id=x><a href=#x class=anchor>Title</a></h2><p><a href=#x>y", "## Title\n\n[y](http://e.org/a/b#x)"),
        ("<h3><a href=#x>Title</a> <a href=#x>¶</a></h3><h4>x <a href=#y>other</a></h4>",
         "### Title\n\n#### x [other](http://e.org/a/b#y)"),
        ("<pre><pre class=p><code class='language-rust x'>fn</code></pre></pre>", "```rust\nfn\n```"),
        ("<div class=language-sh><div><div><div><pre>ls</pre></div></div></div></div>", "```sh\nls\n```"),
    ],
)  # fmt: skip
def test_small_parts(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize("url", ["", "file:///home/ann/a.html", "/home/ann/a.html", "C:\\home\\ann\\a.html"])
@pytest.mark.parametrize("base", ["", "<base href=file:///home/ann/>"])
def test_no_local_path_is_written(url, base):
    html = (
        f"{base}<p><a href=#x>a</a> <a href=../b.html>b</a> <img src=c.png><img src=file:///home/ann/d.png>"
    )
    assert markdown(html, url) == "[a](#x) [b](../b.html) ![](c.png)"


def test_footnotes():
    html = (
        "<p>x<sup><a href=#fn1 id=r1>1</a></sup> y<a class=footnote-ref href=#fn2>[2]</a> z<sup><a href=#top>3</a>"
        "</sup></p><ol><li id=fn1><p>One <a href=#r1>↩</a></p><p>More</p></li><li id=fn2>Two"
        "<a href=#r2 class=footnote-backref>back</a></ol>"
    )
    assert markdown(html) == ("x[^1] y[^2] z[3](http://e.org/a/b#top)\n\n[^1]: One\n\n    More\n\n[^2]: Two")
    paragraph = "<p>x<sup><a href=#n1>1</a></sup><p id=n1><a href=#r1>1</a>. A note.<p>End"
    assert markdown(paragraph) == "x[^1]\n\n[^1]: A note.\n\nEnd"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a[1] b.[2] c[1].</p><h2>Notes</h2><p>[1] One <b>d</b>.</p><p>[2] Two.",
         "a[^1] b.[^2] c[^1].\n\n## Notes\n\n[^1]: One **d**.\n\n[^2]: Two."),
        ("<p>a<sup>1</sup> b.<sup>2</sup></p><hr><p><sup>1</sup> One.</p><p><sup>2</sup> Two.",
         "a[^1] b.[^2]\n\n---\n\n[^1]: One.\n\n[^2]: Two."),
        ("<p>a<sup>[1]</sup> b.<sup>2</sup></p><ol><li>One.<li><p>Two.</p><p>More.</ol>",
         "a[^1] b.[^2]\n\n[^1]: One.\n\n[^2]: Two.\n\n    More."),
        # Not certain: another order, other numbers, text behind the list, numbers in code, exponents.
        ("<p>a[2] b[1]<ol><li>c<li>d</ol>", "a\\[2\\] b\\[1\\]\n\n1. c\n2. d"),
        ("<p>a[1] b[2]<ol><li>c<li>d<li>e</ol>", "a\\[1\\] b\\[2\\]\n\n1. c\n2. d\n3. e"),
        ("<p>a[1] b[2]<ol><li>c<li>d</ol><p>e", "a\\[1\\] b\\[2\\]\n\n1. c\n2. d\n\ne"),
        ("<p><code>a[1] b[2]</code><ol><li>c<li>d</ol>", "`a[1] b[2]`\n\n1. c\n2. d"),
        ("<p>a<p><sup>1</sup>b<p>c<sup>2</sup><ol><li>d<li>e</ol>", "a\n\n¹b\n\nc²\n\n1. d\n2. e"),
        ("<p>x<sup>2</sup> + y<sup>1</sup><ol><li>c<li>d</ol>", "x² + y¹\n\n1. c\n2. d"),
    ],
)  # fmt: skip
def test_footnotes_without_links(html, expected):
    assert markdown(html) == expected


def test_base_elements():
    html = "<base href=/c/d><p><a href=x>t</a><img src=i>"
    assert markdown(html) == "[t](http://e.org/c/x)![](http://e.org/c/i)"
    assert markdown("<p><a href=x>t</a>", url="") == "[t](x)"
    assert markdown("<base href='http://[x'><p><a href=x>t</a>") == "[t](http://e.org/a/x)"


hot = st.sampled_from([
    "sup", "sub", "math", "mi", "msup", "table", "tr", "td", "th", "caption", "pre", "code", "em", "b", "i", "s",
    "span class=lineno", "dl", "dt", "dd", "ul", "ol", "li", "p", "div", "a href=x", "a href=#n", "p id=n", "br",
    "td colspan=3", "h2", "details", "summary", "blockquote", "div class=admonition", "p class=title", "mover",
    "mtable", "mtr", "mo", "msqrt",
])  # fmt: skip
steps = st.lists(
    st.one_of(
        hot.map("<{}>".format),
        hot.map(lambda name: f"</{name.split()[0]}>"),
        st.sampled_from(["w", "1", ",", r"\\(", r"\\)", r"\\[", r"\\]", "$$", "$", "^"]),
    ),
    max_size=16,
)


@given(steps)
def test_no_word_is_lost_or_doubled(made):
    letters = iter("abcdefghijklmnop")
    html = "".join(f" word{next(letters)} " if step == "w" else step for step in made)
    said = Counter(re.findall("word[a-p]", html))
    written = to_markdown(Page("http://e.org/", f"x{html}"), [], Rendering())
    assert Counter(re.findall("word[a-p]", written)) == said, html
    shown = re.sub("<[^>]*>", "", PARSER.render(written))
    assert Counter(re.findall("word[a-p]", shown)) == said, html


signs = st.lists(
    st.sampled_from([
        "<img src=x onerror=a()>", "<script>", "</script>", "<!--", "-->", "<b", "<?x", "<![CDATA[", "<http://a/>",
        "<a@b.org>", "[x](javascript:a())", "![x](http://a/)", "[x]", "[x]: http://a/", "(http://a/)", "![", "]", "(",
        ")", "`", "```", "\\", "*", "_", "~~~", "&lt;", "&#60;", "&", ">", "#", "|", "-", "=", "1.", "word",
        " ", "\t",
    ]),
    max_size=12,
)  # fmt: skip


@given(
    signs, st.sampled_from(["p", "h2", "li", "td", "blockquote", "dt", "em", "code", "a href=javascript:b()"])
)
def test_text_of_a_page_is_no_html_and_no_link(made, element):
    """Whatever its signs are, a reader of the Markdown sees neither a tag nor a link of it."""
    page = f"<p>a</p><{element}>b{escape(''.join(made))}c</{element.partition(' ')[0]}><p>d</p>"
    tokens = PARSER.parse(markdown(page))
    kinds = {each.type for token in tokens for each in (token, *(token.children or ()))}
    assert not kinds & {"html_block", "html_inline", "link_open", "image"}, page


@pytest.mark.parametrize("size", range(1, 12))
def test_emphasis_behind_a_line_break_in_emphasis_is_whole(size):
    """Whatever its length is."""
    word = "x" * size
    assert markdown(f"<p><b>a<br>bc<br></b>, y <b>{word}</b> z") == f"**a  \nbc**, y **{word}** z"
