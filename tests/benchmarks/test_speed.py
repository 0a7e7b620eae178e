"""Timing: order, rounds, goals; the made site."""

from dataclasses import replace

import pytest

from benchmarks.speed import PARSE, SITELEVEL, Goal, goals
from lab.peers.known import find_peers


def test_goals():
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
