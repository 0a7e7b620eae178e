"""Pickled results, pages and verdicts: they are small, and give all that they gave before."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import detemplate
from detemplate import Page, Verdict
from detemplate.detectors.registry import DETECTORS

BOOK = sorted((Path(__file__).parents[2] / "examples" / "rustbook").rglob("*.html"))
RENDERINGS = ("text", "html", "markdown")
every_method = pytest.mark.parametrize("method", DETECTORS)


def results(method, count=6, **options):
    pages = [(f"https://doc.rust-lang.org/book/{path.name}", path.read_bytes()) for path in BOOK[:count]]
    return detemplate.clean(pages, method, **options)


def everything(result):
    names = (
        *RENDERINGS, "url", "site", "title", "method", "segments", "template_segments", "chars",
        "template_share",
    )  # fmt: skip
    given = {name: getattr(result, name) for name in names}
    given |= {
        "removed": result.removed(),
        "removed texts": result.removed_texts(),
        "sections": result.sections,
    }
    given |= {name: result.as_dict(name, explain=True) for name in RENDERINGS}
    given["reasons"] = [result.verdict.explain(number) for number in range(result.segments)]
    given["scores"] = result.verdict.scores.tolist()
    given["threshold"], given["canonical"] = result.verdict.threshold, result.page.canonical
    return given


@every_method
def test_a_pickled_result_gives_all_that_it_gave(method):
    for number, result in enumerate(results(method, 2)):
        if number % 2:
            assert result.text  # what was rendered before goes along
        other = pickle.loads(pickle.dumps(result))
        assert everything(other) == everything(result)
        again = pickle.loads(pickle.dumps(other))
        assert everything(again) == everything(result)


@every_method
@pytest.mark.parametrize("rendered", [(), RENDERINGS])
def test_a_pickled_result_is_smaller_than_its_page(method, rendered):
    for result in results(method, 2):
        for name in rendered:
            assert getattr(result, name)
        assert len(pickle.dumps(result)) < 0.65 * len(result.page.source)


@pytest.mark.parametrize(
    "html",
    [
        "<p>one<p>two",
        "<meta charset=latin1><p>caf\xe9".encode("latin1"),
        "<p>half \ud800 pair",
        "<iframe src=x /><p>" + "shown after all " * 30,  # read again by a rule
        "<noscript><iframe src=x /></noscript><noscript>"
        + "<p>what scripts would fetch " * 30
        + "</noscript>",
        "<p>" + "deep <div>" * 600,
    ],
)
def test_a_pickled_page_is_its_markup(html):
    page = Page("http://e.org/", html, charset="latin1", site="mine", keep_document=True)
    data = pickle.dumps(page)
    assert len(data) < len(page.source) + 200
    for other in (pickle.loads(data), copy.copy(page), copy.deepcopy(page)):
        assert (other.url, other.site, other.charset, other.source) == (
            "http://e.org/",
            "mine",
            "latin1",
            page.source,
        )
        assert other.canonical == page.canonical
        assert other.segment_keys.tolist() == page.segment_keys.tolist()
        assert other.document is not None
        assert repr(other) == repr(page)
    assert pickle.loads(pickle.dumps(Page("u", html))).document is None
    with pytest.raises(AttributeError, match="'Page' object has no attribute 'nothing'"):
        page.nothing  # noqa: B018


def test_verdicts_pickle_with_their_reasons():
    scores = np.array([0.25, 1], np.float32)
    plain = pickle.loads(pickle.dumps(Verdict(scores)))
    assert (plain.scores.tolist(), plain.threshold, plain.explain(1), plain.sections) == (
        [0.25, 1],
        0.5,
        "",
        None,
    )
    known = Verdict(scores, 0.1, lambda number: f"reason {number}", np.array([0, -1], np.int32))
    for other in (pickle.loads(pickle.dumps(known)), copy.deepcopy(known)):
        assert [other.explain(number) for number in range(2)] == ["reason 0", "reason 1"]
        assert other.sections.tolist() == [0, -1]
        assert other.template.tolist() == [True, True]
