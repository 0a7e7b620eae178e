"""Training forests: what LightGBM trains is what the forest sums."""

import numpy as np
import pytest

from lab.auto import train as training
from lab.auto.train import grow
from lab.auto.trees import grown

lightgbm = pytest.importorskip("lightgbm")

SMALL = {
    "num_trees": 25, "num_leaves": 7, "learning_rate": 0.2, "feature_fraction": 0.6,
    "min_data_in_leaf": 5, "lambda_l2": 1.0, "max_bin": 31,
}  # fmt: skip


def made(rows=600, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, 6)).astype(np.float32)
    table[:, 3] = rng.integers(0, 3, rows)
    table[rng.random(rows) < 0.1, 4] = 0
    content = table[:, 0] + table[:, 3] * (table[:, 1] > 0) + rng.normal(0, 0.5, rows) > 0.6
    return table, content, rng.random(rows) + 0.1


def raw_forest(monkeypatch, *given):
    """Grow a forest, and give the booster that it was made of too."""
    boosters = []
    train = lightgbm.train

    def kept(*arguments, **options):
        boosters.append(train(*arguments, **options))
        return boosters[-1]

    monkeypatch.setattr(lightgbm, "train", kept)
    return grow(*given), boosters[0]


def exact_forest(booster):
    trees = [training._tree(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    return grown(trees, 6)


def test_sums_are_lightgbms_own_predictions(monkeypatch):
    table, content, weight = made()
    forest, booster = raw_forest(monkeypatch, [table[:250], table[250:]], content, weight, SMALL, 3)
    assert forest.trees == SMALL["num_trees"]
    for given in (table, made(seed=9)[0] * 3, np.zeros((1, 6), np.float32)):
        wanted = booster.predict(given, raw_score=True)
        np.testing.assert_allclose(forest.sums(given), wanted, rtol=2e-2, atol=5e-3)
    # Not rounded, they are the same up to float32.
    exact = exact_forest(booster)
    np.testing.assert_allclose(
        exact.sums(table), booster.predict(table, raw_score=True), rtol=1e-5, atol=1e-5
    )
