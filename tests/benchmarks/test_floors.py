"""The quality gate, on made figures."""

import pytest

from benchmarks.support.floors import (
    KNOWN_LOSSES,
    MOST_LOSS,
    TOLERANCE,
    check_floors,
    compare,
    figures_to_floors,
    update_floors,
)
from lab.labelled.bootstrap import Estimate
from lab.labelled.measure import Figures


def floors(f1, pages=10):
    return {"segments": {"chaos": {"pages": pages, "f1": f1}}}


def test_figures_are_rounded_down_and_single_sites_and_other_methods_training_left_out():
    figures = Figures(7, 2, {"f1": Estimate(0.81239, 0, 1), "precision": Estimate(0.5, 0, 1)})
    tests = ("sites/test", "chaos/x")
    names = ("sites", "sites/train", "sites/django", "wcxb-dev/forum", *tests)
    floors = figures_to_floors({method: dict.fromkeys(names, figures) for method in ("auto", "segments")})
    assert floors == {
        "auto": {name: {"pages": 7, "f1": 0.8123} for name in names if name != "sites/django"},
        "segments": {name: {"pages": 7, "f1": 0.8123} for name in tests},
    }
    exact = Figures(1, 1, {"f1": Estimate(0.8123, 0, 1)})
    assert figures_to_floors({"m": {"chaos": exact}})["m"]["chaos"]["f1"] == 0.8123


@pytest.mark.parametrize(
    ("now", "passes"), [(0.9, True), (0.8, True), (0.8 - TOLERANCE, True), (0.7994, False), (0.1, False)]
)
def test_gate(now, passes):
    failures = check_floors(floors(0.8), floors(now), complete=True)
    assert (failures == []) == passes
    if not passes:
        assert failures == [f"segments chaos f1: {now:.4f}, recorded 0.8000"]


def test_gate_names_missing_figures_only_when_all_was_measured():
    assert check_floors(floors(0.8), {}, complete=False) == []
    assert check_floors(floors(0.8), {}, complete=True) == ["segments chaos: recorded, but not measured"]
    without = {"segments": {"chaos": {"pages": 10}}}
    assert check_floors(floors(0.8), without, complete=False) == [
        "segments chaos f1: recorded, but not measured"
    ]


def test_update_raises_and_refuses_to_lower():
    assert update_floors(floors(0.8), floors(0.9)) == (floors(0.9), [])
    kept, refused = update_floors(floors(0.8), floors(0.7))
    assert kept == floors(0.8)
    assert refused == ["segments chaos f1: 0.7000, recorded 0.8000"]
    assert update_floors(floors(0.8), floors(0.7), lower=True) == (floors(0.7), [])


def figures(f1, sites=2):
    return Figures(10, sites, {"f1": Estimate(f1, 0, 1)})


@pytest.mark.parametrize(("loss", "fails"), [(-0.1, False), (0.0, False), (MOST_LOSS, False), (0.0021, True)])
def test_other_pages_of_the_site_may_cost_little(loss, fails):
    lines, failures = compare({"l3s-gn1": figures(0.9 - loss)}, {"l3s-gn1": figures(0.9)})
    assert lines == [f"l3s-gn1 f1: {0.9 - loss:.4f} with the site, 0.9000 by the page alone"]
    assert failures == (lines if fails else [])


def test_known_losses_may_not_grow(monkeypatch):
    monkeypatch.setitem(KNOWN_LOSSES, "l3s-gn1", 0.01)
    assert compare({"l3s-gn1": figures(0.89)}, {"l3s-gn1": figures(0.9)})[1] == []
    assert len(compare({"l3s-gn1": figures(0.8899)}, {"l3s-gn1": figures(0.9)})[1]) == 1


def test_gate_names_sets_of_another_size():
    [failure] = check_floors(floors(0.8), floors(0.9, pages=9), complete=True)
    assert "recorded on 10 pages, measured on 9" in failure


def test_small_losses_do_not_add_up():
    recorded = floors(0.8)
    for now in (0.7997, 0.7996, 0.7995):
        recorded, refused = update_floors(recorded, floors(now))
        assert refused == []
    assert recorded == floors(0.8)
