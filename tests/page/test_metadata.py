"""What pages say of themselves: each source, their order, and hostile values."""

import dataclasses
import json
import pickle
from datetime import UTC, datetime, timedelta

import pytest

from detemplate.algorithms.countmeanmin import CountMeanMin
from detemplate.page.metadata.dates import day, day_in_url
from detemplate.page.metadata.markup import Markup
from detemplate.page.metadata.read import page_metadata
from detemplate.page.metadata.record import LONG, NAMES, Metadata, plain
from detemplate.page.metadata.titleparts import SharedParts, part_keys, split
from detemplate.page.page import Page

ADDRESS = "https://www.example.org/stories/one"
TEXT = "<p>A long enough paragraph of plain English text, which says nothing that anybody would want to know.</p>"


def read(head="", body=TEXT, url=ADDRESS, html="<html>"):
    return page_metadata(Page(url, f"<!doctype html>{html}<head>{head}</head><body>{body}</body></html>"))


def meta(name, content):
    return f'<meta name="{name}" content="{content}">'


def linked(data):
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def test_a_page_that_says_all():
    article = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "Otters return",
        "author": [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bo Berg"}],
        "datePublished": "2024-05-31T10:00:00Z",
        "dateModified": "2024-06-02",
        "publisher": {"@type": "Organization", "name": "The Daily Otter"},
    }
    head = (
        "<title>Otters return | The Daily Otter</title>"
        + meta("description", "They are back.")
        + '<meta property="og:image" content="/otter.jpg"><link rel="canonical" href="/stories/1">'
        + linked(article)
    )
    told = read(head, f"<h1>Otters return</h1>{TEXT}", html='<html lang="en-GB">')
    assert told == Metadata(
        title="Otters return",
        author="Ann Lee; Bo Berg",
        published="2024-05-31",
        modified="2024-06-02",
        language="en",
        site_name="The Daily Otter",
        canonical_url="https://www.example.org/stories/1",
        description="They are back.",
        image="https://www.example.org/otter.jpg",
        page_type="NewsArticle",
    )
    assert list(told.as_dict()) == list(NAMES) == [field.name for field in dataclasses.fields(Metadata)]
    assert told.as_dict()["author"] == "Ann Lee; Bo Berg"
    assert pickle.loads(pickle.dumps(told)) == told
    with pytest.raises(dataclasses.FrozenInstanceError):
        told.title = ""


@pytest.mark.parametrize(
    ("head", "field", "value"),
    [
        (meta("citation_title", "A paper"), "title", "A paper"),
        ("<title>Otters – The Daily Otter</title>" + meta("application-name", "The Daily Otter"), "title", "Otters"),
        ("<title>Example | otters and more</title>", "title", "otters and more"),
        (meta("author", "by Ann Lee"), "author", "Ann Lee"),
        (meta("citation_author", "Lee, Ann") + meta("citation_author", "Berg, Bo"), "author", "Lee, Ann; Berg, Bo"),
        (meta("author", "https://example.org/ann") + meta("dc.creator", "Ann Lee"), "author", "Ann Lee"),
        (meta("author", "admin"), "author", None),
        (meta("description", "Fish &lt;b&gt;and&lt;/b&gt;, chips&lt;br&gt;today"), "description", "Fish and, chips today"),
        (meta("author", "View profile"), "author", None),
        (meta("author", "u"), "author", None),
        (meta("author", "Ann Lee, with Bo Berg and Cy Dale; in Rome"), "author", "Ann Lee; Bo Berg; Cy Dale"),
        ("<title>Otters return | Example Times</title>" + meta("og:title", "Otters return") + '<meta property="og:site_name" content="Otters return | The Times">', "site_name", "The Times"),
        ("<title>Example: otters</title>", "site_name", "Example"),
        (meta("author", "{{ author.name }}"), "author", None),
        (linked({"@type": "Article", "author": {"@id": "#a"}}) + linked([{"@id": "#a", "@type": "Person", "name": "Ann Lee"}]), "author", "Ann Lee"),
        ('<meta property="article:published_time" content="2024-05-31T10:00:00+02:00">', "published", "2024-05-31"),
        (meta("pubdate", "20240531"), "published", "2024-05-31"),
        ('<link rel="canonical" href="/2024/05/31/otters">', "published", "2024-05-31"),
        (meta("last-modified", "Fri, 31 May 2024 10:00:00 GMT"), "modified", "2024-05-31"),
        ('<meta http-equiv="Content-Language" content="de-AT">', "language", "de"),
        ('<meta property="og:locale" content="pt_BR">', "language", "pt"),
        ('<meta property="og:site_name" content="The Daily Otter">', "site_name", "The Daily Otter"),
        (linked({"@type": "WebSite", "name": "The Daily Otter"}), "site_name", "The Daily Otter"),
        ("<title>Otters | Example Times</title>", "site_name", "Example Times"),
        ("<title>Where otters sleep | River News</title>", "site_name", "River News"),
        ("", "site_name", "example.org"),
        ('<meta property="og:url" content="https://example.org/x">', "canonical_url", "https://example.org/x"),
        ('<link rel="nofollow Canonical" href="/a">', "canonical_url", "https://www.example.org/a"),
        ('<link rel="alternate" href="/canonical">', "canonical_url", None),
        ('<link href="/c.png" rel="image_src">', "image", "https://www.example.org/c.png"),
        ('<link rel="canonical" href="javascript:alert(1)">', "canonical_url", None),
        ('<link rel="canonical" href=" /a b?x=1&copy=2 ">', "canonical_url", "https://www.example.org/a%20b?x=1&copy=2"),
        ('<link rel="canonical" href="/a?x=1&amp;copy=2">', "canonical_url", "https://www.example.org/a?x=1&copy=2"),
        ('<base href="https://other.example/a/"><link rel="canonical" href="b">', "canonical_url", "https://other.example/a/b"),
        (meta("twitter:image", "https://example.org/a.png"), "image", "https://example.org/a.png"),
        (linked({"@type": "Article", "image": {"@type": "ImageObject", "url": "/b.png"}}), "image", "https://www.example.org/b.png"),
        (linked({"@type": "Recipe", "description": "Fish &amp; <b>chips</b>"}), "description", "Fish & chips"),
        ('<meta property="og:type" content="article">', "page_type", "article"),
        (linked({"@graph": [{"@type": ["http://schema.org/TechArticle"]}]}), "page_type", "TechArticle"),
    ],
)  # fmt: skip
def test_sources(head, field, value):
    assert getattr(read(head), field) == value


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        ('<h1>Otters</h1><p class="byline">By <a href="/ann">Ann Lee</a> | Staff writer</p>', "author", "Ann Lee"),
        ('<h1>Otters</h1><span class="author">By Ann Lee</span> and <b>others</b>', "author", "Ann Lee"),
        ('<h1>Otters</h1><a rel="author" href="/ann">Ann Lee</a>', "author", "Ann Lee"),
        ('<h1>Otters</h1><div class="comment-author">Ann Lee</div>', "author", None),
        # what nothing marks
        ("<h1>Otters</h1><p>By ANN LEE, Associated Press Writer</p>", "author", "ANN LEE"),
        ("<h1>Otters</h1><p>Von Anna Lee und Bo Berg</p>", "author", "Anna Lee; Bo Berg"),
        ("<h1>Otters</h1><p>By Ann Lee and agencies</p>", "author", "Ann Lee"),
        ("<h1>Otters</h1><p>By Day They Sleep, and at night they swim.</p>", "author", None),
        ("<h1>Otters</h1><p>By the river</p>", "author", None),
        ("<h1>Otters</h1><aside><p>By Ann Lee</p></aside>", "author", None),
        ('<h1>Otters</h1><div class="related"><p>By Ann Lee</p></div>', "author", None),
        ("<ul><li>By Use Case<li>By Company Size</ul><p>Otters swim in all rivers.</p>", "author", None),
        ('<h1>Otters</h1><time datetime="2024-05-31">last week</time>', "published", "2024-05-31"),
        ('<h1>Otters</h1><p>31. Mai 2024</p>', "published", "2024-05-31"),
        ('<h1>Otters</h1><p>02.12.19</p>', "published", "2019-12-02"),
        ("<h1>Otters</h1><p>Updated May 31, 2024, 9 p.m.</p>", "modified", "2024-05-31"),
        ("<h1>Otters</h1><p>Last updated:</p><time datetime='2024-05-31'>May</time>", "modified", "2024-05-31"),
        ('<h1>Otters</h1><time class="updated" datetime="2024-05-31">May</time>', "modified", "2024-05-31"),
        ("<h1>Otters</h1><p>Posted 1/5/2024 | Updated as of 31/5/2024</p>", "modified", "2024-05-31"),
        ("<h1>Otters</h1><p>Updated 31 May 2024 | Published 1 May 2024</p>", "modified", "2024-05-31"),
        ("<h1>Otters</h1><p>Updated 31 May 2024 | Published 1 May 2024</p>", "published", "2024-05-01"),
        ("<h1>Otters</h1><p>31 May 2024</p>", "modified", None),
        (f'<h1>Otters</h1><p>{"Otters swim. " * 30}</p><div class="comment">Updated 31 May 2024</div>', "modified", None),
        # a day in a sentence is another one; a dateline and what stands between signs are not
        ("<h1>Otters</h1><p>The first of them came on 31 May 2023, and a year later there were nine.</p>", "published", None),
        ("<h1>Otters</h1><p>All of the offers on this page end on 5/31/2024 and not before that day.</p>", "published", None),
        ("<h1>Otters</h1><p>LUTRA, May 31, 2024 (Agency) - The otters came back to the river after a long winter. " + 9 * "They were seen. ", "published", "2024-05-31"),
        ("<h1>Otters</h1><p>The otters came back to the river after a long winter - May 31, 2024</p>", "published", "2024-05-31"),
        ('<h1>Otters</h1><p class="date">The otters came back to the river after a winter, 31 May 2024</p>', "published", "2024-05-31"),
        # the site's name, and who made the pictures
        ('<h1>Otters</h1><p class="byline">Text: Ann Lee, Foto: Bo Berg</p>', "author", "Ann Lee"),
        ('<h1>Otters</h1><p class="byline">Monday, November 5, 2012, by Ann Lee</p>', "author", None),
        ('<h1>Otters</h1><p class="byline">Words by Ann Lee Photography by Bo Berg</p>', "author", "Ann Lee"),
        ('<div class="comment"><time datetime="2024-06-01">1 June 2024</time></div><h1>Otters</h1><p>May 31, 2024</p>', "published", "2024-05-31"),
        ("<h1>Otters</h1><p>nothing</p>", "published", None),
    ],
)  # fmt: skip
def test_marks_near_the_heading(body, field, value):
    assert getattr(read("<title>Otters</title>", body), field) == value


STORY = (
    "<p>The keeper closed the iron shutters before dusk, because the forecast spoke of gusts from the north.</p>"
    * 4
)
PERSON = '{"@type": "Article", "author": {"name": "Ann Lee"}, "datePublished": "2024-05-31"}'


@pytest.mark.parametrize(
    ("head", "body", "field", "value"),
    [
        # WordPress marks authors as cards of visitors
        ("", '<p>By <span class="author vcard"><a class="url fn n" href="/a">Ann Lee</a></span></p>', "author", "Ann Lee"),
        ("", '<span class="byline vcard"><cite class="fn">Ann Lee</cite></span>', "author", "Ann Lee"),
        ("", '<div class="author-card">Ann Lee</div>', "author", None),
        # brackets and roles do not cut names
        ("", '<span class="byline">By <a rel="author">Robert (Bob) Berg</a></span>', "author", "Robert (Bob) Berg"),
        ("", '<p class="author">Staff Writer Ann Lee (Editor)</p>', "author", "Ann Lee"),
        # labels and sources are no names
        ("", '<p class="author">作者：李明 来源：晚报</p>', "author", "李明"),
        ("", '<p class="author">Von: Ann Lee Quelle: dpa</p>', "author", "Ann Lee"),
        ("", '<p class="author">Автор статьи: Анна Ли</p>', "author", "Анна Ли"),
        ("", '<p class="author-meta-by">Par </p>', "author", None),
        ("", '<p class="author"><b>Last Updated:</b> May 5, 2022</p>', "author", None),
        ("", '<p class="author"><i>Posted on</i> 5 May 2022</p>', "author", None),
        # several names in one text
        (meta("author", "Ann Lee und Bo Berg"), "", "author", "Ann Lee; Bo Berg"),
        (meta("author", "李明、王小明"), "", "author", "李明; 王小明"),
        (meta("author", "Ann Lee, Bo Berg and Cy Dahl"), "", "author", "Ann Lee; Bo Berg; Cy Dahl"),
        (meta("author", "Ministry of Food and Agriculture"), "", "author", "Ministry of Food and Agriculture"),
        (meta("author", "Procter and Gamble"), "", "author", "Procter and Gamble"),
        # credits of pictures, side bars and comments
        ("", '<figure><img src="a.jpg"><figcaption class="author">Ann Lee</figcaption></figure>', "author", None),
        ("", '<p class="author">Foto: Ann Lee</p>', "author", None),
        ("", '<aside><a rel="author">Ann Lee</a></aside>', "author", None),
        ("", f'{STORY}<ol class="commentlist"><li class="comment"><a rel="author">Ann Lee</a></ol>', "author", None),
        # days of something else
        ("", f'{STORY}<div id="comments"><p>May 5, 2022 at 4 pm</p></div>', "published", None),
        ("", f'{STORY}<ul><li class="comment-item"><time datetime="2022-05-05">a day</time></ul>', "published", None),
        ("", '<div class="comment js-comment"><time datetime="2022-05-05">a day</time></div>', "published", "2022-05-05"),
        ("", f'{STORY}<footer><p>5 May 2022</p></footer>', "published", None),
        ("", f'<article>{STORY}<footer><p>5 May 2022</p></footer></article>', "published", "2022-05-05"),
        ("", '<div class="related"><p>5 May 2022</p></div>', "published", None),
        ("", '<p>Last updated: 5 May 2022</p>', "published", None),
        ("", '<p><b>Zuletzt aktualisiert</b> <span>5.5.2022</span></p>', "published", None),
        ("", '<time class="entry-date published updated" datetime="2022-05-05">a day</time>', "published", "2022-05-05"),
        ("", '<time itemprop="dateModified" datetime="2022-05-05">a day</time>', "published", None),
        ("", '<time itemprop="dateModified" datetime="2022-05-05">a day</time>', "modified", "2022-05-05"),
        ("", '<p>Changed <span itemprop="dateModified">5 May 2022</span></p>', "modified", "2022-05-05"),
        # several who are marked each; roles and brackets; what is no author
        ("", '<p>By <a rel="author" href="/a">Ann Lee</a> and <a rel="author" href="/b">Bo Berg</a></p>', "author", "Ann Lee; Bo Berg"),
        ("", '<p><span itemprop="author">Ann Lee</span>, <span itemprop="author">Bo Berg</span></p>', "author", "Ann Lee; Bo Berg"),
        ("", '<p itemprop="author"><b itemprop="givenName">Ann</b> <b itemprop="familyName">Lee</b></p>', "author", "Ann Lee"),
        ("", '<p class="byline">Joe Chief Eagle</p>', "author", "Joe Chief Eagle"),
        ("", '<p class="byline">By Kim Jae In, Senior Writer</p>', "author", "Kim Jae In"),
        ("", '<p class="byline">Ann Lee Staff Writer</p>', "author", "Ann Lee"),
        ("", '<p class="author">来源：新华网</p>', "author", None),
        ("", '<span class="author">Quelle: Otterblatt</span><span class="author">Ann Lee</span>', "author", "Ann Lee"),
        ("", '<h4 class="byline author vcard"><a href="/ann">Ann Lee</a></h4>', "author", "Ann Lee"),
        ("", f'{TEXT}<div><h3><a href="/b">Bears</a></h3><p class="byline">By Bo Berg</p></div>', "author", None),
        # days of other pages, of comments, of the foot, of changes
        ("", f'{TEXT}<div><h3><a href="/b">Bears</a></h3><p class="date">2 January 2020</p></div>', "published", None),
        ("", f'{TEXT * 3}<ul><li><a href="/b">Bears</a> <time datetime="2020-01-02">2 January</time></li></ul>', "published", None),
        ("", f'{TEXT * 3}<ul><li>2 January 2020</li><li><a href="/tag">rivers</a></li></ul>', "published", "2020-01-02"),
        ("", f'<div class="related-posts"><article><time datetime="2020-01-02">2 January</time></article></div>{TEXT}', "published", None),
        ("", f'{TEXT * 3}<div id="disqus_thread"><p class="date">2 January 2020</p></div>', "published", None),
        ("", f'{TEXT * 3}<div id="responses"><p class="date">2 January 2020</p></div>', "published", None),
        ("", f'{TEXT}<div id="footer"><p>2 January 2020</p></div>', "published", None),
        ("", f'{TEXT}<div class="colophon"><p class="date">2 January 2020</p></div>', "published", None),
        ("", "<p class='meta'>Última actualización: 2 de enero de 2020</p>", "published", None),
        ("", "<p class='meta'>Stand: 2. Mai 2020</p>", "published", None),
        ("", "<p>Page last reviewed: 2 January 2020</p>", "published", None),
        ("", "<p>Published 1 January 2020, updated 3 March 2021</p>", "published", "2020-01-01"),
        ("", "<p>Updated 3 March 2021 · Published 1 January 2020</p>", "published", "2020-01-01"),
        ("", "<p><b>Updated 3 March 2021</b> <span class='date'>1 January 2020</span></p>", "published", "2020-01-01"),
        # JSON-LD with comments and commas too many, empty names; all of an element as JSON
        (f'<script type="application/ld+json">{PERSON[:-1]}, /* who: {{}} */ }}</script>', "", "author", "Ann Lee"),
        (f'<script type="application/ld+json">// the {{article}}\n{PERSON}</script>', "", "author", "Ann Lee"),
        (linked({"@type": "Article", "author": {"name": "", "givenName": "Ann", "familyName": "Lee"}}), "", "author", "Ann Lee"),
        ("<meta name='parsely-page' content='{\"authors\": [\"Ann Lee\"], \"pub_date\": \"2024-05-31T10:00:00Z\"}'>", "", "author", "Ann Lee"),
        ("<meta name='parsely-page' content='{\"link\": \"https://example.org/y\"}'>", "", "canonical_url", "https://example.org/y"),
        ("<meta name='parsely-page' content='[1'>", "", "canonical_url", None),
        # more of what pages say
        (f'<script type="application/ld+json">//<![CDATA[\n{PERSON};\n//]]></script>', "", "author", "Ann Lee"),
        (f'<script type="application/ld+json">/* <![CDATA[ */{PERSON}/* ]]> */</script>', "", "published", "2024-05-31"),
        (f'<script type="application/ld+json"><!-- made by a tool -->\n{PERSON}</script>', "", "author", "Ann Lee"),
        (linked({"@type": "Article", "author": {"givenName": "Ann", "familyName": "Lee"}}), "", "author", "Ann Lee"),
        ('<meta property="article:publisher" content="The Daily Otter">', "", "site_name", "The Daily Otter"),
        ('<meta property="article:publisher" content="https://social.example/otter">', "", "site_name", "example.org"),
        (meta("twitter:url", "https://example.org/x"), "", "canonical_url", "https://example.org/x"),
        (meta("twitter:url", "example.org"), "", "canonical_url", None),
        (meta("parsely-link", "https://example.org/y"), "", "canonical_url", "https://example.org/y"),
        (meta("dcterms.available", "2024-05-31"), "", "published", "2024-05-31"),
        (meta("sailthru.image.thumb", "https://example.org/a.png"), "", "image", "https://example.org/a.png"),
        # titles
        (meta("application-name", "Otters"), "<h1>Example: back home</h1>", "title", "Otters"),
        (meta("apple-mobile-web-app-title", "Otters") + '<meta property="og:site_name" content="Example">', "<h1>To Example's home</h1>", "title", "Otters"),
    ],
)  # fmt: skip
def test_kinds_of_pages(head, body, field, value):
    assert getattr(read(f"<title>Otters</title>{head}", f"<h1>Otters</h1>{body}"), field) == value


SWIM = f"<p>{'They swim in all rivers. ' * 9}"


@pytest.mark.parametrize(
    ("title", "body", "own"),
    [
        ("Otters return | Example", "<h1>Otters return</h1>", "Otters return"),
        ("Otters return | Example", "<h1>Example</h1>", "Otters return"),
        ("Otters - All about river animals", "<h1>All about river animals</h1><h1>Otters</h1>", "Otters"),
        ("Otters - All about river animals", "<h1>All about river animals</h1>", "All about river animals"),
        ("Otters - All about river animals", "<h1>All about river animals</h1><h2>Otters</h2>", "Otters"),
        (
            "How otters sleep in winter - All river animals",
            "<h1>All river animals</h1>",
            "How otters sleep in winter",
        ),
        ("Otters return | Example", '<h1>Otters return<a href="#o">¶</a></h1>', "Otters return"),
        ("All of C# #", "<p>x</p>", "All of C#"),
        ("Example: otters return today", "<p>x</p>", "otters return today"),
        ("Example: otters", "<p>x</p>", "Example: otters"),
        ("-", "<h1>Otters return</h1>", "Otters return"),
        # what a text above the content says, if no heading does
        ("Post - Otters return today", f"<p>x</p><b>Otters return today</b>{SWIM}", "Otters return today"),
        (
            "Otters return today - Nature and wild life",
            f"<p>x</p><b>Otters return today</b>{SWIM}",
            "Otters return today",
        ),
        (
            "Post - Otters return today",
            f"<p>x</p>{SWIM}<b>Otters return today</b>",
            "Post - Otters return today",
        ),
        ("Post - Otters return today", f"<b>Otters return today</b>{SWIM}", "Post - Otters return today"),
        (
            "Post - Otters return today",
            f'<p>x</p><a href="/o">Otters return today</a>{SWIM}',
            "Post - Otters return today",
        ),
        ("Otters return today - Post", f"<p>x</p><b>Post</b>{SWIM}", "Otters return today"),
        (
            "Otters return — Example",
            '<h1>Otters return<a href="#o" class=headerlink>\uf0c1</a></h1>',
            "Otters return",
        ),
        ("Otters return | Example", "<h1>Search</h1><h1>Otters return</h1>", "Otters return"),
        ("What otters eat in the wild – My pages", "<p>x</p>", "What otters eat in the wild"),
        ("A - B", "<p>x</p>", "A - B"),
        ("", "<h1>Otters</h1>", "Otters"),
        ("All that otters eat in winter", "<h1>What otters eat in winter</h1>", "What otters eat in winter"),
    ],
)
def test_titles(title, body, own):
    assert read(f"<title>{title}</title>", body).title == own


def test_the_name_of_a_site_is_its_author_only_where_no_other_is_named():
    head = "<title>Otters return | River News</title>" + meta("author", "River News")
    assert read(head, '<h1>Otters return</h1><p class="byline">By Ann Lee</p>').author == "Ann Lee"
    assert read(head, "<h1>Otters return</h1>").author == "River News"


def test_the_first_page_of_a_site_has_its_name_in_its_title():
    head = "<title>Example: all about otters</title>"
    assert read(head).title == "all about otters"
    assert read(head, url="https://www.example.org/").title == "Example: all about otters"


def test_the_item_of_the_page_is_chosen_among_several():
    items = [
        {"@type": "Article", "headline": f"Story {n}", "url": f"https://www.example.org/stories/{name}", "datePublished": f"2024-01-0{n}"}
        for n, name in enumerate(("zero", "one", "two"), 1)
    ]  # fmt: skip
    assert read(linked(items)).published == "2024-01-02"
    assert read(linked(items), url="https://www.example.org/").published is None


def test_languages_are_told_from_text_where_they_are_not_declared_or_the_template_is_wrong():
    russian = (
        "<p>Это довольно длинный абзац текста на русском языке, который рассказывает о выдрах и о реках.</p>"
    )
    assert read(body=russian).language == "ru"
    assert read(body=russian, html='<html lang="en">').language == "ru"
    assert read(body=russian, html='<html lang="bg">').language == "bg"
    assert read(html='<html lang="en">').language == "en"
    assert read(body="<p>!!!</p>").language is None


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("2020-01-02T03:04:05Z", "2020-01-02"), ("20200102", "2020-01-02"), ("1484000000", "2017-01-09"),
        ("1484000000000", "2017-01-09"), ("3 février 2019", "2019-02-03"), ("Thursday, 17 Sept. 2015 at 4:30", "2015-09-17"),
        ("26 de marzo de 2018", "2018-03-26"), ("2 Μαρτίου 2012", "2012-03-02"), ("18 listopada 2011", "2011-11-18"),
        ("17 июня 2015 г.", "2015-06-17"), ("2014年3月5日", "2014-03-05"), ("2015. május 3.", "2015-05-03"),
        ("13/05/2017", "2017-05-13"), ("05/13/2017", "2017-05-13"), ("05/04/2017", "2017-04-05"),
        ("9999-99-99", None), ("9999-12-31", None), ("2023-02-30", None), ("0000-00-00", None), ("1066-10-14", None),
        ("9" * 10_000, None), ("", None), ("May", None), ("٢٠٢٠-٠١-٠٢", None),
    ],
)  # fmt: skip
def test_days(text, read_as):
    assert day(text) == read_as


def test_the_month_comes_first_in_american_english():
    assert day("05/04/2017", month_first=True) == "2017-05-04"
    body = "<h1>Otters</h1><p>05/04/2017</p>"
    assert read("<title>Otters</title>", body, html='<html lang="en-US">').published == "2017-05-04"
    assert read("<title>Otters</title>", body, html='<html lang="en-GB">').published == "2017-04-05"


def test_days_after_tomorrow_are_none():
    today = datetime.now(UTC).date()
    assert day((today + timedelta(days=1)).isoformat()) is not None
    assert day((today + timedelta(days=3)).isoformat()) is None


def test_days_in_urls():
    assert day_in_url("https://a.example/2012/03/04/x") == "2012-03-04"
    assert day_in_url("https://a.example/news/04-03-2012-otters") == "2012-03-04"
    assert day_in_url("https://a.example/2012/otters?d=2012-03-04") is None
    assert day_in_url("https://a.example/12012030412") is None


def test_values_are_plain_and_bounded():
    told = read(
        f"<title>{'long ' * 10_000}</title>"
        + meta("author", "Ann\x1b\x07 Lee\u202e")
        + meta("description", "d" * 1_000_000)
        + f'<link rel="canonical" href="/{"u" * 100_000}">'
        + linked({"@type": "A" * 100_000})
    )
    assert len(told.title) == LONG
    assert told.title.endswith("…")
    assert told.author == "Ann Lee"
    assert told.description is not None
    assert len(told.description) <= LONG
    assert told.canonical_url is None
    assert plain("a&amp;amp;b \ud800 <i>c</i>\n d") == "a&b \ufffd c d"
    assert plain(["no text"]) == ""


DEEP = {"@type": "Article"}
for _ in range(300):
    DEEP = {"@graph": [DEEP]}


def test_broken_linked_data_still_tells_its_texts():
    script = '{"@type": "NewsArticle", "datePublished": "2024-05-31", "headline": "Otters",}'
    told = read(f'<script type="application/ld+json">{script}</script>')
    assert (told.published, told.title, told.page_type) == ("2024-05-31", "Otters", "NewsArticle")


def test_cleaning_does_not_change_metadata():
    from detemplate import Cleaner

    cleaner = Cleaner("segments", min_df=2)
    for number in range(3):
        html = f"<html lang=en><head><title>Page {number}</title></head><body><nav>By Ann Lee</nav><h1>Page {number}</h1></body>"
        result = cleaner.learn_and_clean((f"https://a.example/{number}", html))
    before = page_metadata(Page("https://a.example/2", html))
    assert "Ann" not in result.text
    assert result.metadata == before
    assert result.metadata is result.metadata


def shared(pages, page):
    counts = CountMeanMin()
    for each in pages:
        counts.add(part_keys(each))
    return SharedParts(len(pages), counts.counts(part_keys(page)))


def on_site(titles, body=""):
    """Read the titles of pages of one site, which all show the same."""
    pages = [Page(f"{ADDRESS}/{n}", f"<title>{title}</title>{body}{TEXT}") for n, title in enumerate(titles)]
    return [page_metadata(page, shared(pages, page)).title for page in pages]


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("A", ["A"]),
        ("A - B | C", ["A", " - ", "B", " | ", "C"]),
        ("A-B|C", ["A-B", "|", "C"]),
        ("A (B - C) - D", ["A (B - C)", " - ", "D"]),
        ("C::D e :: F", ["C::D e", " :: ", "F"]),
        ("pg_depend and std::any", ["pg_depend and std::any"]),
        ("水獭_新浪网", ["水獭", "_", "新浪网"]),
        ("水獭——新浪网", ["水獭", "——", "新浪网"]),
        ("水獭——新浪 网", ["水獭——新浪 网"]),
        ("Otters—News", ["Otters", "—", "News"]),
        ("Otters @ News", ["Otters", " @ ", "News"]),
        ("a@b", ["a@b"]),
        ("| A |", ["| A", " |", ""]),
        ("- A -", ["- A -"]),
        ("Otters_ - News", ["Otters_", " - ", "News"]),
        ("", [""]),
    ],
)
def test_parts_of_titles(title, parts):
    assert split(title) == parts


def test_names_of_one_meta_element():
    told = read(
        '<meta name="twitter:title" property="og:title" content="Otters return today">'
        '<meta data-x itemprop="datePublished" value="2024-05-31" content=""><meta content="de" http-equiv="Content-Language">'
    )
    assert (told.title, told.published, told.language) == ("Otters return today", "2024-05-31", "de")


ANIMALS = ["Otters", "Pine martens", "Badgers", "Stoats", "Weasels", "Mink", "Polecats", "Wolverines"]


@pytest.mark.parametrize(
    ("form", "heading", "own"),
    [
        # half of the pages and more have a part
        ("{} - The Long Name Of A Handbook", "", "{}"),
        ("The Long Name Of A Handbook: Animals » {}", "The Long Name Of A Handbook: Animals", "{}"),
        ("{} | Wild | Animals", "Animals", "{}"),
        ("Fur – {}, and where they live", "Fur", "{}, and where they live"),
        # a number alone makes no difference
        ("Animals of 2012 ({}) - Handbook", "Handbook", "Animals of 2012 ({})"),
        # what all pages have is no title if they show one
        ("The Handbook - For All", "", "The Handbook - For All"),
    ],
)
def test_what_half_of_a_site_shares_is_no_title(form, heading, own):
    titles = [form.format(animal) for animal in ANIMALS]
    assert on_site(titles, f"<h1>{heading}</h1>") == [own.format(animal) for animal in ANIMALS]


def test_sections_and_numbers():
    """A section has several pages; pages of one thread differ in their number alone."""
    books = [f"{animal} : {('Rivers', 'Woods')[n % 2]}" for n, animal in enumerate(ANIMALS)]
    assert on_site(books, "<h1>Rivers</h1>")[::2] == ANIMALS[::2]
    threads = [f"What do {animal} eat? - Page {n} - Forum" for animal in ANIMALS[:3] for n in (2, 3, 4)]
    assert on_site(threads) == [title.removesuffix(" - Forum") for title in threads]
    signs = [f"{animal} (Index - {animal[0]})" for animal in ANIMALS]
    assert on_site(signs) == signs


def test_a_part_that_few_pages_share_is_taken_off_if_the_other_part_is_much_rarer():
    seasons = ["Otters - Spring", "Otters - Summer", "Otters - Autumn", "Otters - Winter"]
    assert on_site([*seasons[:2], *ANIMALS[1:]], "<h1>Otters</h1>")[:2] == seasons[:2]
    assert on_site([*seasons, *ANIMALS[1:]], "<h1>Otters</h1>")[:2] == ["Spring", "Summer"]


def test_a_title_that_all_pages_have_is_less_than_what_they_show():
    pages = [
        Page(f"{ADDRESS}/{n}", f"<title>The Handbook</title><h1>The Handbook</h1><h1>{animal}</h1>{TEXT}")
        for n, animal in enumerate(ANIMALS)
    ]
    assert [page_metadata(page, shared(pages, page)).title for page in pages] == ANIMALS
    assert page_metadata(pages[0]).title == "The Handbook"


def test_few_pages_tell_nothing_of_their_site():
    titles = [f"{animal} - The Long Name Of A Handbook" for animal in ANIMALS]
    assert on_site(titles[:3]) == titles[:3]
    assert on_site(["Otters", "Otters", "Badgers", "Stoats"], "<h1>Otters</h1>")[0] == "Otters"


@pytest.mark.parametrize(
    ("head", "byline"),
    [
        ("", '<p class="byline"><span class="author">{}</span></p>'),
        ("", '<div class="post-author">{}</div>'),
        ('<meta name="author" content="{}">', ""),
        ('<meta content="{}" name="author">', ""),
    ],
)
def test_a_short_word_on_half_of_a_site_is_no_author(head, byline):
    def authors(names):
        pages = [
            Page(
                f"{ADDRESS}/{n}",
                f"<title>Otters {n}</title>{head.format(name)}<h1>Otters {n}</h1>{byline.format(name)}{TEXT}",
            )
            for n, name in enumerate(names)
        ]
        return [page_metadata(page, shared(pages, page)).author for page in pages]

    assert authors(["Sport", "Sport", "Sport", "Sport", "Ann Lee"]) == [None] * 4 + ["Ann Lee"]
    assert authors(["Ann Lee"] * 5) == ["Ann Lee"] * 5
    assert authors(["Sport"] * 3) == ["Sport"] * 3
    assert authors(["Ann", "Bo", "Cy", "Dee", "Ed"]) == ["Ann", "Bo", "Cy", "Dee", "Ed"]
    assert authors(["王伟"] * 5) == ["王伟"] * 5


def test_authors_and_days_are_read_when_they_are_asked_for(monkeypatch):
    asked = []
    search = Markup.authors
    monkeypatch.setattr(Markup, "authors", lambda self: asked.append(1) or search(self))
    told = read("<title>Otters</title>", '<h1>Otters</h1><p class="byline">By Ann Lee</p>')
    assert (told.title, asked) == ("Otters", [])
    assert (told.author, told.author, asked) == ("Ann Lee", "Ann Lee", [1])
    with pytest.raises(AttributeError, match="'Metadata' object has no attribute 'name'"):
        told.name  # noqa: B018
