"""Cleaned HTML: no scripts, no empty shells, nothing that was not in the page."""

import json
import pickle
import random
import re
from collections import Counter

import numpy as np
import pytest
import turbohtml
from hypothesis import assume, example, given, strategies as st

import detemplate
from detemplate.detectors.verdict import Verdict
from detemplate.errors import UserError
from detemplate.output.options import Rendering
from detemplate.output.result import Result
from detemplate.page.page import Page
from tests.support.helpers import load_pages, texts
from tests.support.soup import HARD, parsed, soups

URLS = [
    "href", "src", "action", "formaction", "data", "xlink:href", "to", "from", "values", "background",
    "poster",
]  # fmt: skip


def cleaned(html, *removed, keep_scripts=False):
    """Remove the segments with these texts; give what is in the body."""
    page = html if isinstance(html, Page) else Page("http://e.org/", html)
    mask = [text in removed for text in texts(page)]
    return Result(
        page, Verdict(np.array(mask, np.float32)), "test", Rendering(keep_scripts=keep_scripts)
    ).html


def body(html, *removed, keep_scripts=False):
    whole = cleaned(html, *removed, keep_scripts=keep_scripts)
    return whole.partition("<body>")[2].removesuffix("</body></html>")


def head(html, *removed, keep_scripts=False):
    return cleaned(html, *removed, keep_scripts=keep_scripts).partition("<head>")[2].partition("</head>")[0]


# Scripts, style sheets and handlers.


@pytest.mark.parametrize(
    "markup",
    [
        "<script>track()</script>",
        '<script type="module" src="a.js"></script>',
        '<script type="application/json">{"page": {}}</script>',
        '<script data-type="x" title=" type=" src="application/ld+json"></script>',
        '<script id="t" type="text/x-handlebars-template"><p>{{name}}</p></script>',
        "<style>p { color: red }</style>",
        '<link rel="stylesheet" href="a.css">',
        '<link href="a.css" type="text/css" rel="alternate StyleSheet" title="x">',
        '<link rel="preload" as="script" href="a.js">',
        '<link rel="modulepreload" href="a.js">',
        "<!--[if lt IE 9]><script src=a.js></script><![endif]-->",
    ],
)
def test_code_goes_unless_it_is_to_be_kept(markup):
    for html in (f"<head>{markup}</head><p>x", f"<body><p>x</p>{markup}"):
        assert markup.replace("=a.js", "") not in cleaned(html).replace("=a.js", "")
        assert cleaned(html) == cleaned(html.replace(markup, ""))
        assert cleaned(html, keep_scripts=True) == turbohtml.parse(html).serialize()


@pytest.mark.parametrize(
    "markup",
    [
        '<script type="application/ld+json">{"@type": "Recipe"}</script>',
        '<script async="" type=" Application/LD+JSON; charset=utf-8">{}</script>',
        '<script type="math/tex; mode=display">x^2</script>',
        '<link rel="canonical" href="https://e.org/">',
        '<link rel="alternate" hreflang="fr" href="/fr">',
        '<link title=" rel=" href="stylesheet">',
        '<meta property="og:title" content="javascript: the good parts">',
        "<!-- a remark -->",
    ],
)
def test_data_and_metadata_stay(markup):
    assert head(f"<head>{markup}</head><p>x") == markup


@pytest.mark.parametrize(
    ("markup", "after"),
    [
        ('<p onclick="go()">x</p>', "<p>x</p>"),
        ("<p id=a ONCLICK=go() class=b onfocus>x</p>", '<p id="a" class="b">x</p>'),
        ('<p title=" onclick=" lang="en">x</p>', '<p title=" onclick=" lang="en">x</p>'),
        ('<p title="turn on=" on="1">x</p>', '<p title="turn on=" on="1">x</p>'),
        ('<p>say onclick="go()"</p>', '<p>say onclick="go()"</p>'),
        ('<a href="javascript:go()">x</a>', "<a>x</a>"),
        ('<a href=" \x01Java&#10;Script&colon;go()">x</a>', "<a>x</a>"),
        ('<a href="jav\tascript\n:go()">x</a>', "<a>x</a>"),
        ('<a href="vbscript:go()">x</a>', "<a>x</a>"),
        ('<a href="/javascript:go()">x</a>', '<a href="/javascript:go()">x</a>'),
        ('<a href="javascript.html">x</a>', '<a href="javascript.html">x</a>'),
        ('<a title="JavaScript: why">x</a>', '<a title="JavaScript: why">x</a>'),
        ('<form action="javascript:a()"><button formaction="JAVASCRIPT:b()">x</button></form>',
         "<form><button>x</button></form>"),
        ('<svg><a xlink:href="javascript:go()">x</a></svg>', "<svg><a>x</a></svg>"),
        ('<svg><a><animate attributeName="href" to="javascript:go()" dur="1"></animate>x</a></svg>',
         '<svg><a><animate dur="1"></animate>x</a></svg>'),
        ('<iframe srcdoc="&lt;script&gt;go()&lt;/script&gt;" src="a"></iframe>', '<iframe src="a"></iframe>'),
        ('<iframe src="data:text/html,&lt;p&gt;y" name="b"></iframe>', '<iframe name="b"></iframe>'),
        ('<img src="data:image/png;base64,AA">', '<img src="data:image/png;base64,AA">'),
        ('<p style="display:none">x</p>', '<p style="display:none">x</p>'),
        ('<pre onclick="go()">\n\nx</pre>', "<pre>\n\nx</pre>"),
    ],
)  # fmt: skip
def test_handlers_and_urls_that_are_scripts_go(markup, after):
    assert body(markup) == after
    assert cleaned(markup, keep_scripts=True) == turbohtml.parse(markup).serialize()


def test_handlers_of_what_never_goes_as_a_whole():
    html = '<html onload="a()"><body onload="b()" class="c">x</body></html>'
    assert cleaned(html) == '<html><head></head><body class="c">x</body></html>'


IMAGE = "<img src=x onerror=go()>"


@pytest.mark.parametrize(
    "html",
    [
        # Readers with scripts end these earlier than a reader without.
        f"<noscript><!--</noscript>{IMAGE}--></noscript>",
        f"<noscript><xmp></noscript>{IMAGE}</xmp></noscript>",
        f"<noscript><iframe></noscript>{IMAGE}</iframe></noscript>",
        f"<noscript><noembed></noscript>{IMAGE}</noembed></noscript>",
        f"<noscript><script type=application/ld+json></noscript>{IMAGE}</script></noscript>",
        f"<noscript><script type=math/tex></noscript>{IMAGE}</script></noscript>",
        f'<noscript><p title="</noscript>{IMAGE}"></noscript>',
        # A second form inside of a form is none when it is read again: what it held changes its namespace.
        f"<form><math><mtext></form><form><mglyph><style></math>{IMAGE}</style></mglyph></form></mtext></math>",
        f"<form><math><mtext></form><form><mglyph><xmp></math>{IMAGE}</xmp></mglyph></form></mtext></math>",
        f"<form><math><mtext></form><form><mglyph><noframes></math>{IMAGE}</noframes>",
        f"<form><math><mtext></form><form><mglyph><script type=math/asciimath></math>{IMAGE}</script>",
        f"<svg><title><!--</title>{IMAGE}--></title></svg>",
        f"<select><xmp></select>{IMAGE}</xmp></select>",
        f"<p><plaintext>{IMAGE}",
        # Documents in addresses.
        '<iframe src=" data: text/html,<script>go()</script>"></iframe>',
        '<iframe src="da\nta:text/html;base64,AA"></iframe>',
        '<embed src="data:image/svg+xml,<svg onload=go()>">',
        '<object data="data:application/rss+xml,<a>"></object>',
        '<object data="x"><param name=src value="data:text/xsl,<a>"></object>',
        '<svg><use href="data:image/svg+xml,<svg>"/></svg>',
        '<a href="data:text/xml,<a>">x</a>',
        '<frameset><frame src="data:application/xhtml+xml,<a>"></frameset>',
        '<meta http-equiv=Refresh content="0; URL=\'javascript:go()">',
        '<meta http-equiv=" refresh " content="1,data:text/html,<a>">',
    ],
)
def test_no_reader_of_the_html_runs_any_of_it(html):
    for page in (f"<head></head>{html}", f"<p>x</p>{html}<p>y</p>"):
        inert(cleaned(page))


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="data:image/svg+xml,%3Csvg/%3E">',
        '<a href="data:text/csv;charset=utf-8,1,2">x</a>',
        '<a href="data:,x">x</a>',
        '<meta http-equiv="refresh" content="0; url=/next">',
        '<param name="data:text/html" value="1">',
        '<script type="math/tex">a < b, a<3</script>',
        '<script type="application/ld+json">{"a": "1<2 \\u003cb>"}</script>',
        "<noscript><p>x</p></noscript>",
        '<iframe src="a">none</iframe>',
    ],
)
def test_what_runs_nothing_stays(markup):
    assert markup in cleaned(f"<p>x</p>{markup}<p>y</p>")


def test_tags_in_data_are_written_so_that_they_are_none():
    data = '<!-- {"a": "<b>\\\\<i>", "b": "<3"} -->'
    html = cleaned(f"<script type=application/ld+json>{data}</script><script type=math/tex>a<b</script>x")
    found = turbohtml.parse(html).select("script")
    assert json.loads(found[0].text) == {"a": "<b>\\<i>", "b": "<3"}
    assert found[1].text == "a< b"
    assert "math/mml" not in cleaned("<script type=math/mml><math><mi>x</mi></math></script>x")


@pytest.mark.parametrize(
    ("html", "after"),
    [
        ("<div><script>a</script></div><p>x</p>", "<p>x</p>"),
        ("<div> <!-- ad --> <section><style>a</style>\n</section></div><p>x</p>", "<p>x</p>"),
        ("<div><p>gone</p><script>a</script></div><p>x</p>", "<p>x</p>"),
        ("<ul><li>x</li><li><script>a</script></li></ul>", "<ul><li>x</li></ul>"),
        ("<div><img src=a><script>a</script></div>x", '<div><img src="a"></div>x'),
        ("<div><input><script>a</script></div>x", "<div><input></div>x"),
        ("<div><i class=icon></i><script>a</script></div>x", '<div><i class="icon"></i></div>x'),
        ("<a href=#ads>x</a><div id=ads><script>a</script></div>",
         '<a href="#ads">x</a><div id="ads"></div>'),
        ("<a href=#a>x</a><div id=ads><script>a</script></div>", '<a href="#a">x</a>'),
        ("<div></div><br><hr><p></p>x", "<div></div><br><hr><p></p>x"),
        ("<table><tr><td>x</td><td><script>a</script></td></tr></table>",
         "<table><tbody><tr><td>x</td><td></td></tr></tbody></table>"),
        ("<svg><defs><style>a</style></defs></svg>x", "<svg></svg>x"),
        ("<canvas><script>a</script></canvas>x", "<canvas></canvas>x"),
    ],
)  # fmt: skip
def test_elements_that_lost_all_they_held_go(html, after):
    assert body(html, "gone") == after


def test_an_element_that_never_held_anything_stays_beside_what_goes():
    assert body("<main><div></div><p>gone</p><p>x</p></main>", "gone") == "<main><div></div><p>x</p></main>"


@pytest.mark.parametrize("keep_scripts", [False, True])
def test_the_base_stays(keep_scripts):
    html = "<head><base href=/a/></head><p>x"
    assert head(html, keep_scripts=keep_scripts) == '<base href="/a/">'
    misplaced = "<div><p>gone<base href=/a/></p><base href=/b/></div><p><a href=c>x</a>"
    after = '<base href="/a/"><p><a href="c">x</a></p>'
    assert body(misplaced, "gone", keep_scripts=keep_scripts) == after


def test_python_callers_keep_scripts_on_request():
    page = ("http://e.org/", "<h1>Rain</h1><p onclick=go()>It rained all day.<script>go()</script>")
    assert "script" not in detemplate.Cleaner().clean(page).html
    result = detemplate.Cleaner(keep_scripts=True).clean(page)
    assert "<script>go()</script>" in result.html
    assert "onclick" in result.html
    assert pickle.loads(pickle.dumps(result)).rendering.keep_scripts
    assert "onclick" in next(detemplate.clean([page], keep_scripts=True)).html
    assert "onclick" in detemplate.extract(page[1], format="html", keep_scripts=True)
    assert "onclick" not in detemplate.extract(page[1], format="html")
    with pytest.raises(UserError, match="only HTML has scripts to keep"):
        detemplate.extract(page[1], keep_scripts=True)


def test_sanitized_html_is_a_fragment_of_text():
    page = (
        "<title>T</title><h1 id=a class=b style=c>Rain</h1><form action=/x>It <b>rained</b> all day, and all night."
        "<input value=v></form><iframe src=/f></iframe><a href=/y>more</a> <a href='data:text/csv,1'>data</a>"
    )
    html = "<h1>Rain</h1>It <b>rained</b> all day, and all night."
    for fragment in (
        detemplate.extract(page, format="html", sanitize=True),
        detemplate.Cleaner(sanitize=True).clean(("u", page)).html,
        next(detemplate.clean([("u", page)], sanitize=True)).html,
    ):
        assert fragment == f'{html}<a href="/y" rel="noopener noreferrer">more</a> <a>data</a>'


# Any page.


def starts(document):
    """Count the elements of a document by tag and attributes without scripts."""
    return Counter(
        (element.tag, frozenset(attribute for attribute in attributes(element) if not is_script(*attribute)))
        for element in document.select("*")
    )


def attributes(element):
    return [
        (name, " ".join(value) if isinstance(value, list) else value or "")
        for name, value in element.attrs.items()
    ]


def is_script(name, value):
    bare = re.sub(r"[\x00-\x20]", "", value).lower()
    return (
        re.fullmatch(r"on[a-z0-9]+|srcdoc", name) is not None
        or (name.lower() == "attributename" and bare.endswith("href"))
        or (
            name in URLS
            and re.match(r"javascript:|vbscript:|data:[a-z]+/([a-z.-]*\+?xml|html|xsl)", bare) is not None
        )
    )


def empty(document):
    """Count the elements that hold nothing, or only white space and comments, by tag."""
    return Counter(
        element.tag
        for element in document.select("*")
        if not any(
            node.data.strip() if isinstance(node, turbohtml.Text) else not isinstance(node, turbohtml.Comment)
            for node in element.children
        )
    )


def code(document):
    """List the scripts and style sheets of a document, and what has an event handler."""
    scripts = [
        script
        for script in document.select("script")
        if not (script.attrs.get("type") or "").strip().lower().startswith(("application/ld+json", "math/"))
    ]
    handled = [
        element
        for element in document.select("*")
        for name, value in attributes(element)
        if is_script(name, value) and not (element.tag == "img" and value.strip().startswith("data:image/"))
    ]
    loading = [
        element
        for element in document.select("meta[http-equiv*=refresh i]")
        if re.search("(?:data|script):", element.attr("content") or "", re.IGNORECASE)
    ]
    return [*scripts, *handled, *loading, *document.select("style, link[rel~=stylesheet i]")]


RAW = re.compile(r"(</?)(?=iframe|noembed|noframes|noscript|plaintext|script|style|textarea|title|xmp)", re.I)


def inert(html):
    """Check that no reader finds code in HTML: also one that runs scripts, or reads all that looks like a tag."""
    for document in (
        turbohtml.parse(html),
        turbohtml.parse(html, scripting=True),
        turbohtml.parse(RAW.sub(r"\1x-", html)),
    ):
        assert not code(document)


def check(page, mask):
    """Check what holds for the HTML of every page."""
    verdict = Verdict(np.array(mask, np.float32))
    with_scripts = Result(page, verdict, "test", Rendering(keep_scripts=True))
    result = Result(page, verdict, "test")
    assert (result.text, result.markdown) == (with_scripts.text, with_scripts.markdown)
    before = turbohtml.parse(page.canonical.decode())
    after = turbohtml.parse(result.html)
    assert after.serialize() == result.html
    assert starts(after) <= starts(before)
    inert(result.html)
    shells = empty(after) - empty(before)
    assert set(shells) <= MEANT, shells
    again = Page("u", result.html)
    assert (
        Result(again, Verdict(np.zeros(len(again.segments), np.float32)), "test").html
        == again.canonical.decode()
    )


MEANT = {
    "html", "head", "body", "frameset", "td", "th", "audio", "button", "canvas", "embed", "iframe", "map", "math",
    "object", "optgroup", "picture", "select", "svg", "textarea", "title", "video",
}  # fmt: skip
"""Elements that stay when they are emptied."""

HANDLED = st.sampled_from(
    [
        "<div onclick='a()'>", "<script>a()</script>", "<style>b</style>", "<a href=' javascript:c'>", "<p>", "</div>",
        "<script type=application/ld+json>{}</script>", "<link rel=stylesheet>", "<section><script></script></section>",
        "<svg onload=d><style>e</style>", "</svg>", "<iframe srcdoc='f'></iframe>", "word ", "<base href=/>", "<td>",
        "<table><tr><td><script>g</script>", "</table>", "<!-- h -->", "<pre onclick=i>\n", "</pre>", "<ul><li>", "</ul>",
    ]
)  # fmt: skip


@given(st.one_of(st.lists(HANDLED, max_size=12).map("".join), soups), st.integers(0, 2**32))
@example("<div><script>a</script></div><p>x", 1)
@example("<p/><noframes/></p>", 0)
def test_any_page(html, seed):
    """Every node was in the page; no script is left; cleaning again changes nothing; text is as it was."""
    page = parsed(html, "u")
    assume(page is not None)
    rng = random.Random(seed)
    check(page, [rng.random() < 0.4 for _ in page.segments])


@pytest.mark.parametrize("html", [html for html in HARD if html.strip()])
def test_hard_pages(html):
    page = Page("u", html)
    for mask in ([False] * len(page.segments), [number % 2 == 0 for number in range(len(page.segments))]):
        check(page, mask)


def parse_errors(html):
    """Count the parse errors by kind; a control character is one error, written as such or as reference."""
    codes = (error.code for error in turbohtml.parse(html).errors)
    return Counter("control-character" if code.startswith("control-character") else code for code in codes)


@pytest.mark.data
@pytest.mark.parametrize(("name", "step"), [("wcxb-dev", 40), ("dragnet-hosts", 20)])
def test_real_pages_have_no_new_parse_errors(data_dir, name, step):
    """The parser reports no kind of error more often for the output than for the input."""
    pages = removed = 0
    cleaner = detemplate.Cleaner()
    for record in load_pages(data_dir / name / "pages.jsonl.zst", step):
        result = cleaner.clean((record["url"], record["html"]))
        before, after = parse_errors(record["html"]), parse_errors(result.html)
        assert after <= before, (record["url"], after - before)
        assert not code(turbohtml.parse(result.html)), record["url"]
        pages += 1
        removed += len(result.html) < len(result.page.canonical) / 2
    assert pages > 35
    assert removed > pages / 3
