"""The rules of Wang et al. 2008, on sites made by hand."""

import numpy as np
import pytest

from detemplate.algorithms.recurrence import lifetimes
from detemplate.detectors.segments import Segments, SegmentsOptions
from detemplate.page.page import Page
from tests.support.helpers import removed, taught

number = iter(range(10**9))


def page(html):
    return Page(f"http://e.org/{next(number)}", html)


def learned(*htmls, **options):
    return taught(Segments(SegmentsOptions(**options)), map(page, htmls))


def template(detector, html):
    return removed(detector, page(html))


@pytest.mark.parametrize(("pages", "found"), [(0, []), (4, []), (5, ["menu"]), (6, ["menu"])])
def test_a_template_segment_is_on_five_pages(pages, found):
    assert template(learned(*["<p>menu"] * pages), "<p>menu<p>new") == found


def test_a_page_counts_once_however_often_it_repeats_a_segment():
    assert template(learned("<p>x" * 50, "<p>x" * 50, "<p>x", "<p>x"), "<p>x") == []
    assert template(learned(*["<p>x" * 2] * 5), "<p>x") == ["x"]


def test_a_segment_is_its_text_at_its_path():
    detector = learned(*["<div><p>same</p></div>"] * 9)
    assert template(detector, "<div><p>same</p></div>") == ["same"]
    assert template(detector, "<p>same</p><div>same</div><section><p>same</p></section>") == []
    assert template(detector, "<div class=other><p> same\n</p></div>") == ["same"]


def test_blocks_are_judged_as_a_whole():
    """Characters in template segments over characters in all segments of the block; strictly above 0.7."""
    detector = learned(*["<p><b>7 chars</b></p>"] * 5)
    given = page("<p><b>7 chars</b><i>3ch</i></p><p><b>7 chars</b><i>2c</i></p><p><i>2c</i></p>")
    verdict = detector.score(given)
    assert verdict.scores.tolist() == np.array([0.7, 0.7, 7 / 9, 7 / 9, 0], np.float32).tolist()
    # Exactly 0.7 is not above 0.7, whatever the precision of the score.
    assert verdict.template.tolist() == [False, False, True, True, False]


def test_a_ratio_equal_to_the_threshold_is_not_above_it():
    for ratio, inside, outside in (
        (0.1, 1, 9),
        (0.2, 1, 4),
        (0.3, 3, 7),
        (0.6, 3, 2),
        (0.7, 7, 3),
        (0.8, 4, 1),
        (0.9, 9, 1),
    ):
        common, rest = "c" * inside, "r" * outside
        detector = learned(*[f"<p><b>{common}</b></p>"] * 5, ratio=ratio)
        assert template(detector, f"<p><b>{common}</b><i>{rest}</i></p>") == []
        more = "r" * (outside - 1)
        gone = template(detector, f"<p><b>{common}</b><i>{more}</i></p>")
        assert gone == [common, more][: 1 + bool(more)]


def test_an_arriving_page_counts_itself():
    """Expansion comes before detection: the fifth page is the first to lose the segment."""
    detector = Segments()
    found = [detector.learn_and_score(page("<p>menu")).template.tolist() for _ in range(6)]
    assert found == [[False]] * 4 + [[True]] * 2


@pytest.mark.parametrize("df", [1, 2, 5, 9])
def test_a_segment_is_forgotten_after_its_lifetime(df):
    lives = lifetimes(6, 4)
    life = int(lives[min(df, len(lives)) - 1])
    for absent, known in ((life, True), (life + 1, False)):
        detector = learned(*["<p>menu"] * df, lifetime=6, growth=4)
        for _ in range(absent - 1):
            detector.learn(page("<p>other"))
        verdict = detector.learn_and_score(page("<p>menu"))
        assert verdict.explain(0).startswith(f"on {df + 1 if known else 1} of {df + absent} pages")
        assert bool(verdict.template[0]) is (known and df >= 4)


def test_forgetting_only_rare_segments_keeps_the_template():
    streaming = Segments(Segments.options({"lifetime": 6, "growth": 4}, streaming=True))
    two_passes = Segments(Segments.options({"lifetime": 6, "growth": 4}, streaming=False))
    for detector in (streaming, two_passes):
        for html in ["<p>menu"] * 5 + ["<p>rare"] * 4 + ["<p>other"] * 500:
            detector.learn(page(html))
    assert template(streaming, "<p>menu<p>rare") == []
    assert template(two_passes, "<p>menu<p>rare") == ["menu"]
    assert two_passes.segments == 2


def test_reasons():
    detector = learned(*["<p>one<p><b>common</b><i>also</i>"] * 212, *["<p>x"] * 18)
    verdict = detector.score(page("<p>one<p><b>common</b><i>odd</i><p>new"))
    assert verdict.explain(0) == "on 212 of 230 pages of this site"
    assert verdict.explain(2) == "on 0 of 230 pages of this site, in a block of which 67% is on 5 or more"
    assert verdict.explain(3) == "on 0 of 230 pages of this site, in a block of which 0% is on 5 or more"
    assert learned().score(page("<p>new")).explain(0).startswith("on 0 of 0 pages of this site")


@pytest.mark.parametrize("growth", [3, 1e9, 1e300])
def test_shrinking_keeps_the_table_small(growth):
    detector = Segments(SegmentsOptions(lifetime=10, growth=growth))
    for count in range(300):
        detector.learn(page(f"<p>menu<p>{count}<h1>{count}"))
        assert detector.segments <= 1 + 2 * 10
    assert detector.segments == 1 + 2 * 10


def test_the_cap_drops_the_rarest():
    detector = learned(*["<p>menu"] * 5, "<p>a", "<p>b", "<p>c", max_segments=2)
    assert detector.segments == 2
    assert template(detector, "<p>menu<p>c") == ["menu"]
    assert detector.score(page("<p>c<p>b")).explain(0).startswith("on 1 of 8")
