"""The public names are typed: what type checkers accept, and what they refuse."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ERROR = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.M)


def test_right_uses_are_accepted_and_every_wrong_one_is_refused() -> None:
    files = ["good.py", "bad.py"]
    command = [
        sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-pretty", "--hide-error-context",
        "--config-file", "", "--cache-dir", str(ROOT / ".mypy_cache" / "public"), *files,
    ]  # fmt: skip
    # As where the package is installed: its own code is not checked, its types are read.
    run = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    found: dict[str, dict[int, str]] = {name: {} for name in files}
    for match in ERROR.finditer(run.stdout):
        found[match["file"]][int(match["line"])] = match["code"]
    assert sum(map(len, found.values())) == run.stdout.count(": error: "), run.stdout
    assert found["good.py"] == {}
    lines = (HERE / "bad.py").read_text().splitlines()
    wanted = {
        number: line.partition("# error: ")[2] for number, line in enumerate(lines, 1) if "# error: " in line
    }
    assert len(wanted) > 20
    assert found["bad.py"] == wanted


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "detemplate" / "py.typed").is_file()
