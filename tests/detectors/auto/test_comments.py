"""Readers' comments below an article."""

import numpy as np
import pytest

from detemplate import Cleaner, Page
from detemplate.detectors.auto.rules import readers_comments
from detemplate.detectors.causes import causes_of

TEXT = (
    "the otters of the river were counted in the spring of each year by those who live beside it so we know"
)
"""Running text: 22 words."""

ARTICLE = f"<div class=story>{f'<p>{TEXT}</p>' * 3}</div>"


def commented(body, removed=frozenset()):
    """Give the texts of comments."""
    page = Page("http://e.org/", body)
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    kept = np.array([text not in removed for text in texts], bool)
    found = readers_comments(page, kept, np.array([len(text.split()) for text in texts], np.int32))
    return [text for text, one in zip(texts, found, strict=True) if one]


@pytest.mark.parametrize(("body", "wanted"), [
    (f"{ARTICLE}<div id=comments><p>Fine</p><p>Not so</p></div><p>foot</p>", ["Fine", "Not so"]),
    (f"{ARTICLE}<ol class='x CommentList'><li>Fine</li></ol>", ["Fine"]),
    (f"{ARTICLE}<ul class=user-comment><li class=comment>a<li class=comment>b</ul>c", ["a", "b"]),
    (f"{ARTICLE}<section class=kommentare>a</section><div id=disqus_thread>b</div>", ["a", "b"]),
    (f"{ARTICLE}<div class=comentarios>a</div><div id=komentarze>b</div><div class=opinie>c</div>", ["a", "b", "c"]),
    (f"<body class=comments-open>{ARTICLE}<p>a</p>", []),
    (f"<div class=comment>{ARTICLE}</div><p>a</p>", []),
    (f"<div class=comment-count>2</div>{ARTICLE}<div class=comment>a</div>", ["a"]),
    (f"{ARTICLE}<div class=commentary>a</div><div class=commentators>b</div>", []),
    (f"{ARTICLE}<p>see <span class=comment>a</span></p><pre><i class=comment># b</i></pre>", []),
    (f"{ARTICLE}<svg class=comment><text>a</text></svg><math id=comments><mtext>b</mtext></math>", []),
    (f"{ARTICLE}<p>say ' class=\"comments\"' there</p>", []),
    (f"<p>{TEXT}</p><div class=comments>a</div>", []),
    (f"<p>{TEXT}</p><div class=comments><p>{TEXT}</p><p>{TEXT}</p></div>", []),
    ("<p>a</p><div class=comments>b</div>", []),
    ("", []),
])  # fmt: skip
def test_which_texts_are_comments(body, wanted):
    assert commented(f"<title>t</title>{body}") == wanted


def test_the_option_drops_them_and_says_why():
    said = "".join(f"<li class=comment><p>I have seen {n} of them, and {TEXT}</p></li>" for n in range(4))
    html = f"<title>Counting otters</title><h1>Counting otters</h1>{ARTICLE}<div id=comments><h2>What was said</h2><ol>{said}</ol></div>"
    judged = Cleaner("auto").clean(("http://e.org/", html))
    dropped = Cleaner("auto", comments="drop").clean(("http://e.org/", html))
    assert "I have seen 3" in judged.text
    assert "I have seen" not in dropped.text
    assert TEXT in dropped.text
    reasons = [dropped.verdict.explain(n) for n in np.flatnonzero(dropped.verdict.template).tolist()]
    assert len(reasons) == 5
    assert set(reasons) == {"in an element that is named for readers' comments"}
    (cause,) = causes_of(reasons[0])
    assert (cause.code, cause.weight) == ("comments", 1.0)
