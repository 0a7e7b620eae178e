"""The contract of detectors: checks that every method in the registry passes."""

import dataclasses
import functools
import pickle
import random

import numpy as np
import pytest

from detemplate.detectors.registry import DETECTORS
from detemplate.page.page import Page
from tests.support.helpers import learned, made_page, make, site

BOUND = 10_000_000
"""Bytes that a detector may hold after 2,500 small pages of one site."""


@functools.cache
def many_pages():
    """Small pages, parsed once for all methods."""
    html = "<nav>Home</nav>\n<h1>Title {0}</h1>\n<p>Text {1}</p>\n<footer>End</footer>"
    return [Page(f"http://e.org/d/{number}", html.format(number, number * 31)) for number in range(2500)]


@functools.cache
def hostile_page(name, html):
    """Parse a page once for all methods."""
    return Page(f"http://e.org/d/{name}", html)


every_mode = pytest.mark.parametrize("streaming", [False, True], ids=["two passes", "one pass"])

HOSTILE = (
    "<div>" * 5000 + "deep",
    "<p title='" + "x" * 1_000_000 + "'>huge attribute",
    "<p>a</p><plaintext><p>b",
    "<script><!-- <script>",
    "x" * 1_000_000,
    "<p>\ud800</p>",
    "<br>x" * 20_000,
    "<p>same</p>" * 20_000,
    "<table><tr><td>a<a>b<table><b>c<form>d",
)
LANGUAGES = (
    "漢字とかな。", "Привет, мир", "مرحبا بالعالم", "שלום עולם", "สวัสดีชาวโลก", "Grüße, naïve façade", "한국어 문장",
    "👍🏽 émoji",
)  # fmt: skip


def odd_pages():
    """Make pages of the same directory without text, with other links, and with hostile markup."""
    return [
        Page("http://e.org/d/silent", "<img src=x><script>1</script>"),
        Page("http://e.org/d/linked", "<p><a href='0.html'>One</a> <a href='1.html'>Two</a></p>" * 30),
        *(Page(f"http://e.org/d/odd{number}", HOSTILE[number]) for number in (2, 3, 5, 8)),
    ]


def scores(detector, pages):
    return [detector.score(page).scores.tolist() for page in pages]


def check_verdict(detector, page):
    verdict = detector.score(page)
    assert len(verdict) == len(verdict.scores) == len(verdict.template) == len(page.segments)
    assert verdict.scores.dtype == np.float32
    assert np.isfinite(verdict.scores).all()
    assert ((verdict.scores >= 0) & (verdict.scores <= 1)).all()
    assert 0 <= verdict.threshold <= 1
    for index in range(min(len(verdict), 30)):
        reason = verdict.explain(index)
        assert isinstance(reason, str)
        assert reason


def elsewhere(blank, page, answer):
    """Score a page by what another process would: a detector that has learned nothing asks and judges."""
    asked = blank.ask(page)
    return blank.judge(page, asked, pickled(answer(pickled(asked.query))))


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


def same(first, second):
    """Compare two verdicts, the reasons of all segments included."""
    for one, other in ((first.scores, second.scores), (first.sections, second.sections)):
        if (one is None) != (other is None) or (one is not None and one.tolist() != other.tolist()):
            return False
    reasons = [[each.explain(index) for index in range(len(each))] for each in (first, second)]
    return first.threshold == second.threshold and reasons[0] == reasons[1]


class Contract:
    """The checks of one method. A subclass gives the method's name as parameter or fixture ``method``."""

    @every_mode
    def test_scores(self, method, streaming):
        detector = make(method, streaming=streaming)
        for page in site(40):
            check_verdict(detector, page)
            detector.learn(page)
            check_verdict(detector, page)
        assert detector.pages == 40
        assert detector.nbytes > 0

    @every_mode
    def test_it_finds_the_template_of_a_plain_site_and_spares_what_is_new(self, method, streaming):
        pages = site(40)
        detector = learned(method, streaming, pages)
        page = pages[20]
        template = detector.score(page).template
        removed = {page.segment_text(index) for index in np.flatnonzero(template)}
        assert {"Home", "About us", "Copyright, all rights reserved"} <= removed
        assert not removed & {"Title number 20", "bold 20"}

    @every_mode
    def test_scoring_changes_nothing(self, method, streaming):
        detector = learned(method, streaming, site(20))
        before = detector.to_bytes()
        first = scores(detector, site(30))
        assert scores(detector, site(30)) == first
        assert detector.to_bytes() == before
        assert detector.pages == 20

    @every_mode
    def test_learning_is_deterministic(self, method, streaming):
        first, second = learned(method, streaming, site(30)), learned(method, streaming, site(30))
        assert first.to_bytes() == second.to_bytes()
        assert scores(first, site(40)) == scores(second, site(40))

    @pytest.mark.parametrize(("streaming", "cut"), [(False, 0), (False, 13), (True, 1)])
    def test_merging_equals_a_single_pass_or_is_declared_impossible(self, method, streaming, cut):
        pages = site(30)
        first, second = learned(method, streaming, pages[:cut]), learned(method, streaming, pages[cut:])
        if not DETECTORS[method].merges:
            with pytest.raises(NotImplementedError):
                first.merge(second)
            return
        states = first.to_bytes(), second.to_bytes()
        merged, whole = first.merge(second), learned(method, streaming, pages)
        assert merged.pages == 30
        assert scores(merged, site(40)) == scores(whole, site(40))
        assert (first.to_bytes(), second.to_bytes()) == states
        for page in site(50)[30:]:
            merged.learn(page)
            whole.learn(page)
        assert scores(merged, site(50)) == scores(whole, site(50))

    def test_detectors_with_different_options_are_not_merged(self, method):
        kind = DETECTORS[method]
        if not kind.merges:
            pytest.skip("merges nothing")
        # Every method has a bound on its memory.
        bound = next(
            field for field in dataclasses.fields(kind.options_class) if field.name.startswith("max_")
        )
        other = kind(kind.options({bound.name: bound.default - 1}, streaming=True))
        with pytest.raises(ValueError, match="different options"):
            make(method, streaming=True).merge(other)

    @every_mode
    def test_saving_and_loading_changes_nothing(self, method, streaming):
        kind = DETECTORS[method]
        for count in (0, 25):
            detector = learned(method, streaming, site(count))
            state = detector.to_bytes()
            again = kind.from_bytes(state)
            assert again.to_bytes() == state
            assert again.pages == count
            assert scores(again, site(40)) == scores(detector, site(40))
            for page in site(50)[30:]:
                assert (
                    again.learn_and_score(page).scores.tolist()
                    == detector.learn_and_score(page).scores.tolist()
                )
            assert again.to_bytes() == detector.to_bytes()

    @every_mode
    def test_saving_and_restoring_on_the_way_changes_nothing(self, method, streaming):
        pages = [*site(30), *odd_pages()]
        stays, moves = make(method, streaming=streaming), make(method, streaming=streaming)
        for number, page in enumerate(pages):
            stays.learn(page)
            moves.learn(page)
            if number % 3 == 1:
                moves = type(moves).from_bytes(moves.to_bytes())
                assert same(moves.score(page), stays.score(page))
        assert moves.to_bytes() == stays.to_bytes()
        assert moves.pages == stays.pages
        if moves.merges:
            other = learned(method, streaming, pages[:7])
            assert moves.merge(other).to_bytes() == stays.merge(other).to_bytes()
            assert other.merge(moves).to_bytes() == other.merge(stays).to_bytes()

    @every_mode
    def test_an_answer_stays_what_it_was_when_more_pages_are_learned(self, method, streaming):
        """Pages are learned and answered one after the other, and judged later, together."""
        pages = [*site(40), *odd_pages()]
        detector, blank = make(method, streaming=streaming), make(method, streaming=streaming)
        asked = [blank.ask(page) for page in pages]
        answers = [detector.take_and_answer(each.query) for each in asked]
        later = [blank.judge(*each) for each in zip(pages, asked, answers, strict=True)]
        again = make(method, streaming=streaming)
        at_once = [again.learn_and_score(page) for page in pages]
        assert all(same(one, other) for one, other in zip(later, at_once, strict=True))

    @every_mode
    def test_declared_order(self, method, streaming):
        if DETECTORS[method].ordered:
            pytest.skip("depends on the order of the pages, and says so")
        pages = site(30)
        shuffled = random.Random(1).sample(pages, len(pages))
        assert scores(learned(method, streaming, pages), pages) == scores(
            learned(method, streaming, shuffled), pages
        )

    @every_mode
    def test_a_page_learned_twice(self, method, streaming):
        detector = learned(method, streaming, site(10) + site(10)[:1] * 2)
        for page in site(12):
            check_verdict(detector, page)
        # One page, however often it comes, is no template of a site... unless the method counts visits.
        alone = learned(method, streaming, site(1) * 2)
        check_verdict(alone, site(1)[0])

    @every_mode
    def test_one_page_alone_keeps_everything(self, method, streaming):
        if DETECTORS[method].needs == "nothing":
            pytest.skip("judges a page by itself, and says so")
        detector = make(method, streaming=streaming)
        page = site(1)[0]
        assert not detector.score(page).template.any()
        assert not detector.learn_and_score(page).template.any()
        assert not detector.score(page).template.any()

    @every_mode
    def test_a_page_without_text(self, method, streaming):
        detector = make(method, streaming=streaming)
        silent = Page("http://e.org/d/silent", "<img src=x><script>1</script>")
        for page in [silent, *site(3), silent]:
            check_verdict(detector, page)
            assert len(detector.learn_and_score(page)) == len(page.segments)
        assert len(detector.score(silent)) == 0

    @pytest.mark.parametrize("html", HOSTILE, ids=range(len(HOSTILE)))
    def test_hostile_pages(self, method, html):
        detector = learned(method, False, site(6))
        for name in ("a", "b", "c"):
            page = hostile_page(name, html)
            check_verdict(detector, page)
            detector.learn(page)
        assert DETECTORS[method].from_bytes(detector.to_bytes()).to_bytes() == detector.to_bytes()

    @every_mode
    def test_mixed_languages(self, method, streaming):
        detector = make(method, streaming=streaming)
        pages = [
            Page(
                f"http://e.org/d/{number}",
                f"<nav>{text}</nav>\n<p>{text} {number}</p>\n<footer>{LANGUAGES[0]}</footer>",
            )
            for number in range(4)
            for text in LANGUAGES
        ]
        for page in pages:
            detector.learn(page)
        for page in pages:
            check_verdict(detector, page)

    def test_memory_after_many_pages(self, method):
        """In two passes, where less is forgotten than in one."""
        detector = make(method, streaming=False)
        for page in many_pages():
            detector.learn(page)
        assert detector.pages == 2500
        assert detector.nbytes < BOUND
        assert len(detector.to_bytes()) < BOUND

    @every_mode
    def test_one_step_equals_its_parts_in_one_of_two_orders(self, method, streaming):
        """Learn, then score; or score, then learn; the method says which, and it is always the same one."""
        detector, learns_first, scores_first = (make(method, streaming=streaming) for _ in range(3))
        orders = {"learn first", "score first"}
        for page in site(30):
            got = detector.learn_and_score(page).scores.tolist()
            before = scores_first.score(page).scores.tolist()
            scores_first.learn(page)
            learns_first.learn(page)
            after = learns_first.score(page).scores.tolist()
            if got != after:
                orders.discard("learn first")
            if got != before:
                orders.discard("score first")
        assert orders
        assert detector.to_bytes() == learns_first.to_bytes() == scores_first.to_bytes()

    @every_mode
    def test_a_page_may_be_asked_about_and_judged_elsewhere(self, method, streaming):
        """The parts of learning and scoring, with pickles between processes, equal the whole."""
        blank, whole, parts, learned_apart = (make(method, streaming=streaming) for _ in range(4))
        unlearned = blank.to_bytes()
        pages = [*site(24), *site(2), made_page(40, extra="<p>\ud800<p>ü 漢字</p>" * 40), *odd_pages()]
        for page in pages:
            assert same(elsewhere(blank, page, parts.answer), whole.score(page))
            assert same(elsewhere(blank, page, parts.take_and_answer), whole.learn_and_score(page))
            learned_apart.take(pickled(blank.ask(page).query))
            assert parts.to_bytes() == whole.to_bytes()
        assert learned_apart.to_bytes() == learned(method, streaming, pages).to_bytes()
        for page in site(30):
            assert same(elsewhere(blank, page, parts.answer), whole.score(page))
        assert parts.to_bytes() == whole.to_bytes()
        assert blank.to_bytes() == unlearned


@pytest.mark.parametrize("method", DETECTORS)
class TestContract(Contract):
    """All methods in the registry."""
