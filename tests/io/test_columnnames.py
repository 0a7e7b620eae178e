"""Which columns hold URLs and markup."""

from __future__ import annotations

import pytest

from detemplate.io.columnnames import BODY_NAMES, HTML_NAMES, URL_NAMES, html_column, url_column


@pytest.mark.parametrize(
    ("names", "url", "html"),
    [
        (["url", "html"], "url", "html"),
        (["id", "URL", "raw_html", "html"], "URL", "html"),
        (["URI", "body"], "URI", "body"),
        (["WARC-Target-URI", "content"], "WARC-Target-URI", "content"),
        (["warc_target_uri", "link", "payload"], "warc_target_uri", "payload"),
        (["pageUrl", "Raw HTML"], "pageUrl", "Raw HTML"),
        (["content", "raw_html"], None, "raw_html"),
        (["body", "content"], None, "body"),
        (["text", "title", "curl", "html5"], None, None),
        (["", "-", "_"], None, None),
        ([], None, None),
    ],
)
def test_names_of_others(names, url, html):
    assert url_column(iter(names)) == url
    assert html_column(iter(names)) == html


def test_the_same_spelling_stands_before_another_and_the_first_before_the_second():
    assert url_column(["URL", "url"]) == "url"
    assert url_column(["Url", "URL"]) == "Url"
    assert html_column(["HTML", "Html"]) == "HTML"


@pytest.mark.parametrize(
    ("choose", "wanted"), [(url_column, URL_NAMES), (html_column, (*HTML_NAMES, *BODY_NAMES))]
)
def test_preferred_names_stand_first(choose, wanted):
    for place, name in enumerate(wanted):
        assert choose(reversed(wanted[place:])) == name
        assert choose([name.upper().replace("_", "-")]) == name.upper().replace("_", "-")
