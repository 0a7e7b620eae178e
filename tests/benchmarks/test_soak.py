"""The soak benchmark on a small crawl of made sites."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from benchmarks import soak
from benchmarks.support.madecrawl import MadeCrawl
from detemplate.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def data(labelled_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETEMPLATE_DATA", str(labelled_data))


def test_a_made_crawl_is_the_same_each_time_and_no_page_comes_twice() -> None:
    first, second = (list(islice(MadeCrawl(3).lines(), 60)) for _ in range(2))
    assert first == second
    pages = [json.loads(line) for line in first]
    assert len({page["url"] for page in pages}) == len({page["html"] for page in pages}) == 60
    assert {page["url"].split("/")[2] for page in pages} == {f"site{n}.example" for n in range(3)}
    with pytest.raises(UserError, match="no sites"):
        MadeCrawl(3, real=["nowhere"])


def test_a_run_is_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--pages", "120", "--sites", "6", "--method", "segments", "--every", ".05"]
    assert soak.main([*given, "--workers", "1", "--folder", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "soak.json").read_text())
    moments = told["moments"]
    assert moments[-1]["pages"] == 120
    assert moments[-1]["store"] > 0
    assert max(each["owner"] for each in moments) > 10 << 20
    assert any(each["workers"] for each in moments)
    assert "Memory is bounded" in (tmp_path / "soak.md").read_text()
    assert (tmp_path / "soak.png").stat().st_size > 1000


def test_memory_above_its_bound_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "_OWNER", 0)
    given = ["--pages", "20", "--sites", "2", "--method", "segments", "--every", ".05", "--memory", "1"]
    assert soak.main([*given, "--workers", "1", "--folder", str(tmp_path)]) == 1
    assert "NOT bounded" in (tmp_path / "soak.md").read_text()


def test_a_run_that_is_stopped_tells_what_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--pages", "1000000", "--sites", "6", "--method", "segments", "--every", ".05", "--workers", "1"]
    assert soak.main([*given, "--minutes", ".04", "--folder", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "soak.json").read_text())
    assert 0 < told["pages"] == told["moments"][-1]["pages"] < told["planned"] == 1_000_000
    assert told["moments"][-2]["owner_work"] > 0
    text = (tmp_path / "soak.md").read_text()
    assert "--minutes .04" in text
    assert "stopped before its 1,000,000 pages" in text
    assert (tmp_path / "soak.png").stat().st_size > 1000
