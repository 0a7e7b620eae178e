"""The benchmark of hostile pages: what it calls slow, and its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import hostile

if TYPE_CHECKING:
    from pathlib import Path


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "hostile.md"
    options = ["--methods", "segments,sitelevel", "--kilobytes", "1", "--out", str(out)]
    assert hostile.main([*options, "--kinds", "one word, links"]) == 0
    report = out.read_text()
    assert "of 1 and of 4 thousand characters" in report
    assert "\n| one word |" in report
    assert "\n| links |" in report
    assert report.endswith("reached.\n")
