"""Runs of experiments, and folders of labelled sets: ``labelled_data``, and ``made_sites`` with content containers."""

import json

import pytest

from tests.support.lab import run_lab
from tests.support.made_sets import labelled_data
from tests.support.made_sites import write_made_sites

__all__ = ["labelled_data"]


@pytest.fixture(scope="session")
def made_sites(tmp_path_factory):
    """Write small labelled sites, once."""
    return write_made_sites(tmp_path_factory.mktemp("made"))


@pytest.fixture
def results(tmp_path, capsys):
    """Run an experiment, which says what it writes: tables, rows and these charts. Return its record and its table."""

    def run(name, *words, charts):
        out = tmp_path / "deep" / "out"
        code = run_lab([name, *map(str, words), "--out", str(out)])
        told = capsys.readouterr()
        assert code == 0, told.err
        written = [out / each for each in ("table.md", "table.csv", "results.json")]
        written += [out / f"{chart}.{kind}" for chart in charts for kind in ("svg", "png")]
        assert told.out.split() == [*map(str, written)]
        assert all(path.stat().st_size > 100 for path in written)
        return json.loads((out / "results.json").read_text()), (out / "table.md").read_text()

    return run
