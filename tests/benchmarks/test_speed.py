"""Timing: order, rounds, goals; the made site."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from benchmarks.speed import (
    PARSE,
    SITELEVEL,
    Case,
    Goal,
    TimedPage,
    goals,
    time_cases,
)
from benchmarks.support.madecrawl import synthetic_site
from lab.labelled.words import words
from lab.peers.known import find_peers

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = [TimedPage(f"https://a/{n}", "<p>x", "a") for n in range(5)]


def test_cases_take_turns_and_slow_ones_run_once() -> None:
    calls: list[tuple[str, int]] = []

    def case(name: str, *, slow: bool = False) -> Case:
        def run(pages: Sequence[TimedPage]) -> None:
            calls.append((name, len(pages)))

        return Case(name, run, slow)

    found = time_cases([case("a"), case("b", slow=True), case("c")], PAGES, rounds=2)
    assert calls == [("a", 3), ("b", 3), ("c", 3), ("a", 5), ("b", 5), ("c", 5), ("a", 5), ("c", 5)]
    assert list(found) == ["a", "b", "c"]


def test_goals() -> None:
    # The peers need not be installed: the version of any package stands for theirs.
    peers = [replace(peer, package="pytest") for peer in find_peers("resiliparse,deboiler,chromerag")]
    labels = {peer.name: peer.label for peer in peers}
    times = {
        PARSE: 1.0,
        "Page": 2.5,
        SITELEVEL: 3.0,
        "segments": 2.0,
        "auto": 6.5,
        labels["resiliparse"]: 3.0,
        labels["deboiler"]: 30.0,
        labels["chromerag"]: 390.0,
    }
    found = {goal.text: (goal.value, goal.reached) for goal in goals(times, peers)}
    assert found == {
        "Page ≤ 2.2 × parse": (2.5, False),
        "sitelevel learns and scores ≤ 0.6 × Page": (pytest.approx(0.2), True),
        "auto to text ≤ 6 × parse": (6.5, False),
        "auto to text ≥ 50 × faster than chromerag": (60.0, True),
        "segments to text ≤ 3 × parse": (2.0, True),
        "segments to text faster than resiliparse": (1.5, True),
        "segments to text ≥ 20 × faster than deboiler": (15.0, False),
    }
    assert Goal("", 1.0, 1.0, at_least=True).reached
    assert Goal("", 1.0, 1.0, at_least=False).reached


def test_made_site() -> None:
    pages = list(synthetic_site(90, templates=3, seed=5))
    assert pages == list(synthetic_site(90, templates=3, seed=5))
    assert pages != list(synthetic_site(90, templates=3, seed=6))
    assert len({url for url, _ in pages}) == 90
    # Neighbours share their frame, and the frame changes exactly at a third and at two thirds.
    frames = [html.partition("<main>")[0] for _, html in pages]
    changes = [n for n, (one, other) in enumerate(pairwise(frames), 1) if one != other]
    assert changes == [30, 60]
    paragraphs = [p.partition("</p>")[0] for _, html in pages for p in main_part(html).split("<p>")[1:]]
    assert len(paragraphs) == len(set(paragraphs))
    sizes = [len(words(main_part(html))) for _, html in pages]
    assert min(sizes) >= 50
    assert max(sizes) > 3 * min(sizes)


def main_part(html: str) -> str:
    return html.partition("<main>")[2].partition("</main>")[0]
