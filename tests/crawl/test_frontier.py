"""Which URLs are fetched, in which order."""

from __future__ import annotations

import doctest

import pytest

from detemplate.crawl import focus, urls
from detemplate.crawl.options import CrawlOptions
from detemplate.crawl.run import start_urls
from detemplate.errors import UserError


def test_the_examples_of_the_docstrings() -> None:
    for module, examples in ((urls, 3), (focus, 1)):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted) == (0, examples), module.__name__


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
