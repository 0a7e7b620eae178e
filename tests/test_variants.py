"""What readers see of small pages, and what pages say of themselves: two pages or more of each kind."""

import re

import pytest

import detemplate

URL = "https://valley.example/reports/otters.html"
WORDS = (
    "The rangers counted eleven otters between the old mill and the railway bridge, two more than in spring.",
    "Heavy rain had washed away the gravel banks, so that the animals moved their holts to the upper meadow.",
    "A farmer who owns both sides of the stream agreed to leave a strip of ten metres without any fences.",
    "Until the end of the year, volunteers will check the cameras each Saturday and report what they find.",
    "The district pays for the new footbridge, which should keep walkers and their dogs off the breeding site.",
)
TOP = (
    '<header class="site-header"><a href="/">Valley News</a><nav><ul><li><a href="/local">Local</a>'
    '<li><a href="/sport">Sport</a><li><a href="/weather">Weather</a></ul></nav></header>'
)
FOOT = (
    '<footer class="site-footer"><p>© Valley News. All rights reserved. <a href="/terms">Terms</a></footer>'
)


def page(inside, head="", title="Otters return", year=""):
    """Make a page of a news site with something between the second and third of five paragraphs."""
    head = f"<title>{title} | Valley News</title>{head}"
    texts = [f"<p>{year}{text}</p>" for text in WORDS]
    article = "".join([*texts[:2], inside, *texts[2:]])
    return f'<html lang="en"><head>{head}</head><body>{TOP}<article><h1>{title}</h1>{article}</article>{FOOT}'


def cleaned(html, others=[], url=URL):  # noqa: B006
    """Clean a page beside others of its site."""
    pages = [(url, html), *((f"{url}?page={number}", other) for number, other in enumerate(others))]
    return next(iter(detemplate.clean(pages)))


def charset(name):
    return f'<meta charset="{name}">'


# 1: bytes that are UTF-8, whatever encoding of one byte a character is declared.
BYTES = [
    (name, text) for name in ("iso-8859-1", "windows-1251") for text in ("Größe der Möwen", "Размер чаек, 鴎")
]


@pytest.mark.parametrize(("name", "text"), BYTES)
def test_bytes_that_are_utf8(name, text):
    result = cleaned(page(f"<p>{text} is what the report is about, said the ranger.", charset(name)).encode())
    assert text in result.text
    assert result.page.recoded


@pytest.mark.parametrize(
    ("name", "text"), [("iso-8859-1", "Größe der Möwen"), ("windows-1251", "Размер чаек")]
)
def test_bytes_as_declared(name, text):
    result = cleaned(page(f"<p>{text} is what the report is about.", charset(name)).encode(name))
    assert text in result.text
    assert not result.page.recoded


# 2: what no reader sees; 3: lines and tables that stay whole. Texts that are kept, and that are lost.
SEEN = [
    # hidden by an attribute or by style
    ("<p>It rained <span hidden>unseen words</span> all day at the mill.</p>", "It rained", "unseen"),
    ('<div aria-hidden="true" hidden><p>Unseen words about otters.</p></div>', "", "Unseen"),
    ('<p>It rained <span style="display : none">unseen words</span> all day at the mill.</p>', "all day", "unseen"),
    ('<p style="color:red;visibility:hidden">Unseen words about otters in the valley.</p>', "", "Unseen"),
    # dialogs that are closed, and that are open
    ("<dialog><p>Unseen words about the cookies of this page.</p></dialog>", "", "Unseen"),
    ("<dialog open><p>The otters are shown to all who read this page.</p></dialog>", "are shown to all", ""),
    ("<p>See it.</p><div popover id=tip><p>Unseen words before a click.</p></div>", "See it.", "Unseen"),
    # titles and descriptions of drawings
    ('<p>See <a href="/x">the map<svg><title>unseen sign</title><path d="M0"/></svg></a> of the area.</p>', "the map", "unseen"),
    ("<svg><desc>unseen words</desc><text>Height of water</text></svg>", "", "unseen"),
    # for screen readers alone
    ('<p>See the map <span style="position:absolute;left:-9999px">unseen words</span> of the area.</p>', "of the area", "unseen"),
    ('<p>See <a href="/x">it<span style="position: absolute; clip: rect(0,0,0,0)">unseen</span></a> in the area.</p>', "in the area", "unseen"),
    ('<p>See <b style="position:fixed;margin-left:-9999px">unseen</b> the map of the area.</p>', "of the area", "unseen"),
    ('<p>See <a href="/x" style="text-indent:-999px">the blue</a> map of the area.</p>', "the blue", ""),
    ('<p popover="More of it">See the map of the area, which hangs in the hall.</p>', "See the map", ""),
    # shadow roots that a page declares
    ("<x-note><template shadowrootmode=open><p>The stream is shown in the shadow of the mill.</p></template></x-note>", "shown in the shadow", ""),
    ("<x-box><template shadowrootmode=open><p>Before it. <slot></slot></p></template>The otters in the slot.</x-box>", "The otters in the slot", ""),
    # menus, tabs and foldable sections, which a script opens
    ('<div id="tab2" role="tabpanel" style="display:none"><p>The second tab has the counts of last year.</p></div>', "counts of last year", ""),
    ('<details><summary>Counts</summary><p>Last year the rangers counted nine otters.</p></details>', "counted nine otters", ""),
    # links and bold words in lines of text
    ('<p>One more very important thing: <a href="/subscribe">subscribe</a>. You can also follow the counts by letter.</p>', "thing: subscribe. You can", ""),
    ('<p>All <b>news</b> of the rangers, <a href="/share">share</a> included, <i>follow</i> on the next page of the report.</p>', "All news of the rangers, share included, follow on", ""),
    # cells of tables
    ("<table><tr><th>Year<th>Home<th>Otters<tr><td>2023<td>9<td>11<tr><td>2024<td>8<td>12</table>", "Home", ""),
    ("<table border=1><tr><td>Login<td>3<td>4<tr><td>Mill<td>5<td>6<tr><td>Share<td>7<td>8</table>", "Share", ""),
]  # fmt: skip


@pytest.mark.parametrize(("inside", "kept", "lost"), SEEN)
def test_what_readers_see(inside, kept, lost):
    text = cleaned(page(inside)).text
    assert kept in " ".join(text.split())
    assert not lost or lost not in text
    for words in WORDS:
        assert words in text


# 4: headings and labels of which nothing is left, and titles that stand twice, on sites of eight pages.
LINKS = "".join(
    f'<li><a href="/r/{word}">{word}</a>' for word in ("Herons", "Beavers", "Kingfishers", "Trout")
)
SHELLS = [
    (f'<div class="box"><h3>Most read</h3><ul class="links">{LINKS}</ul></div>', "Most read"),
    (f'<nav class="toc"><h2>Table of Contents</h2><ul>{LINKS}</ul></nav>', "Table of Contents"),
    ('<p class="tags">Tags: <a href="/t/a">rivers</a> <a href="/t/b">mammals</a></p>', "Tags:"),
    ('<div class="share"><span>Share this:</span> <a href="/f">Facebook</a> <a href="/t">Twitter</a></div>', "Share this:"),
]  # fmt: skip


@pytest.mark.parametrize(("inside", "lost"), SHELLS)
def test_no_shells(inside, lost):
    site = [page(inside, title=f"Report {year} of the rangers", year=f"{year}: ") for year in range(8)]
    result = cleaned(site[0], site[1:])
    assert lost not in result.text
    assert result.text.count("Report 0 of the rangers") == 1


def test_a_row_of_headers_stays_with_its_table():
    rows = "<tr><td>gate{0}<td>of the {0} otters that the rangers saw in the valley"
    table = f"<table><tr><th>Name<th>Meaning{rows}</table>"
    site = [
        page(table.format(year), title=f"Report {year} of the rangers", year=f"{year}: ") for year in range(8)
    ]
    assert "Name" in cleaned(site[0], site[1:]).text
    assert "Meaning" in cleaned(site[0], site[1:]).text


@pytest.mark.parametrize("early", ['<p class="crumb">{}</p>', '<div class="kicker"><span>{}</span></div>'])
def test_a_title_stands_once(early):
    titles = [f"Report {year} of the rangers" for year in range(8)]
    site = [
        page("", title=each, year=each[:8]).replace("<h1>", f"{early.format(each)}<h1>") for each in titles
    ]
    assert cleaned(site[0], site[1:]).text.count(titles[0]) == 1


# 5 and 6: pictures and small renderings. What Markdown must have, as an expression, and what it must not have.
ICONS = '<ul><li><svg></svg><li><a href="/f"></a><li><img src="/i.jpg" alt="An otter"></ul>'
GAPS = [
    f"<p>It begins.</p>{ICONS}<p>It ends.</p>",
    "<p>It begins.</p><figure></figure><p>&nbsp;</p><p>&nbsp;</p><ul><li></ul><p>&nbsp;</p><p>It ends.</p>",
    "<div>It begins.</div><br><br><br><br><div>It ends.</div>",
    "<p>It begins.</p><h2></h2><table><tr><td></td><td></td></tr></table><blockquote> </blockquote><p>It ends.</p>",
    "<div>It begins.<p><br>\u3000\u3000It goes on.</p><br><br>It ends.</div>",
]  # fmt: skip


@pytest.mark.parametrize("inside", GAPS)
def test_one_empty_line_and_no_empty_items(inside):
    result = cleaned(page(inside))
    for written in (result.text, result.markdown):
        begun = written.index("It begins.")
        assert not re.search(r"\n *\n *\n|^ *([*>\\-]|#+|\|[ |]*) *$|&#", written, re.MULTILINE)
        assert written[begun:].startswith("It begins.\n\n")
    assert result.markdown.count("![An otter]") == ("An otter" in inside)


PICTURE = '<img src="/i.jpg" alt="An otter" width="600" height="400">'
MARKDOWN = [
    # pictures with captions and credits
    (f"<figure>{PICTURE}<figcaption>Photo: Ann Lee / Agency</figcaption></figure>", r"\(https://valley.example/i.jpg\)", ""),
    (f'<div class="picture">{PICTURE}<p class="credit">© Bo Berg, Valley News</p></div>', r"/i\.jpg", ""),
    # what counts visits, and takes room
    ('<noscript><img src="//count.example/p?c1=2&amp;c2=3" alt=""></noscript>', "", "count.example"),
    ('<img src="/x.png" width="500" height="1">', "", "/x.png"),
    ('<img src="/spacer.gif" width="8" height="8">', "", "spacer"),
    ('<img src="/t.png" style="position:absolute;left:-9999px">', "", "/t.png"),
    (f'<noscript><div>{PICTURE}</div></noscript>', r"/i\.jpg", ""),
    ('<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><noscript><img src="/pic?id=5" alt="An otter"></noscript></p>', r"/pic\?id=5", ""),
    # pictures that load late, and those of AMP
    ('<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/late.jpg" alt="An otter"></p>', r"/late\.jpg", "base64"),
    ('<figure><img class="lazy" data-lazy-src="/late.jpg" alt="An otter"></figure>', r"/late\.jpg", ""),
    ('<figure><amp-img src="/amp.jpg" width=600 height=400 alt="An otter"></amp-img></figure>', r"!\[An otter\]\(https://valley.example/amp\.jpg\)", ""),
    ('<p>A picture: <amp-img src="/amp.jpg" alt="An otter"><noscript><img src="/amp.jpg"></noscript></amp-img></p>', r"/amp\.jpg", ""),
    # bases and readings
    ("<p>The word <ruby>川獺<rt>かわうそ</rt></ruby> is Japanese.</p>", r"川獺[(（]かわうそ[)）] is", ""),
    ("<p>The word <ruby>川<rp>(</rp><rt>かわ</rt><rp>)</rp>獺<rp>(</rp><rt>うそ</rt><rp>)</rp></ruby> is Japanese.</p>", r"川\(かわ\)獺\(うそ\) is", ""),
    # feet of tables
    ("<table><thead><tr><th>Place<th>Otters<tfoot><tr><td>All<td>11<tbody><tr><td>Mill<td>5<tr><td>Bridge<td>6</table>", r"\| Bridge \| 6 \|\n\| All \| 11 \|", ""),
    ("<table><tfoot><tr><th>All<td>11</tfoot><tr><th>Mill<td>5<tr><th>Bridge<td>6</table>", r"Bridge\W+6[\s|]+(?:\*\*)?All\W+11", ""),
    # check boxes of lists of tasks
    ('<ul class="contains-task-list"><li><input type="checkbox" checked disabled> Count otters<li><input type="checkbox" disabled> Count herons</ul>', r"- \[x\] Count otters\n- \[ \] Count herons", ""),
    ("<ul><li><label><input type=checkbox checked> Count otters</label><li><p><input type=checkbox> Count herons</p></ul>", r"\[x\] Count otters\s+- \[ \] Count herons", ""),
    # quotations in a line
    ("<p>The ranger said <q>they are back</q> and smiled.</p>", r"said [\"“]they are back[\"”] and", ""),
    ("<p>She wrote <q cite='/q'>he said <q>no</q> to me</q> in the book.</p>", r"[\"“]he said [\"'‘“]no[\"'’”] to me[\"”]", ""),
    ("<p>She wrote <q>“they are back”</q> in the book.</p>", r"wrote “they are back” in", '"'),
    # languages of code
    ('<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="k">import</span> otters</pre></div></div>', r"```python\nimport otters\n```", ""),
    ('<figure data-language="rust"><pre><code>let otters = 11;</code></pre></figure>', r"```rust\nlet otters", ""),
    ('<pre><code class="language-js">let otters = 11</code></pre>', r"```(?:js|javascript)\nlet otters", ""),
    ('<pre class="rust rust-example-rendered"><code>let otters = 11;</code></pre>', r"```rust\nlet otters", ""),
    ('<pre><code class="python numbered">otters = 11</code></pre>', r"```python\notters", ""),
    # headings that link to themselves
    ('<h2 id="counts">Counts<a class="headerlink" href="#counts" title="Link to this">¶</a></h2>', r"\n## Counts\n", "¶"),
    ('<h2 id="counts"><a class="anchor" href="#counts">Counts</a></h2>', r"\n## Counts\n", "](#counts)"),
    (f'<h2><a href="{URL}#counts">Counts</a></h2>', r"\n## Counts\n", "#counts"),
    # emphasis beside emphasis, and text that was taken out
    ("<p>It is <em>very</em><strong>wet</strong> here.</p>", r"[*_]very[*_][*_]{2}wet[*_]{2}", "***"),
    ("<p>It is <strong>very</strong><em>wet</em> here, at <del>noon</del> <ins>night</ins>.</p>", r"\*\*very\*\*_wet_ here, at ~~noon~~ night", "***"),
]  # fmt: skip


@pytest.mark.parametrize(("inside", "wanted", "unwanted"), MARKDOWN)
def test_pictures_and_small_renderings(inside, wanted, unwanted):
    markdown = cleaned(page(inside)).markdown
    assert re.search(wanted, markdown, re.DOTALL)
    assert not unwanted or unwanted not in markdown


@pytest.mark.parametrize(
    "inside", ['See <a href="#counts">the counts</a>.', '<a href="#counts">Counts</a> are below.']
)
def test_links_inside_of_a_page(inside):
    html = page(f'<p>{inside}</p><p id="counts">The rangers counted <a href="/c">eleven</a> of them.</p>')
    for url in ("", "page.html"):
        markdown = cleaned(html, url=url).markdown
        assert "](#counts)" in markdown
        assert "file:" not in markdown
