"""Labels of segments from the gold, on made pages; on real pages the content segments must be the gold."""

from detemplate import Page
from lab.labelled.pages import Gold
from lab.labelled.segmentlabels import (
    CONTENT,
    NEUTRAL,
    TEMPLATE,
    UNTOLD,
    content_text,
    label_segments,
    label_values,
)  # fmt: skip


def labels(html, text, comments=""):
    return label_segments(Page("http://a/1", html), Gold(text=text, comments=comments)).label.tolist()


def test_a_page_by_hand():
    html = "<ul><li>Home<li>About us</ul><p>One two <b>three</b></p><i>·</i><footer>Legal</footer>"
    page = Page("http://a/1", html)
    result = label_segments(page, Gold(text="one two, three"))
    assert result.label.tolist() == [TEMPLATE, TEMPLATE, CONTENT, CONTENT, NEUTRAL, TEMPLATE]
    assert result.words.tolist() == [1, 2, 2, 1, 0, 1]
    assert result.aligned == 1
    assert content_text(page, result) == "One two\nthree"


def test_comments_are_neutral_but_content_is_content():
    html = "<p>one two three</p><div>nice text</div><p>four five</p><div>two three four</div>"
    assert labels(html, "one two three four five", "nice text two three four") == [
        CONTENT,
        NEUTRAL,
        CONTENT,
        NEUTRAL,
    ]
    # A word that is aligned with the content is not aligned with the comments, too.
    assert labels("<p>one</p><p>two</p>", "one", "one") == [CONTENT, TEMPLATE]


def test_values_are_found_in_any_order_and_of_the_rest_nothing_is_told():
    page = Page(
        "http://e.org/",
        "<p>Jobs</p><h1>Baker</h1><p>Rome, Italy</p><p>We bake <b>fine</b> bread</p><p>***</p><p>Jobs</p><p>Jobs",
    )
    labels = label_values(page, ["We bake fine bread", "Rome", "Baker", "Jobs", "Paris"])
    # Half of "Rome, Italy" is a value. "Jobs" stands there too often to say which is meant.
    wanted = [UNTOLD, CONTENT, CONTENT, CONTENT, CONTENT, CONTENT, NEUTRAL, UNTOLD, UNTOLD]
    assert labels.label.tolist() == wanted
    assert labels.words.tolist() == [1, 1, 2, 2, 1, 1, 0, 1, 1]
    assert labels.aligned == 7 / 8
