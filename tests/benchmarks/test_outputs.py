"""Digests of what every method gives, on made data."""

import json

import pytest

from benchmarks import outputs


@pytest.fixture
def options(measured):
    return ["--methods", "segments,styletree", "--sets", "chaos,sites/blog"]


@pytest.fixture
def before(options, tmp_path):
    path = tmp_path / "before.json"
    assert outputs.main([*options, "--out", str(path)]) == 0
    return path


def test_digests_of_all_runs(before):
    digests = json.loads(before.read_text())
    runs = ("segments {} two passes", "segments {} one pass", "styletree {} two passes")
    assert list(digests) == [
        f"{run.format(name)}: {part}"
        for name in ("chaos", "sites/blog")
        for run in runs
        for part in ("output", "state")
    ]
    assert all(len(digest) == 64 for digest in digests.values())
    assert digests["segments chaos two passes: output"] != digests["segments sites/blog two passes: output"]


def test_changed_and_new_digests_are_reported(options, before, capsys):
    digests = json.loads(before.read_text())
    digests["segments chaos two passes: output"] = "0" * 64
    del digests["styletree sites/blog two passes: state"]
    before.write_text(json.dumps(digests))
    capsys.readouterr()
    assert outputs.main([*options, "--against", str(before)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "segments chaos two passes: output: differs",
        "styletree sites/blog two passes: state: is not in the other run",
    ]
