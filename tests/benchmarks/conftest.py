"""Made labelled sets, which benchmarks take for the measuring data."""

import pytest

from tests.support.made_sets import labelled_data

__all__ = ["labelled_data"]


@pytest.fixture
def measured(labelled_data, monkeypatch):
    """The folder of made sets, where benchmarks look for the measuring data."""
    monkeypatch.setenv("DETEMPLATE_DATA", str(labelled_data))
    return labelled_data
