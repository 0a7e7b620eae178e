"""The benchmark of hostile pages: what it calls slow, and its pages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from benchmarks import hostile

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.hostile import Pages


@pytest.mark.parametrize(("power", "slow"), [(1, False), (2, True)])
def test_what_is_slow(monkeypatch: pytest.MonkeyPatch, power: int, slow: bool) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: clock[0])
    calls = []

    def work(pages: Pages) -> None:
        calls.append(len(pages[0][1]))
        clock[0] += (len(pages[0][1]) / 1000) ** power

    timed = hostile.time_way(lambda size, _: "x" * size, 1000, "work", work)
    assert timed == ("work", 1.0, 4.0**power)
    assert timed.times == 2**power
    assert calls == [10, *[1000, 4000] * (5 if slow else 1)]
    assert hostile.Timed("work", 0.001, 0.09).times == 0


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "hostile.md"
    options = ["--methods", "segments,sitelevel", "--kilobytes", "1", "--out", str(out)]
    assert hostile.main([*options, "--kinds", "one word, links"]) == 0
    report = out.read_text()
    assert "of 1 and of 4 thousand characters" in report
    assert "\n| one word |" in report
    assert "\n| links |" in report
    assert report.endswith("reached.\n")
