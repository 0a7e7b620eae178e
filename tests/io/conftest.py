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
