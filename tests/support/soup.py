"""Markup that is hard to parse and to serialise: cases by hand, and a Hypothesis strategy."""

from typing import Any, Final

from hypothesis import strategies as st

from detemplate.errors import PageError
from detemplate.page.page import Page

HARD: Final[tuple[str, ...]] = (
    "<p>a</p><div><plaintext>",
    "",
    " \n\t",
    "x",
    "<!DOCTYPE html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><p>x',
    "<!doctype svg:x><!-- before --><html><!-- in --><head></head><body>x</body></html><!-- after -->tail",
    "<p>one<p>two<div>three</p>four</div></p>five",
    "<b><p>one</b>two</p><i><div>a</i>b</div>",
    "<a href=1>a<a href=2>b</a>c</a>",
    "<table>foster<tr><td>x<table><caption>c<td>y</table>z",
    "<table><tr><td><form><input><form>x</table><form>y",
    "<select><option>a<optgroup><option>b<select>c<input>d",
    "<pre>\n\nx</pre><listing>\ny</listing><textarea>\n\n<b>&amp;</textarea>",
    "<pre>\n</pre><pre>\n\n</pre><pre><b>\nx</b></pre><pre><!--c-->\nx</pre><pre>\r\n\ty</pre>",
    "<script>if (a < b && c > d) '</p>'</script><style>a > b { content: '<' }</style>x",
    "<script><!-- <script> </script> --></script>x<script><!-- --> </script>y",
    "<script><!--></script>x<script><!-- <script></script>--></script>z<script><!---></script>q",
    "<script><!-- <SCRIPT > </Script > --> </script>after<script></script ></script>",
    "<script><!-- <script",
    "<script><!-- <script>",
    "a<script><!-- <SCRIPT/ -- x",
    "a<script><!-- <script> </script>",
    "<noscript><p>no <b>script</p></noscript><noframes><p>x</noframes><noembed><b>y</noembed>",
    "<head><noscript><link><style>a</style></noscript><title>a&lt;b</title><base href=x></head>",
    "<iframe><p>&amp; a  b \n</iframe><xmp> <b>a&amp;</b> </xmp><iframe>\xa0</iframe>",
    "a<plaintext><b>x</plaintext>",
    '<p>a<bf="c>b<i=\'"d"="e>f</i=\'"d"="e><x=">g',
    "<title>a<b></title><textarea>t</textarea></textarea>",
    "<template><tr><td>x</td></tr><template>y</template></template>z",
    "<div><template shadowrootmode=open><p>shadow</p><slot></slot></template>light</div>",
    "<svg><title>t<p>u</title><desc>d</desc><foreignObject><p>f<svg><a>g</svg></foreignObject><style>s<b></svg>",
    "<svg><script>a<b>c</script><style>x</style><br>y",
    "<svg viewbox='0 0 1 1' xlink:href=a xml:lang=b definitionURL=c><lineargradient/><path d='M0'/></svg>",
    "<math><mi>a<b>c</b><mglyph>d</mglyph><malignmark/></mi><annotation-xml><svg><p>e</svg></annotation-xml>",
    '<math><annotation-xml encoding="text/html"><p>a<svg>b</svg></annotation-xml></math>c',
    '<math><annotation-xml encoding="Application/XHTML+xml"><div>a</div></annotation-xml></math>',
    '<math><annotation-xml encoding=" text/html"><mi>a<p>b</mi></annotation-xml></math>',
    '<math><annotation-xml x="encoding=" encoding="text/html5"><svg>a</svg></annotation-xml></math>',
    "<math><mtext><math><mi>x</mi></math><svg><a>y</a></svg><table><tr><td>z</table></mtext><mi/></math>",
    "<math><mi><script>a<b</script><title>u</title></mi><title>t</title><script>x</script></math>",
    "<svg><![CDATA[a<b]]>c</svg><![CDATA[comment]]>d<math><mi><![CDATA[e]]></mi><![CDATA[ ]]></math>",
    "<?php echo 1 ?>x<?xml version='1.0'?>y<!ELEMENT z><!>v</!w><//q>",
    "<!-- a --!> b<!-->c<!--->d<!-- e -- f -->g<!-- h --->i<!--<!-->j",
    '<p a=1 A=2 b=\'"\' c="\'<>&amp;" d== =e "=f <=g h/ i / j=/>k',
    "<p title='&nbsp;\xa0&lt;&quot;&notit;&#0;&#x80;'>&nbsp;&nbsp;a&shy;&zwj;&copy &AMP &amp;nbsp; &lt;b&gt;",
    "<p>\xa0</p><p>&nbsp; &nbsp;</p><p>\u200b</p><p>\ufeff\u2060</p><p>\u3000\u2003</p><p>\u200e\u200f\u2010</p>",
    "<p>\u00c2\xa0b<p>\u2007a\u202f<p>\u205f<p>\u2028</p><p>\x85</p><p>\u180e</p><p>\u00ad</p>",
    "<p>漢字 かな\n\t漢字</p><p>😀 é ü\u0301</p><p>العربية  עברית</p>",
    "<p>a\tb\fc\rd\r\ne  f \n g</p><p> lead</p><p>trail </p><p>a b</p><p>12345678  1</p><p>1234567  8</p>",
    "<p>1234567 8 1234567 9</p><p>12345678 </p><p> 12345678</p><p>1234567&8</p><p>123456\x1f8</p>",
    "<body><frameset><frame></frameset>",
    "<frameset cols=1><frame src=a><noframes><p>x</p></noframes></frameset>y",
    "<html lang=a><head id=b><body class=c><html x=y><body z=w>t</html>u<head>v",
    "<ul><li>a<li>b<ul><li>c</ul><dl><dt>d<dd>e<dt>f</ul><ruby>a<rb>b<rt>c<rp>(<rtc>d</ruby>",
    "<button>a<button>b</button><nobr>c<nobr>d<marquee>e</b></marquee><applet><object>f</applet>",
    "<x-y:z é=1><ünï>a</ünï></x-y:z><a\x0bb>c<table><x>d</table>",
    "<area><base><br><col><embed><hr><img><input><keygen>e<link><meta><param><source><track><wbr>a<image>b",
    "<option>a<optgroup label=b>c<datalist><option>d</datalist><details><summary>e</details><dialog open>f",
    "</p></br></div></table></body></html></p>",
    "a\x00b<p\x00c d\x00=e\x00>f<!--\x00--><script>\x00</script><svg>\x00g</svg>",
    "<h1>a<h2>b</h1>c</h3><center>d<form>e</center>f</form>",
    "<colgroup><table><colgroup><col><template>a</template>b<thead><tfoot><tbody><tr>c<th>d</table>",
    "<a><table><td><a>x</table>y<b><table><tr><i>z</table>",
    "<p><table>x</table>y",
    "<video>v<p>w<a href=x>y</video><audio>a<object>o<p>p</object></audio><canvas>c<script>s</script>&amp;</canvas>z",
    "<object>a<div>b<object><param>c</div>d<table><canvas>e<tr><td>f<textarea>\n\n g</textarea></canvas>h",
    "<svg><video>v</video><iframe>i</iframe><foreignObject><object>o<svg>p</svg></object>q</foreignObject></svg>r",
    "<p>a<iframe src=x/><p>b</p><iframe> </iframe>c<textarea/>d<p>e",
    "<basefont><bgsound>a<rb>b<tt>c<big>d<strike>e<font color=x>f<p>g</font>h",
)
"""Each of these tests a rule of the parser, of the serialisation or of the columns."""

REFUSED: Final[tuple[str, ...]] = (
    "a<plaintext><b>x</plaintext>",
    "<p>a</p><div><plaintext>",
    "<script><!-- <script>",
    "a<script><!-- <SCRIPT/ -- x",
)
"""Markup whose serialisation cannot be read back, because an end tag is missing or is text."""

_TAGS: Final = [
    "p", "div", "span", "b", "i", "a", "h1", "ul", "li", "table", "tr", "td", "th", "tbody", "caption",
    "colgroup", "col", "form", "button", "select", "option", "optgroup", "textarea", "pre", "listing",
    "template", "noscript", "noframes", "noembed", "iframe", "object", "video", "canvas", "xmp", "script",
    "style", "title", "svg", "math", "foreignObject", "desc", "mi", "mtext", "annotation-xml", "mglyph",
    "malignmark", "br", "hr", "img", "input", "body", "head", "html", "nobr", "dl", "dd", "dt", "ruby",
    "rp", "rt", "center", "details", "summary", "section", "nav", "x-y", "ünï", "font", "em", "datalist",
    "plaintext", "frameset", "frame",
]  # fmt: skip
_SCRIPT: Final = (
    "<!--", "-->", "<script>", "</script>", "<SCRIPT ", "</Script/", "--", ">", "<", "x", "<!--->",
)  # fmt: skip
_ATTRIBUTES: Final = (
    "a=1", "class='x y'", 'title="&quot;\'<>"', "b", "=c", "é=ü", "x:y=z", "encoding=text/html",
    'encoding="application/xhtml+xml"', "encoding='text/htm'", "href=/a?b&c=d", '"=e', "type=hidden", "shadowrootmode=open",
    "t='\xa0&nbsp;'", "color=red",
)  # fmt: skip
_TEXTS: Final = (
    "word", " ", "\n", "\t \r\n", "two words", "\xa0", "&nbsp;", "&amp;", "&lt;b&gt;", "&#0;", "&notit;", "a  b",
    "漢字", "\u200b", "\ufeff", "\u3000", "é", "😀", "\x00", "\x0c", "1234567 89", " lead", "trail ", "&", "<", ">",
)  # fmt: skip
_ODD: Final = (
    "<!-- c -->", "<!-->", "<!--->", "<!-- a --!>", "<!---- -->", "<!DOCTYPE html>", "<?php x ?>", "<?>", "<!x>",
    "</>", "<![CDATA[a<b]]>", "<![CDATA[", "]]>", "<!--", "-->", "</",
)  # fmt: skip


def _start(parts: tuple[str, list[str], bool]) -> str:
    tag, attributes, closed = parts
    return f"<{' '.join([tag, *attributes])}{'/' if closed else ''}>"


_starts = st.tuples(
    st.sampled_from(_TAGS),
    st.lists(st.sampled_from(_ATTRIBUTES), max_size=2),
    st.integers(0, 9).map(lambda n: n == 0),
).map(_start)
_ends = st.sampled_from(_TAGS).map(lambda tag: f"</{tag}>")
_scripts = st.lists(st.sampled_from(_SCRIPT), max_size=6).map(
    lambda parts: f"<script>{''.join(parts)}</script>"
)
_pieces = st.one_of(
    _starts, _starts, _starts, _ends, _ends, st.sampled_from(_TEXTS), st.sampled_from(_TEXTS), st.sampled_from(_ODD),
    _scripts, st.text(max_size=6),
)  # fmt: skip

soups: Final = st.lists(_pieces, max_size=30).map("".join)
"""Tag soup: random pieces of markup in random order."""


def parsed(html: str, url: str = "http://e.org/", **given: Any) -> Page | None:
    """Return a page; None where the markup is none."""
    try:
        return Page(url, html, **given)
    except PageError:
        return None
