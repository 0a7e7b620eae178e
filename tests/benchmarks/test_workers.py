"""The benchmark of workers: what it makes of its timings, and one small run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import workers
from benchmarks.workers import Figures, Timing

if TYPE_CHECKING:
    from pathlib import Path


def test_the_start_is_told_apart() -> None:
    start = Timing(1.0, 1.0, 0.0, 1)
    alone, there = Timing(21.0, 21.0, 0.0, 1), Timing(11.0, 5.0, 18.0, 1)
    found = Figures.of(1000, (alone, start), (there, start))
    assert found.faster == pytest.approx(21 / 11)
    assert found.steady == pytest.approx(2.0)
    assert found.work == pytest.approx(22 / 20)
    assert found.owner == pytest.approx(4 / 22)
    assert found.serves == pytest.approx(4.5)
    assert found.many == pytest.approx(250)  # the owner's 4 s are more than 22 s on 64 processors


def test_a_run_is_measured(labelled_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETEMPLATE_DATA", str(labelled_data))
    crawl = tmp_path / "crawl.jsonl.zst"
    workers.write_crawl(crawl, 6, 2)
    timing = workers.measured([str(crawl), "-m", "segments", "-q", "--workers", "1"], tmp_path)
    assert timing.seconds > 0 < timing.owner
    assert timing.workers > 0
    assert (tmp_path / "compiled").is_dir()
    assert not (tmp_path / "out.jsonl").exists()


def test_the_middle_run_counts() -> None:
    runs = [Timing(seconds, 1.0, 0.0, 1) for seconds in (3.0, 1.0, 2.0, 9.0)]
    assert workers.middle(runs[:3]) == runs[2]
    assert workers.middle(runs) == runs[2]
