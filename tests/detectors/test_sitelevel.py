"""SITELEVEL(θ) on hand-made sites."""

import numpy as np
import pytest

from detemplate.detectors.sitelevel import SiteLevel, SiteLevelOptions
from detemplate.page.page import Page
from tests.support.helpers import taught


def page(number, html):
    return Page(f"http://site.example/{number}", html)


def learned(pages, **options):
    return taught(SiteLevel(SiteLevelOptions(**options)), pages)


def by_text(detector, given):
    scores = detector.score(given).scores.tolist()
    return {given.segment_text(index): score for index, score in enumerate(scores)}


SITE = [page(n, f"<div id=m{n}><a href=/>Home</a> <b>menu</b></div><p>Story {n}</p>") for n in range(20)]


def test_scores_are_shares_of_the_pages():
    pages = [page(n, "<nav>Menu</nav>" * (n < 5) + f"<p>Story {n}</p>") for n in range(20)]
    assert by_text(learned(pages), pages[0]) == {"Menu": 0.25, "Story 0": 0.0}


def test_a_segment_has_the_greatest_share_of_the_nodes_around_it():
    # The list with both items is on four pages; one of its items is on two more.
    shared = "<ul><li>one</li><li>two</li></ul>"
    pages = [page(n, (shared if n < 4 else "") + f"<p>{n}</p>") for n in range(8)]
    pages += [page(8, "<ol><li>one<li>8</ol>"), page(9, "<ol><li>one<li>9</ol>")]
    assert by_text(learned(pages), pages[0]) == {
        "one": pytest.approx(0.6),
        "two": pytest.approx(0.4),
        "0": 0.0,
    }


def test_a_share_equal_to_theta_is_template():
    pages = [page(n, "<nav>Menu</nav>" * (n < 2) + f"<p>Story {n}</p>") for n in range(20)]
    assert learned(pages).score(pages[0]).template.tolist() == [True, False]  # 2 of 20 are 10 %
    assert learned(pages, theta=0.11).score(pages[0]).template.tolist() == [False, False]


def test_a_text_is_judged_by_the_elements_around_it():
    """The same words in an element that does not recur, or in another element, are no template."""
    pages = [page(n, f"<p>Read <b>more</b> of {n}</p><i>Read</i>") for n in range(8)]
    pages += [page(n, f"<u>more</u><p>{n}</p>") for n in (8, 9)]
    detector = learned(pages)
    assert detector.score(pages[0]).scores.tolist() == pytest.approx([0, 0.8, 0, 0.8])
    assert by_text(detector, pages[8]) == {"more": pytest.approx(0.2), "8": 0}


@pytest.mark.parametrize(
    ("equality", "template"),
    [("exact", {"Same"}), ("text", {"Same", "Home"}), ("normal", {"Same", "Home", "Waiting for 3 days"})],
)
def test_each_strength_finds_other_template(equality, template):
    pages = [
        page(n, f"<p>Same</p><p><a href='/?session={n}'>Home</a> of {'x' * n}</p><p>Waiting for {n} days</p>")
        for n in range(10)
    ]
    verdict = learned(pages, equality=equality).score(pages[3])
    removed = {pages[3].segment_text(index) for index in np.flatnonzero(verdict.template)}
    assert removed == template


def test_beyond_the_bound_no_frequent_node_is_missed():
    def noisy(number):
        menu = "<ul><li>Home</li><li>News</li></ul>" if number % 5 == 0 else ""
        return page(number, menu + "".join(f"<p>{number} {n}</p>" for n in range(30)))

    small = SiteLevel(SiteLevelOptions(max_nodes=2000))
    for number in range(1000):
        small.learn(noisy(number))
    verdict = small.score(noisy(5))
    assert verdict.scores[:2].min() >= 0.2
    assert verdict.template.tolist() == [True, True] + [False] * 30
    assert small.nbytes < 300_000
    assert verdict.explain(0) == "in an element that is on 200 of 1000 pages of this site"


def test_reasons():
    verdict = learned(SITE).score(SITE[3])
    assert verdict.explain(0) == "in an element that is on 20 of 20 pages of this site"
    assert verdict.explain(2) == "no element around it is on 2 of 20 pages of this site"
