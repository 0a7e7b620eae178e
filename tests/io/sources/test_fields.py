"""Which field of a row is the page, and which its URL."""

import re
from pathlib import Path

import pytest

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.fields import GENERAL_NAMES, HTML_NAMES, NESTED, URL_NAMES, FieldNames, RecordMaker

PLACE = SourceRef("x", 7)


def make(fields, **names):
    return RecordMaker(FieldNames(**names), 100, "file:///x").record(fields, PLACE)


def record(fields, **names):
    made = make(fields, **names)
    assert isinstance(made, Record), made
    return made


@pytest.mark.parametrize("name", [*URL_NAMES, "URL", "WARC-Target-URI", "Page URL"])
def test_names_of_urls(name):
    made = record({"n": 1, name: " http://e.org/ ", "html": "<p>"})
    assert (made.url, made.html, made.carried, made.site) == ("http://e.org/", "<p>", {"n": 1}, None)


@pytest.mark.parametrize("name", [*HTML_NAMES, *GENERAL_NAMES, "HTML", "Raw HTML"])
def test_names_of_pages(name):
    assert record({"url": "u", name: "<p>a"}).html == "<p>a"
    assert record({"url": "u", name: b"<p>a"}).html == b"<p>a"
    assert isinstance(make({"url": "u", name: None}), Skip)


def test_fields_in_objects():
    """Documents of datatrove, and records that keep headers apart."""
    made = record({"text": "<p>a", "id": "1", "metadata": {"url": "http://e.org/1", "date": "d"}})
    assert (made.url, made.html) == ("http://e.org/1", "<p>a")
    assert made.carried == {"id": "1", "metadata": {"url": "http://e.org/1", "date": "d"}}
    made = record({"warc_headers": {"WARC-Target-URI": "u"}, "response": {"body": "<p>b", "status": 200}})
    assert (made.url, made.html) == ("u", "<p>b")
    assert made.carried["response"] == {"status": 200}


def test_records_without_a_url_are_one_site():
    for fields in ({"html": "<p>"}, {"html": "<p>", "url": ""}, {"html": "<p>", "url": 5}):
        made = record(fields)
        assert (made.url, made.site) == ("file:///x#7", "file:///x")
    assert record({"html": "<p>", "site": "own"}).site == "own"


def test_names_that_are_said():
    fields = {
        "url": "u",
        "html": "<p>h",
        "a.b": 1,
        "a": {"page": "words", "at": "http://e.org/"},
    }
    made = record(dict(fields), html="a.page", url="a.at")
    assert (made.html, made.url) == ("words", "http://e.org/")
    assert made.carried["html"] == "<p>h"
    skip = make({"url": "u", "html": "<p>", "n": 1}, html="page")
    assert (skip.reason, skip.detail) == (
        "bad record",
        "no 'page' that is a string; its keys are 'html', 'n'",
    )
    skip = make({"url": "u", "html": "<p>"}, url="address")
    assert skip.detail == "no 'address' that is a string"


def test_an_id_names_records_without_a_url():
    assert record({"html": "<p>", "key": "k1"}, id="key").url == "file:///x#k1"
    assert record({"html": "<p>", "meta": {"n": 5}}, id="meta.n").url == "file:///x#5"
    assert record({"html": "<p>"}, id="key").url == "file:///x#7"
    assert record({"html": "<p>", "key": "k1"}, id="key").carried == {"key": "k1"}
    assert record({"html": "<p>", "key": "k1", "url": "u"}, id="key").url == "u"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"url": b"\xff", "html": "<p>"}, "'url' is not UTF-8"),
        ({"site": b"\xff", "html": "<p>"}, "'site' is not UTF-8"),
        ({"site": 1, "html": "<p>"}, "'site' is not a string"),
        ({f"k{n}": 1 for n in range(30)}, "'k11', … (30 in all)"),
        ({"x" * 100: 1}, "x…'"),
    ],
)
def test_bad_records_say_what_they_have(fields, why):
    made = make(fields)
    assert made.rejected
    assert why in made.detail
    assert len(made.detail) < 400


def test_columns_of_a_table():
    assert FieldNames().columns(["url", "text", "Body"], "t") == "Body"
    assert FieldNames().columns(["url", "metadata"], "t") == "metadata"
    assert FieldNames().columns(["Html", "content", "HTML"], "t") == "Html"  # of two spellings, the first
    assert FieldNames().columns(["HTML", "html"], "t") == "html"
    assert FieldNames(html="a.b").columns(["a"], "t") == "a"
    with pytest.raises(UserError, match=r"t has no column whose name says .* 'a', 'b'; .* --html-column"):
        FieldNames().columns(["a", "b"], "t")
    with pytest.raises(UserError, match="several columns named 'a'"):
        FieldNames().columns(["html", "a", "a"], "t")
    for option in ("url", "html", "id"):
        with pytest.raises(UserError, match=rf"no column 'x' \(--{option}-column\); its columns are 'html'"):
            FieldNames(**{option: "x"}).columns(["html"], "t")


def test_the_names_are_documented_in_their_order():
    text = (Path(__file__).parents[3] / "docs" / "formats.md").read_text("utf-8")
    for names, start in (
        ((*HTML_NAMES, *GENERAL_NAMES), "- The **page**"),
        (URL_NAMES, "- The **URL**"),
        (NESTED, "- Both"),
    ):
        listed = re.findall(r"`(\w+)`", text[text.index(start) :])
        assert tuple(listed[: len(names)]) == names


@pytest.mark.parametrize(
    ("fields", "html"),
    [
        ({"text": "a < b", "content": "<p>c", "body": "no tag"}, "<p>c"),
        ({"text": "<p>t", "raw_html": "<p>r", "body": "<p>b"}, "<p>r"),
        ({"body": "<p>b", "html": "plain"}, "<p>b"),
        ({"body": "plain", "html": ""}, ""),
        ({"text": "plain", "html": "plain too"}, "plain too"),
        ({"content": {"deep": 1}, "text": "<p>t"}, "<p>t"),
        ({"raw_html": "", "html_content": "<p>c"}, "<p>c"),
    ],
)
def test_the_first_that_holds_markup(fields, html):
    assert record({"url": "u", **fields}).html == html
