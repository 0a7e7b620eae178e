"""Training as one function: what it reports, and that it writes a whole file or none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from detemplate.errors import UserError
from detemplate.training.run import train_pagelevel
from detemplate.training.sampling import Sampling
from tests.support.training_sites import site_records, source_of, write_jsonl

if TYPE_CHECKING:
    from pathlib import Path

SAMPLING = Sampling(min_pages=5, nodes_per_page=20)


def test_it_reports_the_sample_and_each_fold(tmp_path: Path) -> None:
    records = [record for site in ("a.org", "b.org") for record in site_records(site, 6)]
    records += site_records("c.org", 2)
    source = source_of(write_jsonl(tmp_path / "pages.jsonl", records))
    lines: list[str] = []
    output = tmp_path / "model.json"
    train_pagelevel(
        source, str(output), SAMPLING, folds=2, patterns=[], command="the command", tell=lines.append
    )
    assert lines[0].endswith("from 12 pages of 2 sites")
    assert lines[1] == "skipped 1: 1 site of few pages"
    assert [line.partition(":")[0] for line in lines[2:]] == ["fold 1", "fold 2"]
    model = json.loads(output.read_bytes())
    assert model["command"] == "the command"
    assert model["min_area"] == SAMPLING.min_area
    again = tmp_path / "again.json"
    train_pagelevel(source, str(again), SAMPLING, folds=2, patterns=[], command="the command")
    assert again.read_bytes() == output.read_bytes()


@pytest.mark.parametrize(
    ("name", "folds", "message"), [("model.bin", 0, ".json"), ("model.json", 3, "folds")]
)
def test_nothing_is_written_after_an_error(tmp_path: Path, name: str, folds: int, message: str) -> None:
    records = [record for site in ("a.org", "b.org") for record in site_records(site, 6)]
    source = source_of(write_jsonl(tmp_path / "pages.jsonl", records))
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match=message):
        train_pagelevel(source, str(tmp_path / "out" / name), SAMPLING, folds=folds, patterns=[], command="")
    assert not list((tmp_path / "out").iterdir())
