"""Which URLs are fetched, in which order."""

import doctest

import pytest

from detemplate.crawl import focus, frontier
from detemplate.crawl.run import start_urls
from detemplate.errors import UserError


def test_start_urls():
    assert start_urls(["example.org", "HTTP://Example.org:80/A#b"]) == [
        "https://example.org/",
        "http://example.org/A",
    ]
    for wrong in (["ftp://a.org/"], ["http://"], ["http://a b/"], []):
        with pytest.raises(UserError):
            start_urls(wrong)


def test_the_examples_of_the_docstrings():
    for module, examples in ((frontier, 3), (focus, 1)):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted) == (0, examples), module.__name__
