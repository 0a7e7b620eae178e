"""Text as a person would write it: tables, code, lists, formulas."""

import random
import re

import pytest
from hypothesis import given, strategies as st

from detemplate import UserError, extract
from detemplate.output.options import CHOICES, Rendering
from detemplate.output.text import to_text
from detemplate.page.page import Page


def text(html, url="http://e.org/a/b", **options):
    return to_text(Page(url, html, keep_document=True), [], Rendering(**options))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><th>a<th>b<tr><td>c<td>d e</table>", "a\tb\nc\td e"),
        ("<table><caption>Of <b>what</b></caption><tr><td>x<td>y</table>", "Of what\n\nx\ty"),
        # Merged cells, empty cells, blocks and breaks in cells, empty rows.
        ("<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f</table>",
         "a\t\tb\nc\td\te\n\tf"),
        ("<table><tr><td><p>a</p><td>b<br>c<tr><td><td><tr><td>d<td></table>", "a\tb c\nd"),
        ("<table><tr><td colspan=100000>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        # Tables that lay the page out.
        ("<table><tr><td><h2>a</h2><p>b</p></td><td>c</table>", "a\n\nb\n\nc"),
        ("<table><tr><td>x<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>", "x\n\na\tb\nc\td"),
        ("<table><tr><td><td>a<td></table>", "a"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        ("<ul><li>x<table><tr><th>a<th>b</table></ul>", "* x\n  a\tb"),
        ("<table><tr><td><pre>a b</pre><td>c<tr><td>d<td>e</table>", "a b\tc\nd\te"),
        ("<table><tr><td><pre>a\nb</pre><td>c<tr><td>d<td>e</table>", "a\nb\n\nc\n\nd\n\ne"),
    ],
)  # fmt: skip
def test_tables(html, expected):
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li><input type=checkbox checked disabled> a<li class=task><input type=checkbox>b</ul>",
         "* [x] a\n* [ ]b"),
        ("<p>これは<ruby>灯台<rp>（<rt>とうだい<rp>）</ruby>です", "これは灯台(とうだい)です"),
        ("<p>She said <q>no <b>way</b></q>. <q>«non»</q>", 'She said "no way". «non»'),
        ("<table><tfoot><tr><td>1<td>2<tbody><tr><td>3<td>4</table>", "3\t4\n1\t2"),
    ],
)  # fmt: skip
def test_small_parts(html, expected):
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre>a\n  b\n\n\tc</pre>", "a\n  b\n\n\tc"),
        ("<pre><code>a<br>  b<br></code></pre>", "a\n  b"),
        ("<pre><div>a</div><div>b</div><div></div><div>c</div></pre>", "a\nb\nc"),
        ("<pre><span class=lineno>9 </span>a\n<span class=lineno>10 </span>b\n</pre>", "a\nb"),
        ("<div class=highlight><table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td>"
         "<td class=code><pre>a\n  b</pre></td></table></div>",
         "a\n  b"),
        ("<figure class='highlight sh'><table><tr><td class=gutter><pre><span class=line>1</span><br></pre>"
         "<td class=code><pre><span class=line>echo hello</span><br></pre></table></figure>",
         "echo hello"),
        ("<table><tr><td class=blob-num data-line-number=1></td><td>a"
         "<tr><td class=blob-num data-line-number=2></td><td>  b</table>",
         "a\n  b"),
        ("<pre><span style='user-select:none'> 1</span>a\n<span style='user-select:none'> 2</span>b</pre>",
         "a\nb"),
        ("<pre><div><span>1</span><b>x</b></div><div><span>2</span>y</div><div><span>3</span>7</div></pre>",
         "x\ny\n7"),
        ("<div><code><pre>a\n  b</pre></code></div>", "a\n  b"),
        ("<pre><button>Copy</button><code>a = 1</code></pre>", "a = 1"),
        # What stands beside code: a button, a line with one, line numbers.
        ("<div class=wrap><pre>a\nb</pre> <button>Copy</button></div><p>c", "a\nb\n\nc"),
        ("<p>c<div><div><span>py</span><button>Copy</button></div><div><pre>a</pre></div></div>", "c\n\na"),
        ("<div><pre class=lineno>1\n2</pre><pre>a\nb</pre></div>", "a\nb"),
        ("<div><div class=line-numbers>1 2</div><pre>a\nb</pre></div>", "a\nb"),
        (f"<p><div class=gutter>{'<i>1</i> ' * 9}</div><pre>a</pre>", "a"),
        # No such things: headings, links and prose with a button, numbers that are none of lines, another block.
        ("<div><h2>T<button>+</button></h2><pre>a</pre></div>", "T+\n\na"),
        ("<div><div><a href=x>x</a><button>b</button></div><pre>a</pre></div>", "xb\n\na"),
        ("<div><div>1 2</div><pre>a\nb</pre></div>", "1 2\n\na\nb"),
        ("<article><div><button>b</button></div><p>x</p><pre>a</pre></article>", "b\n\nx\n\na"),
        # Numbers that are no line numbers stay.
        ("<table><tr><td>1<td>one<tr><td>2<td>two</table>", "1\tone\n2\ttwo"),
        ("<pre><span class=mi>1</span>\n<span class=mi>2</span></pre>", "1\n2"),
    ],
)  # fmt: skip
def test_code(html, expected):
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li><p>a</p><p>b</p><li><div><p>c</p>d</div><li>e</ul>", "* a\n  b\n* c\n  d\n* e"),
        ("<ul><li><img src=x><li>a<ul><li><p>b</ul></ul>", "* a\n  * b"),
        ("<ol><li><p>a<li><p>b</ol><pre>x</pre>", "1. a\n2. b\n\nx"),
        ("<ul><li></li><li>b</ul><pre>* \n  x</pre>", "* b\n\n* \n  x"),
        ("<dl><dt>a<dd>b<dd>c<dt>d<dt>e<dd><p>f</p></dl>", "* a\n  * b\n  * c\n* d\n* e\n  * f"),
        ("<dl><div><dt>a</dt><dd>b</dd></div></dl><dl><dd>c</dl>", "* a\n  * b\n\nc"),
        ("<p>a[1] b<sup>2</sup></p><p>[1] One.</p><p><sup>2</sup> Two.", "a[1] b²\n\n[1] One.\n\n² Two."),
        ("<p>one<br>two</p><p>&nbsp;</p><p>a&nbsp;b</p>", "one\ntwo\n\na b"),
        ("<h2>Title<a class=headerlink href=#t>¶</a></h2><p>x</p>", "Title\n\nx"),
        ("<h2>Title <a href=#t>#</a></h2><p>x</p><pre>y<a href=#12>12</a></pre>", "Title\n\nx\n\ny12"),
        ("<ul><li> a<li>\n<b> b</b><li><span> </span>c</ul><ol><li> d</ol>", "* a\n* b\n* c\n1. d"),
        ("<ul><li><img alt=x src=x> a<li><i></i><script>s</script> b<li><svg><title>c</title></svg> d</ul>",
         "* a\n* b\n* c d"),
        ("<p>The sign ¶ stays, <a href=#p>p. 3</a>.</p>", "The sign ¶ stays, p. 3."),
    ],
)  # fmt: skip
def test_blocks(html, expected):
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("2<sup>7</sup> H<sub>2</sub>O x<sup>-n</sup> 10<sup>−3</sup>", "2⁷ H₂O x⁻ⁿ 10⁻³"),
        ("x<sup>k</sup> e<sup>2x</sup> a<sub>i</sub> T<sub>max</sub>", "x^k e^(2x) a_i T_max"),
        ("the 1<sup>st</sup>, M<sup>me</sup>, 5<sup>e</sup>, Foo<sup>TM</sup>", "the 1st, Mme, 5e, FooTM"),
        ("so.<sup><a href=#n1>[1]</a></sup> and<sup>[2]</sup> <sup>3</sup> Note", "so.[1] and[2] ³ Note"),
        ("a<sup>long text that is no exponent</sup>", "along text that is no exponent"),
    ],
)
def test_raised_and_lowered(html, expected):
    assert text(f"<p>{html}</p>") == expected


SQUARE = (
    "<semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>"
    "<annotation encoding='application/x-tex'>{\\displaystyle x^{2}}</annotation></semantics>"
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"a <math>{SQUARE}</math> b", "a $x^{2}$ b"),
        (f"a <span class=katex><span class=katex-mathml><math>{SQUARE}</math></span>"
         "<span class=katex-html aria-hidden=true>x<sup>2</sup></span></span> b",
         "a $x^{2}$ b"),
        (f"a <span class=mwe-math-element><span class=mwe-math-mathml-inline style='display:none'><math>{SQUARE}"
         "</math></span><img class=mwe-math-fallback-image-inline src=x alt='x^{2}'></span> b",
         "a $x^{2}$ b"),
        ("a <span class=MathJax_Preview></span><span class=MathJax>x2</span>"
         "<script type='math/tex; mode=display'>x^2</script> b",
         "a $$x^2$$ b"),
        ("a <img class=latex src='x' alt='x^2'> b", "a $x^2$ b"),
        ("a <span class=math-inline data-math='x^2'><span class=katex-html>x2</span></span> b", "a $x^2$ b"),
        ("a <math alttext='y'><mi>z</mi></math> b", "a $y$ b"),
        ("a <math><mover><mi>F</mi><mo>→</mo></mover><mo>≤</mo><mi>θ</mi></math>",
         r"a $\vec{F} \leq \theta$"),
        ("a <math><munder><mi>x</mi><mo>_</mo></munder><mi>sin</mi><mi>Δ</mi></math>",
         r"a $\underline{x} \sin \Delta$"),
        ("a <math><msqrt><mi>b</mi><mo>−</mo><mi>c</mi></msqrt></math>", r"a $\sqrt{b - c}$"),
        ("a <math><mroot><mn>8</mn><mn>3</mn></mroot><mi>Α</mi></math>", r"a $\sqrt[3]{8} Α$"),
        ("a <math><mi>λ</mi><mi>φ</mi><mi>ϕ</mi><mi>ς</mi><mi>ο</mi><mo>$</mo></math>",
         r"a $\lambda \varphi \phi \varsigma ο \$$"),
        ("a <math><menclose notation=top><mi>x</mi></menclose><mtext>if so</mtext></math>",
         r"a $\overline{x} \text{if so}$"),
        ("a <math><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr>"
         "</mtable><mo>)</mo><mo>{</mo></math>",
         r"a $\begin{pmatrix}a & \\ b\end{pmatrix} \{$"),
        ("a <math><mfrac><mn>1</mn><msqrt><mi>x</mi></msqrt></mfrac><msubsup><mi>y</mi><mn>0</mn><mi>n</mi>"
         "</msubsup></math> b",
         r"a $\frac{1}{\sqrt{x}} y_{0}^{n}$ b"),
        ("a <math><mi mathvariant=bold>V</mi><mi mathvariant=normal>d</mi><mi mathvariant=bold>α</mi>"
         "<mi mathvariant=normal>∇</mi></math>",
         r"a $\mathbf{V} \mathrm{d} \boldsymbol{\alpha} \nabla$"),
        ("<math><mo>(</mo><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>"
         "<mfrac linethickness=0.0pt><mi>a</mi><mi>b</mi></mfrac></math>",
         r"$\binom{n}{k} \genfrac{}{}{0pt}{}{a}{b}$"),
        ("<math display=block><mtable columnalign='right left'><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>b</mi>"
         "</mtd></mtr><mtr><mtd></mtd><mtd><mo>=</mo><mi>c</mi></mtd></mtr></mtable></math>",
         r"$$\begin{aligned} a & = b \\ & = c \end{aligned}$$"),
        ("<math display=block><mtable><mlabeledtr><mtd><mtext>(3)</mtext></mtd><mtd><mi>a</mi></mtd></mlabeledtr>"
         "</mtable></math>",
         r"$$a \tag{3}$$"),
        ("<math><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mrow><mo stretchy=false>(</mo><mi>b</mi><mo>)</mo></mrow>"
         "</math>",
         r"$\left( a \right) ( b )$"),
    ],
)  # fmt: skip
def test_formulas_are_written_once(html, expected):
    assert text(f"<p>{html}</p>") == expected


PAGE = (
    "<p>A <a href='../x?y'>link</a>, <a href='javascript:z'>none</a> <img data-src=/i.png alt='An  image'></p>"
    "<table><tr><td>a<td>b|c</table>"
)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("links", "none", "A link, none\n\na\tb|c"),
        ("links", "inline", "A link (http://e.org/x?y), none\n\na\tb|c"),
        ("links", "reference", "A link[1], none\n\na\tb|c\n\n[1] http://e.org/x?y"),
        ("images", "alt", "A link, none An image\n\na\tb|c"),
        ("images", "inline", "A link, none ![An  image](http://e.org/i.png)\n\na\tb|c".replace("  ", " ")),
        ("tables", "none", "A link, none"),
        ("tables", "markdown", "A link, none\n\n| a | b\\|c |\n| --- | --- |"),
    ],
)
def test_options(option, value, expected):
    assert text(PAGE, **{option: value}) == expected


def test_unknown_values_are_refused():
    for name, choices in CHOICES.items():
        with pytest.raises(UserError, match=f"{name} cannot be 'some' .choose from {choices[0]}"):
            extract("<p>x", **{name: "some"})


LINES = (
    "<h1>A title</h1> <p>Some words of <b>a long</b> paragraph, and <a href=x>a link</a> too.</p> <ul> <li>one item "
    "</li> <li> <p>two items</p> </li> </ul> <table> <tr> <th>a b</th> <th>c</th> </tr> <tr> <td> d </td> <td>e f"
    "</td> </tr> </table> <dl> <dt>x y</dt> <dd>z z</dd> </dl>"
)


@given(st.integers(0, 2**32))
def test_line_breaks_in_the_source_change_nothing(seed):
    rng = random.Random(seed)
    wrapped = re.sub(r"(?<!<a) ", lambda _: rng.choice((" ", "\n", "  ", "\n\t ")), LINES)
    assert text(wrapped) == text(LINES)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre><xmp>\nif a<b & c<style>:\n  d</xmp></pre>", "if a<b & c<style>:\n  d"),
        ("<ul><p>a</p><li>b</ul><pre>c</pre>", "* a\n* b\n\nc"),
        ("<ul><li><table><tr><td>a</table>b</ul><pre>c</pre>", "* a\n  b\n\nc"),
        ("<dl><dt><a name=x></a><dd>a</dl><pre>b</pre>", "* \n  * a\n\nb"),
        # Code that speaks of line numbers has none.
        ("<pre><span>i = <b>1</b>; // lineno</span><br><span>j = <b>1</b></span><br><span>k</span></pre>",
         "i = 1; // lineno\nj = 1\nk"),
    ],
)  # fmt: skip
def test_lists_and_code_together(html, expected):
    assert text(html) == expected
