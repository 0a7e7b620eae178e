"""Footnotes, found in the columns of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.page.footnotes import LONGEST, footnotes
from detemplate.page.page import Page

BACK = "<a href=#r1>^</a>"


def found(body: str) -> list[tuple[str, str]]:
    page = Page("http://e.org/", f"<body>{body}")
    return [(text_in(page, link), text_in(page, note)) for link, note in footnotes(page)]


def text_in(page: Page, row: int) -> str:
    return " ".join(page.segment_text(number) for number in page.segments_in(row))


@pytest.mark.parametrize(("link", "note", "wanted"), [
    ("<sup id=r1><a href=#n1>1</a></sup>", f"<li id=n1>Note {BACK}", True),
    ("<sup><a id=r1 href=#n1>1</a></sup>", f"<li id=n1>Note {BACK}", True),
    ("<a id=r1 href=#n1><sup>1</sup></a>", f"<p id=n1>Note {BACK}", True),
    ("<a name=r1 href=#n1><sup>1</sup></a>", f"<p><a name=n1></a>Note {BACK}", True),
    ("<span id=r1><sup>[<a href=#n1>1</a>]</sup></span>", f"<aside id=n1>Note {BACK}</aside>", True),
    ("<sup id=r1><a href=#n1>1</a></sup>", f"<dd><b><i><span id=n1>1</span></i></b> Note {BACK}", True),
    ("<sup id='r&amp;1'><a href='#n&amp;1'>1</a></sup>", "<li id='n&amp;1'>Note <a href='#r&amp;1'>^</a>", True),
    ("<a id=r1 href=#n1>1</a>", f"<li id=n1>Note {BACK}", False),  # not raised
    ("<sup id=r1><a href=#n1>1</a></sup>", "<li id=n1>Note", False),  # nothing leads back
    ("<sup id=r1><a href=#n1>1</a></sup>", f"<li id=n1>Note</li><li>{BACK}", False),
    ("<sup id=r1><a href=#n2>1</a></sup>", f"<li id=n1>Note {BACK}", False),  # leads nowhere
    ("<sup id=r1><a href=other#n1>1</a></sup>", f"<li id=n1>Note {BACK}", False),
    ("<sup id=r1><a href=#>1</a></sup>", f"<li id=n1>Note {BACK}", False),
    ("<sup id=r1><b>a</b><b>b</b><a href=#n1>1</a></sup>", f"<li id=n1>Note {BACK}", False),
    ("<sup id=r1><a href=#n1>1</a></sup>", f"<h2 id=n1>Note {BACK}</h2>", False),
    ("<sup id=r1><a href=#n1>1</a></sup>", f"<li id=n1>{'x' * LONGEST} {BACK}", False),
    ("<p id=n1>x<sup id=r1><a href=#n1>1</a></sup>", f"Note {BACK}", False),  # the link is in the note
])  # fmt: skip
def test_what_is_a_footnote(link, note, wanted):
    got = found(f"Text {link}<p>more</p><div>{note}")
    assert [text for text, _ in got] == (["1"] if wanted else [])
    assert all("Note" in text and "more" not in text for _, text in got)


def test_a_text_that_looks_like_an_id_is_none():
    assert found(f'Text <sup id=r1><a href=#n1>1</a></sup><p title=\' id="n1"\'> id="n1" {BACK}') == []


def test_several_links_to_one_note_and_the_first_of_equal_names():
    links = "<sup id=r1><a href=#n1>1</a></sup> and <sup id=r2><a href=#n1>1</a></sup>"
    notes = f"<li id=n1>First {BACK} <a href=#r2>^</a></li><li id=n1>Second {BACK}</li>"
    assert found(f"Text {links} more <ol>{notes}</ol>") == [("1", "First ^ ^")] * 2


pieces = st.sampled_from((
    "<sup id=r1>", "<sup id=r2>", "</sup>", "<a href=#n1>", "<a href=#n2 id=r2>", "</a>", "<a href=#r1>^</a>",
    "<a href=#r2>^</a>", "<li id=n1>", "</li>", "<p id=n2>", "<div id=n1>", "</div>", "<b>", "</b>", "x", " text ",
    "<svg><a href=#n1>", "</svg>", "<table>", "<td>",
))  # fmt: skip


@given(st.lists(pieces, max_size=30).map("".join))
def test_what_is_found_is_so_in_the_dom(body):
    """The DOM of the canonical text says the same of each pair."""
    page = Page("http://e.org/", f"<body>{body}")
    columns = page.columns
    for link, note in footnotes(page):
        start = page.canonical[columns.start[link] :]
        assert start.startswith(b"<a ")
        assert not note <= link < columns.end[note]
        inside = page.text_of(note).encode()
        back = [name for name in (b"r1", b"r2") if b'href="#%s"' % name in inside]
        assert back
        name = start.split(b'href="#', 1)[1].split(b'"', 1)[0]
        assert b'id="%s"' % name in inside
