"""The parts for Scrapy projects, in the example project and by themselves."""

import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Request, Response, TextResponse
from scrapy.utils.test import get_crawler

import detemplate.crawl
from benchmarks.support.siteserver import Answer, SiteServer
from detemplate import Cleaner
from detemplate.crawl import CleanMiddleware, CleanPipeline, TemplatePriorityMiddleware, WarcPipeline
from detemplate.errors import UserError
from tests.support.crawls import answers, records, rows, site
from tests.support.hostileserver import hostile_server

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_project(tmp_path):
    project = shutil.copytree(EXAMPLES / "scrapy_project", tmp_path / "project")
    book = {f"/book/{path.name}": path.read_text("utf-8") for path in (EXAMPLES / "rustbook").glob("*.html")}
    book["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /book/ch0[\n", type="text/plain")
    with SiteServer(book, compressed=True) as server:
        begin = server.url(path="/book/ch00-00-introduction.html")
        scrapy = (
            sys.executable, "-m", "scrapy", "crawl", "pages", "-a", f"start={begin}", "-O", "items.jsonl",
        )  # fmt: skip
        done = subprocess.run(
            (*scrapy, "-s", "DOWNLOAD_DELAY=0.001", "-s", "LOG_LEVEL=WARNING"),
            cwd=project, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        asked = [one.target for one in server.log]
    assert "WARNING" not in done.stderr, done.stderr
    assert "Error" not in done.stderr, done.stderr
    items = rows(project / "items.jsonl")
    assert {item["url"] for item in items} == {
        server.url(path=path) for path in book if path != "/robots.txt"
    }
    assert {*items[0]} == {"url", "title", "text", "markdown"}
    [variables] = [item for item in items if "ch03-01" in item["url"]]
    assert variables["text"].startswith("Variables and Mutability")
    assert "```rust" in variables["markdown"]
    # from the second page on, the sidebar is known
    assert all(
        "Guessing Game Tutorial" not in item["text"] for item in items[2:] if "ch02" not in item["url"]
    )
    # all that was fetched is in the archive: pages, pages that are missing, robots.txt
    assert len(
        [one for one in records(project / "book.warc.gz") if one[0] in {"response", "revisit"}]
    ) == len(asked)
    pages = answers(project / "book.warc.gz")
    assert pages == {
        server.url(path=path): html.encode() for path, html in book.items() if isinstance(html, str)
    }
    with Cleaner.load(project / "templates.db") as cleaner:
        assert cleaner.sites == 1


@dataclass
class Item:
    link: str
    page: str | bytes | None = None
    text: str | None = None
    clean_html: str | None = None


def clean_pipeline(**settings):
    return CleanPipeline.from_crawler(get_crawler(settings_dict=settings))


def test_items_get_cleaned_fields(tmp_path):
    store = str(tmp_path / "t.db")
    names = {"DETEMPLATE_URL_FIELD": "link", "DETEMPLATE_HTML_FIELD": "page", "DETEMPLATE_STORE": store}
    names |= {"DETEMPLATE_FORMATS": ["text", "html"], "DETEMPLATE_FIELDS": {"html": "clean_html"}}
    names |= {"DETEMPLATE_METHOD": "segments", "DETEMPLATE_OPTIONS": {"min_df": 2}}
    pages = [(f"http://a{path}", html) for path, html in site(6).items()]
    pipeline = clean_pipeline(**names)
    items = [pipeline.process_item(Item(url, html)) for url, html in pages]
    with Cleaner("segments", min_df=2) as cleaner:
        expected = [cleaner.learn_and_clean(page) for page in pages]
    assert [(item.text, item.clean_html) for item in items] == [(one.text, one.html) for one in expected]
    assert [item.page for item in items] == [html for _, html in pages]
    # an item without a page, and a page that cannot be cleaned
    assert pipeline.process_item(Item("http://a/none")) == Item("http://a/none")
    lost = pipeline.process_item(Item("http://a/empty", ""))
    assert (lost.text, lost.clean_html) == (None, None)
    assert pipeline._fields._stats.get_value("detemplate/lost/empty") == 1
    assert pipeline._fields._stats.get_value("detemplate/cleaned") == 6
    pipeline.close_spider()
    # the next crawl goes on with what this one has learned
    again = clean_pipeline(**names)
    assert "All rights" not in again.process_item(Item(*pages[0])).text
    again.close_spider()
    with pytest.raises(UserError, match="method"):
        clean_pipeline(**(names | {"DETEMPLATE_METHOD": "sandwich"}))


def test_responses_and_dropped_html():
    pipeline = clean_pipeline(DETEMPLATE_KEEP_HTML=False, DETEMPLATE_FORMATS=["html", "markdown"])
    page = HtmlResponse(
        "http://a/é", body="<h1>Caf\xe9</h1><p>of one page".encode("latin-1"), encoding="latin-1"
    )
    item = pipeline.process_item({"html": page})
    assert item["markdown"].startswith("# Café")
    assert "<h1>Café</h1>" in item["clean_html"]
    assert "html" not in item


class Declared(scrapy.Item):
    url = scrapy.Field()
    html = scrapy.Field()
    text = scrapy.Field()


@dataclass
class Page:
    url: str
    html: Any = None
    text: str | None = None


def test_a_middleware_for_items_without_a_page(tmp_path):
    store = str(tmp_path / "t.db")
    settings = {
        "DETEMPLATE_FORMATS": ["text", "md"],
        "DETEMPLATE_STORE": store,
        "DETEMPLATE_METHOD": "segments",
    }
    settings |= {"DETEMPLATE_OPTIONS": {"min_df": 2}, "DETEMPLATE_FIELDS": {"text": "body"}}
    crawler = get_crawler(settings_dict=settings)
    middleware = CleanMiddleware.from_crawler(crawler)
    pages = [(f"http://a{path}", html) for path, html in site(6).items()]
    with Cleaner("segments", min_df=2) as cleaner:
        expected = [cleaner.learn_and_clean(page) for page in pages]
    for (url, html), result in zip(pages, expected, strict=True):
        response = HtmlResponse(url, body=html.encode(), encoding="utf-8", request=Request(url))
        middleware.process_spider_input(response)
        assert response.meta["detemplate"].text == result.text
        given = [{"title": "a"}, Page(url), Declared(url=url), Request("http://a/next", meta=response.meta)]
        item, page, declared, request = middleware.process_spider_output(response, given)
        assert item == {"title": "a", "body": result.text, "markdown": result.markdown}
        assert (page, declared) == (Page(url), Declared(url=url)), "they have no such fields"
        assert "detemplate" not in request.meta
    assert crawler.stats.get_value("detemplate/no_field") == 12
    empty = HtmlResponse("http://a/e", body=b"", request=Request("http://a/e"))
    middleware.process_spider_input(empty)
    assert empty.meta["detemplate"] is None
    assert list(middleware.process_spider_output(empty, [{}])) == [{"body": None, "markdown": None}]
    image = Response("http://a/i", body=b"x", request=Request("http://a/i"))
    middleware.process_spider_input(image)
    assert list(middleware.process_spider_output(image, [{"a": 1}])) == [{"a": 1}]
    crawler.signals.send_catch_log(signals.spider_closed)
    with Cleaner.load(store) as cleaner:
        assert cleaner._sites["a"].pages == 6


def test_answers_of_a_hostile_server_cost_their_items_at_most():
    """Whatever it calls its answers, and however long and broken they are."""
    pipeline = clean_pipeline(DETEMPLATE_MAX_PAGE_BYTES=100_000)
    middleware = TemplatePriorityMiddleware.from_crawler(
        get_crawler(settings_dict={"DETEMPLATE_MAX_PAGE_BYTES": 100_000})
    )
    given = [
        (HtmlResponse("http://a/1", body=b"<p>" + b"long " * 30_000, encoding="utf-8"), "too large"),
        (HtmlResponse("http://a/2", body=b"", encoding="utf-8"), "empty"),
        (HtmlResponse("http://a/3", body=b"\x89PNG\r\n" + bytes(99), encoding="utf-8"), "binary"),
        (Response("http://a/4", body=b"%PDF-1.7"), "binary"),
        (Response("http://a/5", body=b"<p>no type was said"), None),
        (HtmlResponse("http://a/6", body=b"<p>\xff\xfe cut <p", headers={"Content-Type": "text/html;charset=no"}), None),
        (HtmlResponse("http://a/7", body=b"<p>x", headers={"Content-Type": "text/html; charset=utf-7"}), None),
        (HtmlResponse("http://a/8", body=b"<div>" * 19_000 + b"x", encoding="utf-16"), None),
        (TextResponse("http://a/9", body=b"<a href=http://[>" * 5000, encoding="cp037"), None),
    ]  # fmt: skip
    lost = Counter()
    for response, reason in given:
        item = pipeline.process_item({"html": response})
        assert (item["text"] is None) == (reason is not None), response
        middleware.process_spider_input(response)
        assert list(middleware.process_spider_output(response, [Request("http://a/1")])) != []
        lost[reason or ""] += 1
    found = {
        reason: pipeline._fields._stats.get_value(f"detemplate/lost/{reason}") for reason in lost if reason
    }
    assert found == {"too large": 1, "empty": 1, "binary": 2}
    assert pipeline._fields._stats.get_value("detemplate/cleaned") == lost[""]
    assert clean_pipeline().process_item({"html": given[0][0]})["text"]


def test_a_project_meets_a_hostile_server(tmp_path):
    """Answers that do not end, or unfold: Scrapy's limits end them, and the other pages are cleaned."""
    project = shutil.copytree(EXAMPLES / "scrapy_project", tmp_path / "project")
    limits = ("DOWNLOAD_MAXSIZE=200000", "DOWNLOAD_TIMEOUT=2", "RETRY_ENABLED=0", "DOWNLOAD_DELAY=0.001")
    settings = [word for limit in (*limits, "LOG_LEVEL=CRITICAL") for word in ("-s", limit)]
    with hostile_server() as url:
        command = [
            sys.executable, "-m", "scrapy", "crawl", "pages", "-a", f"start={url}", "-O", "items.jsonl",
        ]  # fmt: skip
        done = subprocess.run(
            [*command, *settings], cwd=project, capture_output=True, text=True, check=False, timeout=120
        )
    assert done.returncode == 0, done.stderr
    texts = {item["url"].removeprefix(url).strip("/"): item["text"] for item in rows(project / "items.jsonl")}
    assert texts.pop("charset") == "a page among traps"
    assert texts.pop("").startswith("to charset")
    assert texts == {}


def test_what_is_not_configured():
    with pytest.raises(NotConfigured, match="pdf"):
        clean_pipeline(DETEMPLATE_FORMATS=["pdf"])
    for name in (None, "crawl.zip"):
        with pytest.raises(NotConfigured, match=r"\.warc"):
            WarcPipeline.from_crawler(get_crawler(settings_dict={"DETEMPLATE_WARC": name}))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        detemplate.crawl.nothing  # noqa: B018


def test_links_in_templates_come_later():
    middleware = TemplatePriorityMiddleware.from_crawler(
        get_crawler(settings_dict={"DETEMPLATE_LINK_PENALTY": 30})
    )
    pages = site(12)
    for path, html in pages.items():
        response = HtmlResponse(f"http://a{path}", body=html.encode(), encoding="utf-8")
        middleware.process_spider_input(response)
    found = [
        Request("http://a/1.html"),
        Request("http://a/2.html#x", priority=5),
        Request("http://a/10.html"),
        {"item": 1},
    ]
    first, second, content, item = middleware.process_spider_output(response, found)
    assert (first.priority, second.priority, content.priority) == (-30, -25, 0)
    assert item == {"item": 1}
    # what is no link of the page, no page, or no answer at all keeps its priority
    assert [
        one.priority for one in middleware.process_spider_output(response, [Request("http://b/", priority=2)])
    ] == [2]
    text = TextResponse("http://a/t", body=b"text")
    middleware.process_spider_input(text)
    assert [one.priority for one in middleware.process_spider_output(text, [Request("http://a/1.html")])] == [
        0
    ]


@pytest.mark.parametrize("kind", [dict, Declared, Page])
@pytest.mark.parametrize("html", ["<p>Rain", "", None])
def test_html_that_is_not_kept_leaves_no_key(kind, html):
    pipeline = clean_pipeline(DETEMPLATE_KEEP_HTML=False)
    for _ in range(2):
        item = pipeline.process_item(kind(url="http://a/", html=html))
        assert isinstance(item, kind)
        assert "html" not in ItemAdapter(item).asdict()
        assert ItemAdapter(item).get("text") == ("Rain" if html else None)
    if kind is Page:
        assert Page("http://a/").html is None, "the class is as it was"
        assert not hasattr(item, "html")
