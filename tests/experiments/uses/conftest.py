"""The fixture ``made_sites``: a folder of labelled sites with content containers."""

import pytest

from tests.support.made_sites import write_made_sites


@pytest.fixture(scope="package")
def made_sites(tmp_path_factory):
    return write_made_sites(tmp_path_factory.mktemp("made"))
