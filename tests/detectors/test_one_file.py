"""A paper's method is one file: what a newcomer changes in a step of the paper, the verdicts show."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from detemplate.detectors.registry import PLACES
from detemplate.expressions import mutable
from detemplate.expressions.tokens import Tokenizer
from tests.support.helpers import learned, site

STEPS = {
    "segments": ("template_ratios", lambda ratios: 1 - ratios),  # another block ratio
    "sandwich": ("common", np.logical_not),  # other common lines
    "sitelevel": (
        "subtree_hashes",
        lambda hashes: np.arange(len(hashes), dtype=np.uint64),
    ),  # another identity
    "styletree": ("leaf_importance", lambda importance: importance / 2),  # another importance of content
    "shingles": ("min_wise", lambda shingles: shingles % np.uint64(2)),  # other shingles
    "pagelets": ("pagelets", lambda rows: rows[:1]),  # another partition
    "pagelevel": ("penalties", lambda penalties: 1e6 * penalties),  # another penalty
    "expressions": ("to_remove", lambda pieces: (pieces[0][:1], pieces[1][:1])),  # other pieces that go
}
"""A step of each paper, by the name that it has in the method's file, and a change of what it returns."""


def verdicts(method):
    pages = site(8)
    detector = learned(method, False, pages)
    return [detector.score(page).scores.tolist() for page in pages]


def test_each_paper_has_a_file_and_a_step():
    assert {*STEPS, "auto"} == {*PLACES}
    for method in STEPS:
        assert PLACES[method].startswith(f"detemplate.detectors.{method}:")


@pytest.mark.parametrize("method", STEPS)
def test_a_change_of_a_step_changes_verdicts(method, monkeypatch):
    before = verdicts(method)
    module = importlib.import_module(f"detemplate.detectors.{method}")
    name, change = STEPS[method]
    step = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **named: change(step(*given, **named)))
    assert verdicts(method) != before


def test_another_pattern_is_an_entry_of_one_file(tmp_path, monkeypatch):
    shipped = (Path(mutable.__file__).parent / "mutable.toml").read_text(encoding="utf-8")
    added = '\n[[mutable]]\nname = "seats"\nexpression = "[0-9]+[A-K]"\nexamples = ["17B"]\n'
    (tmp_path / "mutable.toml").write_text(shipped + added, encoding="utf-8")
    monkeypatch.setattr(mutable.resources, "files", lambda _: tmp_path)
    found = mutable.default_mutables.__wrapped__()
    assert [Tokenizer(mutables=each).piece(b"17B") for each in (found[:-1], found)] == ["17B", "[0-9]+[A-K]"]
