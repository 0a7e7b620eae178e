"""Folders of labelled sets: ``labelled_data``, and ``made_sites`` with content containers."""

import pytest

from tests.support.made_sets import labelled_data
from tests.support.made_sites import write_made_sites

__all__ = ["labelled_data"]


@pytest.fixture(scope="session")
def made_sites(tmp_path_factory):
    """Write small labelled sites, once."""
    return write_made_sites(tmp_path_factory.mktemp("made"))
