"""Text that a page hides from its readers: it goes, whatever the method says; what scripts may open stays."""

import pickle

import numpy as np
import pytest

from detemplate.detectors.verdict import Verdict
from detemplate.output.result import Result
from detemplate.output.settled import settled
from detemplate.page.page import Page

ARTICLE = "<p>" + "What readers see goes on for a while. " * 20 + "</p>"


def kept(html, threshold=0.5):
    page = Page("http://e.org/", f"<body>{ARTICLE}{html}")
    verdict = Verdict(np.zeros(len(page.segments), np.float32), threshold)
    return Result(page, settled(page, verdict), "test")


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>gone</p>",
        '<div hidden=""><p>gone</p></div>',
        "<section aria-hidden=true style='color: red; DISPLAY : none !important'>gone</section>",
        "<p class=note id=n style=visibility:hidden>gone</p>",
        "<p>The <span class=term>wall<span class=tip style=display:none>gone</span></span> stands.",
        "<div class=overlay style=display:none>gone</div>",
        "<dialog id=d>gone</dialog>",
        "<p>See <a href=/r>this <svg><title>gone</title><desc>gone</desc><path d=M0 /></svg></a>",
        "<p>x<span class=s id=i style='position:absolute;left:-9999px'>gone</span>",
        "<h2><span style='position: absolute; clip: rect(1px, 1px, 1px, 1px)'>gone</span>x</h2>",
        "<b style='position:absolute; width:1px; clip-path: inset(50%)'>gone</b>",
    ],
)
def test_what_readers_do_not_see_goes(html):
    result = kept(html)
    for output in (result.text, result.markdown, result.html):
        assert "gone" not in output
        assert "What readers see" in output
    assert {each["text"]: each["causes"] for each in pickle.loads(pickle.dumps(result)).removed()} == {
        "gone": [{"cause": "unseen", "weight": 1.0}]
    }
    assert "gone" in kept(html, threshold=1).text


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden=until-found>stays</div>",
        "<div id=tab-2 role=tabpanel hidden>stays</div>",
        "<div data-tab=2 style=display:none>stays</div>",
        "<div class=panel>open</div><div class=panel style=display:none>stays</div>",
        "<style>.fold { display: block }</style><div class=fold hidden>stays</div>",
        "<p id=more style=display:none>stays " + "It goes on for a while. " * 20,
        "<div style=display:none>stays " + "It goes on for a while. " * 60 + "</div>",
        "<dialog open>stays</dialog>",
        "<p>A claim.<span>1<span class=footnoteContent style=display:none>stays</span></span>",
        "<span style='position:absolute; clip:rect(1px, 1px, 1px, 1px)'><math><mi>stays</mi></math></span>",
        "<p style='mso-display:none; left:-9999px'>stays",
        "<p style='position:absolute; left:-9px'>stays",
        "<svg><text>stays</text></svg>",
        "<details><summary>Title</summary>stays</details>",
    ],
)
def test_what_a_script_may_open_stays(html):
    result = kept(html)
    assert "stays" in result.text
    assert not result.template_segments
