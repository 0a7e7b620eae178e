"""The benchmark of hostile pages: what it calls slow, and its pages."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from benchmarks import hostile
from benchmarks.hostile import KINDS
from benchmarks.support.processes import Overdue, stream
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.hostile import Pages


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_as_long_as_asked_for_and_one_site_has_several(kind: str) -> None:
    first, second, longer = KINDS[kind](3000, 0), KINDS[kind](3000, 1), KINDS[kind](12_000, 0)
    assert first != second
    assert 2500 < len(first) < 4500
    assert 3.5 < len(longer) / len(first) < 4.5
    assert len(Page("http://e.org/", first).segments)


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


def test_a_kind_that_overruns_is_ended() -> None:
    with pytest.raises(Overdue, match=r"over 0\.5 s"):
        list(stream(nothing, 0.5))
    with pytest.raises(Overdue, match="ended by itself"):
        list(stream(broken, 60))
    assert list(stream(range, 60, 3)) == [0, 1, 2]


def nothing() -> Iterator[None]:
    """Take longer than is allowed."""
    time.sleep(60)
    yield


def broken() -> Iterator[None]:
    """End the process."""
    os._exit(1)
    yield
