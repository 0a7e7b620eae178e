"""What the tests of sources and sinks share."""

import os

import pytest


@pytest.fixture
def unprivileged(tmp_path):
    """Skips the test where permissions mean nothing."""
    path = tmp_path / "probe"
    path.touch(mode=0)
    able = os.access(path, os.R_OK)
    path.unlink()
    if able:
        pytest.skip("this process may read and write everything (it runs as root)")
