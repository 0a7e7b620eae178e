"""A piece of a line of text goes only with its line."""

import pickle

import numpy as np
import pytest

from detemplate.detectors.verdict import Verdict
from detemplate.output.result import Result
from detemplate.output.settled import settled
from detemplate.page.page import Page

SENTENCE = "The old wall of the harbour lost about forty of its stones during that night"


def judged(html, threshold=0.5):
    """Clean a page of which all texts in capitals are template by the method."""
    page = Page("http://e.org/", f"<body>{html}")
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    scores = np.array([0.9 if text.isupper() else 0.1 for text in texts], np.float32)
    return Result(page, settled(page, Verdict(scores, threshold)), "test")


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{SENTENCE}; <strong>WE MADE IT FASTER</strong>! More follows.",
        f"<div>{SENTENCE}, as <a href=/b><b>THE BOOK</b></a> and <a href=/c>ANOTHER</a> say.</div>",
        f"<li>{SENTENCE} (<em>A</em>, <em>B</em>).",
        f"<p>See <span>THE BOOK</span>. {SENTENCE}.<p>ELSEWHERE",
        f"<td>{SENTENCE}<sup><a href=#n>1</a></sup> <i>IN SPRING</i> of that year.<br>The end.",
    ],
)
def test_a_line_stays_whole(html):
    result = judged(html)
    page = result.page
    inside = [text for text in map(page.segment_text, range(result.segments)) if text.isupper()]
    assert [text for text in inside if text in result.text] == [
        text for text in inside if text != "ELSEWHERE"
    ]
    scores = result.verdict.scores[~result.verdict.template]
    assert (scores == np.float32(0.1)).all()
    again = pickle.loads(pickle.dumps(result))
    number = next(n for n in range(result.segments) if page.segment_text(n) == inside[0])
    assert again.explained(number)["causes"] == [{"cause": "line", "weight": -1.0}]


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{SENTENCE}. <a href=/s>SHARE</a>",  # at its end
        f"<p><b>TAGS</b> {SENTENCE}.",  # at its start
        f"<p>{SENTENCE}<br><b>ADVERTISEMENT</b><br>and so on.",  # a line of its own
        "<p>by <a>A. LEE</a> in <a>NEWS</a>, yesterday",  # no running text
        f"<p>{SENTENCE} <b>{SENTENCE.upper()} AND MORE</b> of it",  # most of the line
        f"<div>{SENTENCE}<p>A BLOCK</p>of it</div>",  # a block of its own
    ],
)
def test_what_is_no_piece_of_a_line_goes(html):
    result = judged(html)
    assert not any(result.page.segment_text(n).isupper() for n in (~result.verdict.template).nonzero()[0])
    assert result.template_segments


def test_a_piece_that_is_not_seen_goes_all_the_same():
    result = judged(f"<p>{SENTENCE} <span hidden>AND NOT SEEN</span> of it")
    assert "SEEN" not in result.text
    assert result.removed()[0]["causes"] == [{"cause": "unseen", "weight": 1.0}]


def test_no_verdict_is_changed_where_all_is_kept():
    html = f"<p>{SENTENCE} <b>IN SPRING</b> of it"
    assert judged(html, threshold=1).verdict.scores.max() == np.float32(0.9)
    assert judged("").segments == 0
