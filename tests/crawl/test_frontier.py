"""Which URLs are fetched, in which order."""

from __future__ import annotations

import doctest

import pytest

from detemplate.crawl import focus, urls
from detemplate.crawl.frontier import Entry, Frontier
from detemplate.crawl.options import CrawlOptions
from detemplate.crawl.run import start_urls
from detemplate.errors import UserError


def test_the_examples_of_the_docstrings() -> None:
    for module, examples in ((urls, 3), (focus, 1)):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted) == (0, examples), module.__name__


def test_each_url_is_fetched_once_by_its_best_priority() -> None:
    frontier = Frontier(["http://a.org/", "http://a.org/"], CrawlOptions())
    assert [entry.url for entry in frontier.starts] == ["http://a.org/"]
    late = frontier.offer("http://a.org/x", 3)
    assert late is not None
    assert frontier.offer("http://a.org/x", 4) is None
    early = frontier.offer("http://a.org/x?utm_source=mail", 1)
    assert early is not None
    assert early.url == "http://a.org/x"
    assert early.priority > late.priority
    assert len(frontier) == 2
    assert frontier.claim(early)
    assert not frontier.claim(late)
    assert frontier.offer("http://a.org/x", 0) is None
    assert not frontier.refused
    assert len(frontier) == 1


def test_template_links_go_deeper() -> None:
    frontier = Frontier(["http://a.org/"], CrawlOptions(penalty=2))
    assert frontier.priority(1, 1.0) == frontier.priority(3)
    assert frontier.priority(1, 0.5) == frontier.priority(2)


def test_links_are_refused_with_a_reason() -> None:
    frontier = Frontier(["https://a.org/"], CrawlOptions(depth=2, max_alike=2))
    cases = {
        "ftp://a.org/": "no web address",
        "https://b.org/": "other site",
        "https://a.org/p.PDF": "file type",
        "https://a.org/" + "x" * 3000: "too long",
        "https://a.org/x/y/x/y/x/y/x/y": "trap",
    }
    for url, reason in cases.items():
        assert frontier.offer(url, 1) is None
        assert frontier.refused[reason] == 1, reason
    assert frontier.offer("https://a.org/deep/", 3) is None
    assert frontier.offer("https://a.org/round/", 1, redirects=11) is None
    for day in range(1, 5):
        frontier.offer(f"https://a.org/cal/2026/{day}/", 1)
    assert frontier.refused["too deep"] == frontier.refused["redirects"] == 1
    assert frontier.refused["too many alike"] == 2
    # dotted names, and names without a stem, are no extensions of files
    assert frontier.offer("https://a.org/map.xml.gz", 1)
    assert frontier.offer("https://a.org/.css", 1)


def test_a_redirect_from_a_start_widens_the_scope_within_its_domain() -> None:
    frontier = Frontier(["http://a.org/"], CrawlOptions())
    assert frontier.offer("https://evil.org/", 0, redirects=1) is None
    assert frontier.offer("https://www.a.org/", 1, redirects=1) is None
    assert frontier.offer("https://www.a.org/", 0, redirects=1) == Entry("https://www.a.org/", 0, 1, 0)
    assert frontier.offer("https://www.a.org/x", 1)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"scope": "world"}, "choose from host, domain, directory, any"),
        ({"max_pages": 0}, "--max-pages must be at least 1"),
        ({"depth": -1}, "--depth"),
        ({"delay": -1.0}, "delay"),
        ({"delay": float("nan")}, "delay"),
        ({"penalty": -1.0}, "penalty"),
        ({"max_fetch_seconds": 0.0}, "above 0"),
        ({"user_agent": "a\r\nX: y"}, "user agent"),
        ({"contact": "më"}, "--contact"),
        ({"proxy": "here:80"}, "proxy"),
    ],
)
def test_wrong_options(given: dict, word: str) -> None:
    with pytest.raises(UserError, match=word):
        CrawlOptions(**given)


def test_start_urls() -> None:
    assert start_urls(["example.org", "HTTP://Example.org:80/A#b"]) == [
        "https://example.org/",
        "http://example.org/A",
    ]
    for wrong in (["ftp://a.org/"], ["http://"], ["http://a b/"], []):
        with pytest.raises(UserError):
            start_urls(wrong)
