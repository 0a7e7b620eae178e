"""Which URLs are fetched, in which order."""

from __future__ import annotations

import pytest

from detemplate.crawl.run import start_urls
from detemplate.errors import UserError


def test_start_urls() -> None:
    assert start_urls(["example.org", "HTTP://Example.org:80/A#b"]) == [
        "https://example.org/",
        "http://example.org/A",
    ]
    for wrong in (["ftp://a.org/"], ["http://"], ["http://a b/"], []):
        with pytest.raises(UserError):
            start_urls(wrong)
