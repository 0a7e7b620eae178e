"""Labels of advertisements go; the same words as terms, headings and links stay."""

import numpy as np
import pytest

from detemplate.detectors.verdict import Verdict
from detemplate.output.settled import settled
from detemplate.page.page import Page

SENTENCE = (
    "The keeper closed the iron shutters before dusk, because the forecast spoke of gusts from the north."
)
PARAGRAPH = f"<p>{SENTENCE} {SENTENCE}</p>"


def removed(html):
    """Return what goes of a page of which a method keeps all."""
    page = Page("http://e.org/a", f"<title>Gusts</title><h1>Gusts</h1>{PARAGRAPH}{html}{PARAGRAPH}")
    verdict = settled(page, Verdict(np.full(len(page.segments), 0.2, np.float32), 0.5))
    assert {str(verdict.explain(number)) for number in verdict.template.nonzero()[0].tolist()} <= {
        "it is the label of an advertisement"
    }
    return [page.segment_text(number) for number in verdict.template.nonzero()[0].tolist()]


@pytest.mark.parametrize(
    "label",
    [
        "<p>Advertisement</p>",
        '<div class="slot"><span>ANZEIGE</span></div>',
        "<div><p>- Publicidad -</p></div>",
        '<aside id="x1"><p>広告</p></aside>',
    ],
)
def test_a_label_goes(label):
    assert len(removed(label)) == 1


@pytest.mark.parametrize(
    "html",
    [
        "<h2>Werbung</h2>",
        "<table><tr><th>Advertising<td>40 %<tr><th>Sales<td>60 %</table>",
        "<ul><li>Reklama<li>Otters</ul>",
        "<p>Advertising <i>and</i> sales</p>",
    ],
)
def test_a_word_stays(html):
    assert removed(html) == []
