"""The soak benchmark on a small crawl of made sites."""

import json
from itertools import islice

import pytest

from benchmarks import soak
from benchmarks.support.madecrawl import MadeCrawl

pytestmark = pytest.mark.usefixtures("measured")


def test_a_run_is_watched(tmp_path):
    given = ["--pages", "120", "--sites", "6", "--method", "segments", "--every", ".05"]
    assert soak.main([*given, "--workers", "1", "--folder", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "soak.json").read_text())
    moments = told["moments"]
    assert moments[-1]["pages"] == 120
    assert moments[-1]["store"] > 0
    assert max(each["owner"] for each in moments) > 10 << 20
    assert any(each["workers"] for each in moments)
    assert "Memory is bounded" in (tmp_path / "soak.md").read_text()
    assert (tmp_path / "soak.png").stat().st_size > 1000


@pytest.mark.parametrize("once", [True, False])
def test_sites_are_visited_in_turns_or_once(once):
    urls = [json.loads(line)["url"] for line in islice(MadeCrawl(12, once=once).lines(), 12)]
    sites = [url.split("/")[2] for url in urls]
    assert (len(set(sites)) == 12) == once
    assert len(set(urls)) == 12
    assert len(set(sites)) >= 2
