"""What the tests of sources and sinks share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The measuring data; skips the test where there is none."""
    root = Path(__file__).parents[2]
    path = Path(os.environ.get("DETEMPLATE_DATA", root / ".." / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no measuring data at {path} (set DETEMPLATE_DATA)")
    return path


@pytest.fixture
def unprivileged(tmp_path: Path) -> None:
    """Skips the test where permissions mean nothing."""
    path = tmp_path / "probe"
    path.touch(mode=0)
    able = os.access(path, os.R_OK)
    path.unlink()
    if able:
        pytest.skip("this process may read and write everything (it runs as root)")
