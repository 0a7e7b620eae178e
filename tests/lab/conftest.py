"""Folders of labelled sets: ``labelled_data``, and ``made_sites`` with content containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.made_sets import labelled_data
from tests.support.made_sites import write_made_sites

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["labelled_data"]


@pytest.fixture(scope="session")
def made_sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write small labelled sites, once."""
    return write_made_sites(tmp_path_factory.mktemp("made"))
