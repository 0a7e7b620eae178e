"""What holds for every method: the contract of detectors."""

from __future__ import annotations

import json
import random
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from helpers import made_page
from hypothesis import given, settings
from hypothesis import strategies as st

from detemplate.detectors.registry import DETECTORS, factory
from detemplate.detectors.state import StateError, pack
from detemplate.page.page import Page

if TYPE_CHECKING:
    from detemplate.detectors.base import Detector

BOUND = 40_000_000
"""Bytes that a detector may hold after 10,000 small pages of one site."""

every_method = pytest.mark.parametrize("method", DETECTORS)
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
LANGUAGES = ("漢字とかな。", "Привет, мир", "مرحبا بالعالم", "שלום עולם", "สวัสดีชาวโลก", "Grüße, naïve façade", "한국어 문장", "👍🏽 émoji")


def make(method: str, *, streaming: bool) -> Detector:
    return factory(method, streaming=streaming)()


def site(count: int) -> list[Page]:
    return [made_page(number, extra="<p>Seasonal words</p>" if number % 7 < 4 else "") for number in range(count)]


def learnt(method: str, streaming: bool, pages: list[Page]) -> Detector:
    detector = make(method, streaming=streaming)
    for page in pages:
        detector.learn(page)
    return detector


def scores(detector: Detector, pages: list[Page]) -> list[list[float]]:
    return [detector.score(page).scores.tolist() for page in pages]


def check_verdict(detector: Detector, page: Page) -> None:
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


@every_method
@every_mode
def test_scores(method: str, streaming: bool) -> None:
    detector = make(method, streaming=streaming)
    for page in site(40):
        check_verdict(detector, page)
        detector.learn(page)
        check_verdict(detector, page)
    assert detector.pages == 40
    assert detector.nbytes > 0


@every_method
@every_mode
def test_it_finds_the_template_of_a_plain_site_and_spares_what_is_new(method: str, streaming: bool) -> None:
    pages = site(40)
    detector = learnt(method, streaming, pages)
    page = pages[20]
    template = detector.score(page).template
    removed = {page.segment_text(index) for index in np.flatnonzero(template)}
    assert {"Home", "About us", "Copyright, all rights reserved"} <= removed
    assert not removed & {"Title number 20", "bold 20"}


@every_method
@every_mode
def test_scoring_changes_nothing(method: str, streaming: bool) -> None:
    detector = learnt(method, streaming, site(20))
    before = detector.to_bytes()
    first = scores(detector, site(30))
    assert scores(detector, site(30)) == first
    assert detector.to_bytes() == before
    assert detector.pages == 20


@every_method
@every_mode
def test_learning_is_deterministic(method: str, streaming: bool) -> None:
    first, second = learnt(method, streaming, site(30)), learnt(method, streaming, site(30))
    assert first.to_bytes() == second.to_bytes()
    assert scores(first, site(40)) == scores(second, site(40))


@every_method
@every_mode
@pytest.mark.parametrize("cut", [0, 1, 13, 30])
def test_merging_equals_a_single_pass_or_is_declared_impossible(method: str, streaming: bool, cut: int) -> None:
    pages = site(30)
    first, second = learnt(method, streaming, pages[:cut]), learnt(method, streaming, pages[cut:])
    if not DETECTORS[method].merges:
        with pytest.raises(NotImplementedError):
            first.merge(second)
        return
    states = first.to_bytes(), second.to_bytes()
    merged, whole = first.merge(second), learnt(method, streaming, pages)
    assert merged.pages == 30
    assert scores(merged, site(40)) == scores(whole, site(40))
    assert (first.to_bytes(), second.to_bytes()) == states
    for page in site(50)[30:]:
        merged.learn(page)
        whole.learn(page)
    assert scores(merged, site(50)) == scores(whole, site(50))


@every_method
def test_detectors_with_different_options_are_not_merged(method: str) -> None:
    kind = DETECTORS[method]
    if not kind.merges:
        pytest.skip("merges nothing")
    with pytest.raises(ValueError, match="different options"):
        make(method, streaming=False).merge(make(method, streaming=True))


@every_method
@every_mode
def test_saving_and_loading_changes_nothing(method: str, streaming: bool) -> None:
    kind = DETECTORS[method]
    for count in (0, 1, 25):
        detector = learnt(method, streaming, site(count))
        state = detector.to_bytes()
        again = kind.from_bytes(state)
        assert again.to_bytes() == state
        assert again.pages == count
        assert scores(again, site(60)) == scores(detector, site(60))
        for page in site(70)[40:]:
            assert again.learn_and_score(page).scores.tolist() == detector.learn_and_score(page).scores.tolist()
        assert again.to_bytes() == detector.to_bytes()


@every_method
@every_mode
def test_declared_order(method: str, streaming: bool) -> None:
    if DETECTORS[method].ordered:
        pytest.skip("depends on the order of the pages, and says so")
    pages = site(30)
    shuffled = random.Random(1).sample(pages, len(pages))
    assert scores(learnt(method, streaming, pages), pages) == scores(learnt(method, streaming, shuffled), pages)


@every_method
@every_mode
def test_a_page_learned_twice(method: str, streaming: bool) -> None:
    detector = learnt(method, streaming, site(10) + site(10)[:1] * 2)
    for page in site(12):
        check_verdict(detector, page)
    # One page, however often it comes, is no template of a site... unless the method counts visits.
    alone = learnt(method, streaming, site(1) * 2)
    check_verdict(alone, site(1)[0])


@every_method
@every_mode
def test_one_page_alone_keeps_everything(method: str, streaming: bool) -> None:
    detector = make(method, streaming=streaming)
    page = site(1)[0]
    assert not detector.score(page).template.any()
    assert not detector.learn_and_score(page).template.any()
    assert not detector.score(page).template.any()


@every_method
@every_mode
def test_a_page_without_text(method: str, streaming: bool) -> None:
    detector = make(method, streaming=streaming)
    silent = Page("http://e.org/d/silent", "<img src=x><script>1</script>")
    for page in [silent, *site(3), silent]:
        check_verdict(detector, page)
        assert len(detector.learn_and_score(page)) == len(page.segments)
    assert len(detector.score(silent)) == 0


@every_method
@every_mode
@pytest.mark.parametrize("html", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_pages(method: str, streaming: bool, html: str) -> None:
    detector = learnt(method, streaming, site(6))
    for name in ("a", "b", "c"):
        page = Page(f"http://e.org/d/{name}", html)
        check_verdict(detector, page)
        detector.learn(page)
    assert DETECTORS[method].from_bytes(detector.to_bytes()).to_bytes() == detector.to_bytes()


@every_method
@every_mode
def test_mixed_languages(method: str, streaming: bool) -> None:
    detector = make(method, streaming=streaming)
    pages = [
        Page(f"http://e.org/d/{number}", f"<nav>{text}</nav>\n<p>{text} {number}</p>\n<footer>{LANGUAGES[0]}</footer>")
        for number in range(4)
        for text in LANGUAGES
    ]
    for page in pages:
        detector.learn(page)
    for page in pages:
        check_verdict(detector, page)


@every_method
@every_mode
def test_memory_after_ten_thousand_pages(method: str, streaming: bool) -> None:
    detector = make(method, streaming=streaming)
    for number in range(10_000):
        html = f"<nav>Home</nav>\n<h1>Title {number}</h1>\n<p>Text {number * 31}</p>\n<footer>End</footer>"
        detector.learn(Page(f"http://e.org/d/{number}", html))
    assert detector.pages == 10_000
    assert detector.nbytes < BOUND
    assert len(detector.to_bytes()) < BOUND


@every_method
@every_mode
def test_one_step_equals_its_parts_in_one_of_two_orders(method: str, streaming: bool) -> None:
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


# Damaged states.


def try_to_load(method: str, data: bytes) -> None:
    """Either it is refused, or what comes works."""
    try:
        detector = DETECTORS[method].from_bytes(data)
    except StateError:
        return
    for page in site(3):
        detector.learn(page)
        detector.score(page)
    detector.to_bytes()


@every_method
@every_mode
def test_states_cut_off_anywhere_are_refused(method: str, streaming: bool) -> None:
    state = learnt(method, streaming, site(4)).to_bytes()
    for stop in [*range(0, 700), *range(700, len(state), 97), len(state) - 1]:
        if stop < len(state):
            with pytest.raises(StateError):
                DETECTORS[method].from_bytes(state[:stop])
    with pytest.raises(StateError):
        DETECTORS[method].from_bytes(state + b"\0")


@every_method
@given(st.data())
@settings(max_examples=400)
def test_damaged_states_never_crash(method: str, data: st.DataObject) -> None:
    state = bytearray(learnt(method, data.draw(st.booleans()), site(2)).to_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.one_of(st.integers(0, min(600, len(state) - 1)), st.integers(0, len(state) - 1)))
        state[at] = data.draw(st.one_of(st.integers(0, 255), st.sampled_from(b'0123456789-"[]{},:.eE')))
    try_to_load(method, bytes(state))


@every_method
@given(st.binary(max_size=100))
def test_noise_is_refused(method: str, noise: bytes) -> None:
    magic = make(method, streaming=True).to_bytes()[:17]
    for data in (noise, magic + noise, magic + struct.pack("<Q", len(noise)) + noise):
        with pytest.raises(StateError):
            DETECTORS[method].from_bytes(data)


@every_method
def test_other_methods_and_versions_are_refused(method: str) -> None:
    for other in DETECTORS:
        if other != method:
            with pytest.raises(StateError, match=other):
                DETECTORS[method].from_bytes(make(other, streaming=True).to_bytes())
    with pytest.raises(StateError, match="version 99"):
        DETECTORS[method].from_bytes(pack(method, 99, {}, {}))


_WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 2**70, 1.5, 1e300, float("inf"), float("nan"), "x", "", [], [1], [[1, 2]], {}, {"x": 1},
)  # fmt: skip


def parts(state: bytes) -> tuple[Any, bytes]:
    size = int.from_bytes(state[17:25], "little")
    return json.loads(state[25 : 25 + size]), state[25 + size :]


def joined(state: bytes, head: object, body: bytes) -> bytes:
    text = json.dumps(head).encode()
    return state[:17] + len(text).to_bytes(8, "little") + text + body


def replaced(value: Any, wrong: object) -> list[Any]:  # noqa: ANN401
    """Give a JSON value with each of its parts, one at a time, replaced."""
    found: list[Any] = [wrong]
    if isinstance(value, dict):
        found += [{**value, key: new} for key in value for new in replaced(value[key], wrong)]
        found += [{other: value[other] for other in value if other != key} for key in value]
    if isinstance(value, list):
        found += [[*value[:at], new, *value[at + 1 :]] for at in range(len(value)) for new in replaced(value[at], wrong)]
    return found


@every_method
@every_mode
def test_wrong_values_anywhere_in_the_header_never_crash(method: str, streaming: bool) -> None:
    state = learnt(method, streaming, site(2)).to_bytes()
    head, body = parts(state)
    for wrong in _WRONG:
        for changed in replaced(head, wrong):
            try_to_load(method, joined(state, changed, body))
    try_to_load(method, joined(state, head, body)[:25] + b"[" * 200_000)
    deep = b"[" * 200_000
    try_to_load(method, state[:17] + len(deep).to_bytes(8, "little") + deep)


@every_method
def test_arrays_of_other_types_and_lengths_never_crash(method: str) -> None:
    """Numbers that wrap around when they are made smaller must not get into a table."""
    state = learnt(method, True, site(2)).to_bytes()
    head, body = parts(state)
    for name, (kind, length) in head["arrays"].items():
        for other in ("<u8", "<i8", "<i4", "<u4", "<f4", "<f8", "|u1", "<O", "<U4", "nonsense"):
            for value in (0, 1, -1, 2**31, 2**32, 2**63 - 1, float("nan")):
                at = 0
                pieces = []
                layout = dict(head["arrays"])
                for each, (its_kind, its_length) in head["arrays"].items():
                    size = np.dtype(its_kind).itemsize * its_length
                    piece = body[at : at + size]
                    at += size
                    if each == name and other[1:] in ("u8", "i8", "i4", "u4", "f4", "f8", "u1"):
                        with np.errstate(all="ignore"):
                            filled = np.array([value] * length, np.float64).astype(other) if value != value or "f" in other else np.array([value % 2**64] * length, np.uint64).astype(other)
                        piece = filled.tobytes()
                    layout[each] = [other, length] if each == name else layout[each]
                    pieces.append(piece)
                try_to_load(method, joined(state, {**head, "arrays": layout}, b"".join(pieces)))
        assert kind in ("<u8", "<i4")
