import pickle

import numpy as np
import pytest
import turbohtml

from detemplate.detectors.verdict import Verdict
from detemplate.errors import PageError
from detemplate.output.options import Rendering
from detemplate.output.result import Result
from detemplate.page.page import Page
from tests.support.helpers import texts

CYRILLIC = "<p>Привет, мир! Это страница на русском языке, и ничего больше.</p>"


def page(html, **arguments):
    return Page("http://e.org/d/p", html, **arguments)


# Kinds of markup.


@pytest.mark.parametrize(
    "charset", ["windows-1251", "koi8-r", "utf-8", "utf-16le", "UTF-16", "WINDOWS-1251", " utf-8 "]
)
def test_bytes_in_the_declared_encoding(charset):
    encoded = CYRILLIC.encode(charset.strip())
    assert texts(page(encoded, charset=charset)) == texts(page(CYRILLIC))


def test_meta_decides_where_the_transport_says_nothing():
    html = '<meta charset="koi8-r">' + CYRILLIC
    assert texts(page(html.encode("koi8-r"))) == texts(page(CYRILLIC))


def test_the_transport_outranks_meta():
    html = '<meta charset="koi8-r">' + CYRILLIC
    assert texts(page(html.encode("windows-1251"), charset="windows-1251")) == texts(page(CYRILLIC))


def test_a_byte_order_mark_outranks_both():
    encoded = b"\xef\xbb\xbf" + ('<meta charset="koi8-r">' + CYRILLIC).encode()
    assert texts(page(encoded, charset="windows-1251")) == texts(page(CYRILLIC))
    for mark, charset in ((b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be")):
        assert texts(page(mark + CYRILLIC.encode(charset))) == texts(page(CYRILLIC))


def test_sniffing():
    assert texts(page(CYRILLIC.encode())) == texts(page(CYRILLIC))
    assert texts(page(CYRILLIC.encode("windows-1251"))) == texts(page(CYRILLIC))
    assert texts(page("<p>café — naïve “quotes”".encode("windows-1252"))) == ["café — naïve “quotes”"]


@pytest.mark.parametrize(
    ("text", "charset", "meta"),
    [
        ("Größe 漢字", "iso-8859-1", ""),
        ("Größe", "windows-1252", ' charset="utf-8"'),
        ("Ёлка", None, ' charset="koi8-r"'),
        ("“Größe”", None, ' http-equiv="content-type" content="text/html; charset=us-ascii"'),
    ],
)
def test_utf_8_is_utf_8_whatever_single_byte_encoding_is_declared(text, charset, meta):
    read = page(f"<meta{meta}><p>{text}ä".encode()[:-1], charset=charset)  # its last character is cut
    assert texts(read)[0].startswith(text)
    assert read.recoded
    assert pickle.loads(pickle.dumps(read)).recoded


@pytest.mark.parametrize(
    ("html", "charset", "text"),
    [
        ("<p>Größe".encode("latin-1"), "iso-8859-1", "Größe"),
        (b"<p>plain", "koi8-r", "plain"),
        ("<p>矛盾".encode("gbk"), "gbk", "矛盾"),
        ("<p>盲".encode("gbk"), "gbk", "盲"),  # in UTF-8, the same bytes are "ä"
    ],
)
def test_other_bytes_are_read_as_declared(html, charset, text):
    read = page(html, charset=charset)
    assert texts(read) == [text]
    assert not read.recoded


@pytest.mark.parametrize(
    "charset", ["none", "", "utf-9", "x" * 1000, "é", "\x00", "\ud800", "idna", "rot13", "zlib"]
)
def test_an_unknown_encoding_is_as_good_as_none(charset):
    assert texts(page(CYRILLIC.encode(), charset=charset)) == texts(page(CYRILLIC))


def test_lone_surrogates_are_replaced():
    broken = page("<p title='\udfff'>a\ud800b &amp; \U0001f600</p>")
    assert texts(broken) == ["a\ufffdb & \U0001f600"]
    assert broken.source == "<p title='\ufffd'>a\ufffdb &amp; \U0001f600</p>"
    assert "\ufffd".encode() in broken.canonical


@pytest.mark.parametrize("html", ["", " ", "\n\t\r\f ", b"", b" \n", "\u3000\xa0"])
def test_nothing_but_white_space_is_no_page(html):
    with pytest.raises(PageError) as caught:
        page(html)
    assert caught.value.reason == "empty"


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\n...", b"\x89PNG\r\n\x1a\n", b"GIF89a..", b"\xff\xd8\xff\xe0", b"PK\x03\x04...", b"\x1f\x8b\x08", b"\x00asm",
        b"\x7fELF\x02", b"\x00" * 50, b"ab\x00\x00cd" * 9, b"<p>" + b"\x00" * 4000,
    ],
)  # fmt: skip
def test_what_is_no_markup_is_no_page(data):
    with pytest.raises(PageError) as caught:
        page(data)
    assert caught.value.reason == "binary"


def test_a_few_nuls_are_no_harm():
    assert texts(page(b"<p>" + b"a\x00b " * 3 + b"word " * 100))[0].startswith("ab ab ab word")


def test_other_types_are_errors():
    for wrong in (None, 1, bytearray(b"<p>")):
        with pytest.raises(TypeError, match="html must be str or bytes"):
            page(wrong)


def test_a_page_without_text():
    silent = page("<img src=x><script>1</script><style>a</style><!-- c --><p> &nbsp; \u200b</p>")
    assert (
        len(silent.segments)
        == len(silent.segment_keys)
        == len(silent.segment_chars)
        == len(silent.blocks)
        == 0
    )
    assert silent.title == ""


def test_plaintext_and_scripts_that_never_end():
    assert texts(page("<p>a</p><plaintext><p>b</plaintext>")) == ["a", "<p>b</plaintext>"]
    assert texts(page("<p>a</p><script><!-- <script>")) == ["a"]


# Title, segments, blocks.


def test_site():
    assert Page("http://E.org:80/x", "<p>").site == "e.org"
    assert Page("http://E.org:80/x", "<p>", site="S").site == "S"
    assert Page("file:///a/b", "<p>").site == "file:"
    assert Page("", "<p>").site == ""
    assert Page("http://[broken/x", "<p>").site == "[broken"


def test_title():
    assert page("<title> a &amp;  b\n</title><svg><title>no</title></svg>").title == "a & b"
    assert page("<svg><title>no</title></svg><p>x").title == ""
    assert page("<title>\u3042 &lt;b&gt;</title><title>second</title>").title == "\u3042 <b>"
    assert page("<p>x").title == ""


def test_text_of_segments():
    html = (
        "<p> a &amp;  b\n\t&lt;c&gt; \xa0 &copy;&nbsp;&amp;nbsp; </p><xmp> x &amp;  y </xmp><xmp><i> z</xmp>"
    )
    assert texts(page(html)) == ["a & b <c> \xa0 ©\xa0&nbsp;", "x &amp; y", "<i> z"]
    assert page(html).segment_chars.tolist() == [len(text) for text in texts(page(html))]


def test_what_is_never_a_segment():
    html = (
        "<head><title>t</title><style>s</style></head><body><script>s</script><noscript>n<p>n</p></noscript>"
        "<template>t<p>t</template><datalist><option>d</datalist><noframes>n</noframes><noembed>n</noembed><!-- c -->"
        "<svg><style>s</style><script>s</script></svg><ruby>yes<rp>(</rp><rt>too</ruby>"
        "<video>v<p>v<a href=/f>v</a></video><audio>a</audio><canvas>c<b>c</b></canvas><textarea>t &amp; t</textarea>"
        "<object>o<object>o</object><embed></object><iframe>i <b>i</b></iframe>"
    )
    assert texts(page(html)) == ["yes", "too"]


def test_identity_of_segments():
    def keys(html):
        return page(html).segment_keys.tolist()

    (same,) = keys("<div><p>two words</p></div>")
    assert keys("<div class=x id=y><p>\n two \t words&#32;</p></div>") == [same]
    assert keys("<div><img><p>two<!-- c --> words</p></div>") != [same]
    for other in ("<div>two words</div>", "<p>two words</p>", "<section><p>two words</p></section>"):
        assert keys(other) != [same]
    for other in ("two word", "Two words", "twowords", "two\xa0words"):
        assert keys(f"<div><p>{other}</p></div>") != [same]
    # Wherever it stands among its siblings.
    assert keys("<div><p>a</p><p>two words</p></div>")[1] == same
    assert keys("<div><p>&lt;i&gt;</p></div>") != keys("<div><p><i>&gt;</i></p></div>")


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("a<b>b</b><i>c<u>d</u></i> <a>e</a><span>f</span>", [0, 0, 0, 0, 0, 0]),
        ("a<br>b<img>c<wbr>d<input>e", [0, 0, 0, 0, 0]),
        ("a<div>b</div>c", [0, 1, 2]),
        ("a<hr>b<p>c<p>d", [0, 1, 2, 3]),
        ("<div><div></div><p></p><div>a</div></div><hr><hr>b", [0, 1]),
        ("<table><tr><td>a<td>b<tr><td>c</table>d", [0, 1, 2, 3]),
        ("<ul><li>a <b>b</b><li>c<ul><li>d</ul>e</ul>", [0, 0, 1, 2, 3]),
        ("a<svg><a>b</a><p></svg>c<script>s</script>d", [0, 0, 1, 1]),
        ("<h1>a</h1>b<nav>c</nav><section>d<article>e</article></section>", [0, 1, 2, 3, 4]),
        ("<form>a<select><option>b<option>c</select>d</form>", [0, 1, 2, 3]),
        ("<pre>a\nb<code>c</code></pre>", [0, 0]),
        ("<dl><dt>a<dd>b<dt>c</dl><blockquote>d<center>e</center></blockquote>", [0, 1, 2, 3, 4]),
    ],
)
def test_blocks(html, blocks):
    assert page(html).blocks.tolist() == blocks


SEPARATING = (
    "div p ul ol li dl dt dd hr h1 h2 h3 h4 h5 h6 section article nav header footer aside form "
    "main address pre blockquote center fieldset legend figure figcaption details summary "
    "dialog dir menu listing xmp search hgroup table"
)


@pytest.mark.parametrize("tag", SEPARATING.split())
def test_elements_that_separate_blocks(tag):
    """Text before, inside and after; a table puts its foster-parented content before itself."""
    separated = page(f"<body>a<{tag}>b</{tag}>c")
    assert len(set(separated.blocks.tolist())) == len(separated.segments) >= 2, separated.canonical


INLINE = "a abbr b bdi button cite code em font i label mark q s small span sub tt u x-y"


@pytest.mark.parametrize("tag", INLINE.split())
def test_elements_that_do_not_separate_blocks(tag):
    assert page(f"<body>a<{tag}>b</{tag}>c").blocks.tolist() == [0, 0, 0]


def test_the_document_is_kept_only_on_request():
    assert page("<p>x").document is None
    kept = page("<p>x", keep_document=True)
    assert kept.document.serialize().encode() == kept.canonical == page("<p>x").canonical
    assert repr(kept) == "Page('http://e.org/d/p', 47 bytes, 1 segments)"


# Pages whose text is in noscript.

LONG = "The answer goes on and on, as answers do, " * 6 + "and then it ends."
FORUM = (
    "<!DOCTYPE html><html><head><title>A forum</title><noscript><style>p {}</style></noscript></head><body>"
    "<section id=main></section><noscript data-path='/t/1'><header><a href='/'>Forum</a></header>"
    "<div class=topic><p>Question of the first &amp; only one</p><p>Answer, with a <b>word</b></p><p>"
    + LONG
    + "</p></div>"
    "<footer>Powered by software</footer></noscript><script>start()</script></body></html>"
)
TEXTS = ["Forum", "Question of the first & only one", "Answer, with a", "word", LONG, "Powered by software"]


def rendered(given):
    nothing = Verdict(np.zeros(len(given.segments), np.float32))
    return Result(given, nothing, "test", Rendering(keep_scripts=True))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    "html",
    [
        FORUM,
        FORUM.encode(),
        FORUM.replace("noscript", "NOSCRIPT"),
        FORUM.replace("noscript", "NoScript").encode(),
        FORUM.replace("</noscript>", "</noscript\n>"),
        FORUM.replace("<noscript data-path='/t/1'>", "<noscript>"),
    ],
    ids=["str", "bytes", "upper", "mixed bytes", "white space", "plain"],
)
def test_pages_with_their_text_in_noscript(html, keep):
    forum = page(html, keep_document=keep)
    assert texts(forum) == TEXTS
    assert forum.title == "A forum"
    assert b"<noscript" not in forum.canonical
    assert b'<div class="topic">' in forum.canonical
    if keep:
        assert forum.document.serialize().encode() == forum.canonical
    result = rendered(forum)
    assert all(said in result.text for said in ("Question of the first & only one", "Powered by software"))
    assert all(said in result.markdown for said in ("Question of the first & only one", "**word**"))
    assert result.html.encode() == forum.canonical


def test_noscript_pages_with_a_notice_before_the_title():
    """As a ``div`` the notice ends the head."""
    forum = page(FORUM.replace("<title>", "<noscript><link rel=x></noscript><title>"))
    assert forum.title == "A forum"
    assert texts(forum) == TEXTS


def test_notices_stay_notices():
    html = "<p>The page says what it says.</p><noscript><p>Please switch on scripts.</p></noscript>"
    for given in (html, html.encode(), html.replace("noscript", "NOSCRIPT")):
        usual = page(given)
        assert texts(usual) == ["The page says what it says."]
        assert usual.source == given
        assert usual.canonical == turbohtml.parse(html).serialize().encode()
        assert b"<noscript>" in usual.canonical


def test_a_notice_alone_is_no_page():
    given = page("<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>")
    assert not texts(given)


@pytest.mark.parametrize(("hidden", "shown"), [(400, False), (401, True), (800, True), (399, False)])
def test_noscript_with_more_than_twice_the_visible_text(hidden, shown):
    given = page(f"<body><p>{'s' * 200}</p><noscript>{'h' * hidden}</noscript>")
    assert (("h" * hidden) in texts(given)) is shown
    several = page(
        f"<body><p>{'s' * 200}</p>" + "".join(f"<noscript>{letter}</noscript>" for letter in "h" * hidden)
    )
    assert (len(several.segments) > 1) is shown


@pytest.mark.parametrize(
    "html",
    [
        "<noscript>",
        "<noscript><p>never closed",
        "<noscript><noscript><p>one in another</noscript></noscript>x",
        "<noscript><p>a</noscript></noscript></noscript>",
        "</noscript><p>x",
        "<noscript" + " a" * 1000 + ">words and more of them",
        "<noscript/>some words</noscript/>",
        "<table><noscript><tr><td>words in a table</noscript></table>",
        "<head><noscript><p>out of the head</noscript></head>",
        "<select><noscript><option>words of an option</noscript></select>",
        "<svg><noscript>words in a picture</noscript></svg>",
        "<textarea><noscript>words to be changed</noscript></textarea>",
        "<script>'<noscript>words</noscript>'</script>",
        "<!-- <noscript>words</noscript> -->",
        "<template><noscript>words</noscript></template>",
        "<noscript>\ud800 half of a pair</noscript>",
        "<noscript>" * 20_000 + "x",
        "<noscript>x</noscript>" * 20_000,
    ],
    ids=range(18),
)
def test_broken_noscript_elements(html):
    given = page(html)
    for text in texts(given):
        assert text
    rendered(given).html  # noqa: B018
    if "\ud800" not in html:
        assert texts(page(html.encode())) == texts(given)


def test_segments_inside_a_row():
    page = Page("", "<body>a<div>b<p>c</p><img></div>d<hr>")
    inside = {
        page.canonical[start : start + 4]: [page.segment_text(number) for number in page.segments_in(row)]
        for row, start in enumerate(page.columns.start.tolist())
    }
    assert inside[b"<bod"] == ["a", "b", "c", "d"]
    assert inside[b"<div"] == ["b", "c"]
    assert inside[b"<p>c"] == ["c"]
    assert inside[b"<img"] == inside[b"<hr>"] == []
