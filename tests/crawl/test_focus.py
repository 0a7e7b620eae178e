"""Focused crawling: the relevance of links, and the order in which pages come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.support.siteserver import SiteServer
from detemplate import Cleaner, Page
from detemplate.crawl.focus import Topic, link_relevance

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.lists(st.sampled_from(["climbing", "rock", "rope", "tea", "the", "of"]), max_size=12).map(" ".join)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=5))
def test_relevance_grows_with_the_topics_words(text: str, more: str, pages: list[str]) -> None:
    topic = Topic("rock climbing")
    for page in pages:
        topic.learn(page)
    relevance = topic.relevance(text)
    assert 0 <= relevance < 1
    assert (relevance > 0) == bool({"rock", "climbing"} & set(text.split()))
    assert topic.relevance(f"{text} {more}") >= relevance
    assert topic.relevance(f"{text} ROCK") > relevance


def test_words_on_every_page_tell_little(tmp_path: Path) -> None:
    topic = Topic("the rope")
    assert topic.relevance("the") == topic.relevance("rope")
    for _ in range(50):
        topic.learn("the page of a site")
    assert topic.relevance("the") < topic.relevance("rope") / 50
    examples = tmp_path / "examples.txt"
    examples.write_text("rope rope rope knots\n\nrope and knots and tea\n")
    topic = Topic(f"@{examples}")
    assert topic.relevance("rope") > topic.relevance("knots") > topic.relevance("tea") > 0
    # scripts without spaces between words
    assert Topic("登山技术").relevance("这本书讲登山的技术") > 0


MENU = "<ul><li><a href='/menu1'>rock climbing</a><li><a href='/menu2'>all about rock</a><li><a href='/menu3'>rope</a></ul>"


def article(number: int, text: str, links: str) -> str:
    filler = " ".join(f"tea{number * 5 + step}" for step in range(30))
    body = f"<main><h1>Page {number}</h1><p>{text} {filler}</p><div>{links}</div></main>"
    return f"<html><body><nav>{MENU}</nav>{body}<footer>the rock climbing club, all rights</footer></body></html>"


def test_links_have_the_relevance_of_content_pagelet_and_anchor() -> None:
    cleaner = Cleaner()
    pages = [article(number, "tea", f"<a href='/{number}x'>cups</a>") for number in range(8)]
    pages.append(
        article(
            9,
            "on rock climbing",
            "<a href='/a'>a rock face</a> <p>" + "and then " * 12 + "<a href='/b'>a cup</a></p>",
        )
    )
    for number, html in enumerate(pages):
        page = Page(f"http://a.org/{number}", html)
        result = cleaner.learn_and_clean(page)
    links, base, scores = link_relevance(page, result.verdict, Topic("rock climbing"))
    by_url = dict(zip(links.urls, zip(base, scores, strict=True), strict=True))
    assert by_url["http://a.org/a"][0] > by_url["http://a.org/b"][0] > 0
    assert by_url["http://a.org/a"][1] < 0.2
    assert by_url["http://a.org/menu1"][1] == 1
    links, blind, none = link_relevance(page, None, Topic("rock climbing"))
    whole = dict(zip(links.urls, blind, strict=True))
    assert whole["http://a.org/menu1"] > by_url["http://a.org/menu1"][0]
    assert not none.any()
    links, base, scores = link_relevance(Page("http://a.org/", "<p>no link"), None, Topic("rock"))
    assert len(links) == len(base) == len(scores) == 0
    assert np.isfinite(blind).all()


def test_the_order_of_crawls(crawl) -> None:
    """Relevant content first with a focus; links in templates late with a penalty."""
    links = " ".join(f"<p><a href='/{name}'>{name}</a>" for name in ("tea0", "tea1", "tea2", "tea3", "rock0"))
    pages = {"/": f"<h1>Start</h1>{links}"}
    pages |= {
        f"/tea{n}": article(20 + n, "tea", f"<a href='/tea{n + 4}'>cup number {n * 7}</a>") for n in range(12)
    }
    pages |= {
        f"/rock{n}": article(60 + n, "rock climbing", f"<a href='/rock{n + 1}'>face {n * 5}</a>")
        for n in range(6)
    }
    pages |= {f"/menu{n}": article(90 + n, "menu", f"<a href='/more{n}'>more</a>") for n in (1, 2, 3)}
    orders = {}
    with SiteServer(pages) as server:
        for name, options in {
            "plain": (),
            "later": ("--template-penalty", 3),
            "whole": ("--focus", "rock climbing", "--whole-pages"),
            "own": ("--focus", "rock climbing"),
        }.items():
            server.log.clear()
            assert crawl(server.url(), *options, "-o", "c.warc.gz").code in {0, 3}
            orders[name] = [one.target for one in server.log if one.target in pages]
    assert {len(order) for order in orders.values()} == {len(pages)}

    def mean_place(order: list[str], beginning: str) -> float:
        return float(np.mean([place for place, path in enumerate(order) if path.startswith(beginning)]))

    assert mean_place(orders["later"], "/menu") > mean_place(orders["plain"], "/menu")
    assert mean_place(orders["own"], "/rock") < mean_place(orders["plain"], "/rock")
    assert mean_place(orders["own"], "/rock") < mean_place(orders["whole"], "/rock")
    assert mean_place(orders["own"], "/menu") > mean_place(orders["whole"], "/menu")


def test_what_good_hubs_link_to_comes_first(crawl) -> None:
    """Eight lists name the same good pages; four lists that are more about the topic do not."""
    good = [f"good{n}" for n in range(12)]

    def listing(number: int) -> str:
        names = [f"only{number}x{n}" for n in range(10)] + (good if number >= 4 else [])
        items = "".join(f"<p><a href='/{name}'>rock climbing {name}</a>" for name in names)
        text = "rock climbing " * (40 if number < 4 else 4)
        return f"<h1>List {number}</h1><p>{text} tea{number}</p><div>{items}</div>"

    starts = "".join(f"<p><a href='/list{n}'>rock {n}</a>" for n in range(12))
    pages = {"/": f"<h1>Start</h1><div>{starts}</div>"} | {f"/list{n}": listing(n) for n in range(12)}
    pages |= {f"/{name}": f"<h1>{name}</h1><p>text of {name}" for name in good}
    pages |= {f"/only{n}x{m}": f"<h1>{n} {m}</h1><p>text {n * 10 + m}" for n in range(12) for m in range(10)}
    focus = ("--focus", "rock climbing", "--whole-pages")  # short lists look like template
    places = {}
    with SiteServer(pages) as server:
        for name, options in {"whole": (), "distilled": ("--distill",)}.items():
            server.log.clear()
            assert crawl(server.url(), *focus, *options, "-o", "c.warc.gz").code == 0
            order = [one.target for one in server.log if one.target in pages]
            assert len(order) == len(pages)
            places[name] = [order.index(f"/{page}") for page in good]
    assert np.mean(places["distilled"]) < np.mean(places["whole"]) - 3, places
