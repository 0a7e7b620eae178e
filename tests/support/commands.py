"""The command, run in this process, and files of rows and of pages that it writes."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from detemplate.cli import main


def cli(*words: object, code: int = 0) -> None:
    """Run the command with these words; it must end with this exit code."""
    assert main([*map(str, words)]) == code


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write a file of JSON Lines; return its path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_rows(path: Path | str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def data_of(path: Path) -> Any:
    """Give the data in a page of ``explain`` or ``report``."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.S)
    assert found is not None
    return json.loads(found[1])
