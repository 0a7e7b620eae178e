"""The Site Style Tree of Yi, Liu, Li 2003, on sites made by hand."""

import pytest

from detemplate.detectors.styletree import StyleTree, StyleTreeOptions
from detemplate.page.page import Page
from tests.support.helpers import taught

number = iter(range(10**9))


def page(body):
    return Page(f"http://e.org/{next(number)}", f"<!DOCTYPE html><title>t</title><body>{body}")


def learned(*bodies, **options):
    return taught(StyleTree(StyleTreeOptions(**options)), map(page, bodies))


# --- by hand


def test_content_that_is_the_same_and_content_that_differs():
    bodies = "<p>menu</p><p>alpha</p>", "<p>menu</p><p>beta</p>"
    detector = learned(*bodies)
    # H(menu) = log_2 2 = 1; H(alpha) = H(beta) = 0.
    verdict = detector.score(page(bodies[1]))
    assert verdict.scores.tolist() == [1, 0]
    assert verdict.template.tolist() == [True, False]
    assert verdict.threshold == pytest.approx(1 - StyleTreeOptions().threshold)


def test_presentation_attributes_tell_elements_apart_and_others_do_not():
    detector = learned("<p align=left>x", "<p align=right>x")
    assert detector.score(page("<p align=left>x")).scores.tolist() == [0]
    detector = learned("<p id=a class=b title='y>'>x", "<p id=c title='align=\"'>x")
    assert detector.score(page("<p>x")).scores.tolist() == [1]
    detector = learned("<p class=b>x", "<p class=c>x", attributes="Class")
    assert detector.score(page("<p class=b>x")).scores.tolist() == [0]
    # There is one body a page: its presentation is ignored.
    detector = StyleTree()
    for colour in ("red", "blue"):
        detector.learn(Page("http://e.org", f"<body bgcolor={colour}><p>x"))
    assert detector.score(page("<p>x")).scores.tolist() == [1]


def test_an_unknown_place_is_kept():
    detector = learned(*["<p>menu</p>"] * 9)
    verdict = detector.score(page("<p>menu</p><p>menu</p>"))
    assert verdict.scores.tolist() == [0, 0]
    assert verdict.explain(0) == "at a place of the layout that none of 9 pages has"


def test_reasons():
    detector = learned(*["<p>menu</p>"] * 37, "<p>x</p>", "<div>y</div>")
    assert "38 of 39 pages" in detector.score(page("<p>menu</p>")).explain(0)
    assert detector.score(page("<div>y</div>")).explain(0) == "in an element that 1 of 39 pages have"
    detector = learned(*["<p>menu</p>"] * 37, *["<div>y</div>"] * 3)
    assert (
        detector.score(page("<p>menu</p>")).explain(0)
        == "in an element that 37 of 40 pages have, its content the same on all of them"
    )


def odd_page(at):
    inner = "".join(f"<i>{at} {at * row}</i><b></b>" for row in range(at % 5 + 3))
    return page(f"<ul><li>Home</li><li>About</li></ul>\n<p align=a{at}>{inner}</p>")


def test_memory_is_bounded_and_the_template_is_not_forgotten():
    detector = learned(max_nodes=400)
    for at in range(400):
        detector.learn(odd_page(at))
        assert detector.nbytes < 30_000
    # The list is below style nodes of body that are on one page each here, so it cannot be found.
    detector = learned(max_nodes=400)
    for at in range(400):
        body = "<ul><li>Home</li><li>About</li></ul>\n<div>%s</div>" % ("<b></b>" * at)
        detector.learn(page(body))
    verdict = detector.score(page("<ul><li>Home</li><li>About</li></ul>\n<div></div>"))
    assert verdict.template.tolist() == [True, True]
