"""What the tests of training method auto share."""

import pytest

from lab.auto import train as training


@pytest.fixture
def small(monkeypatch):
    """Forests that are trained in no time."""
    growth = {
        "num_trees": 8, "num_leaves": 5, "learning_rate": 0.3, "feature_fraction": 0.5,
        "min_data_in_leaf": 5, "lambda_l2": 1.0, "max_bin": 15,
    }  # fmt: skip
    monkeypatch.setattr(training, "PAGE_GROWTH", growth)
    monkeypatch.setattr(training, "SITE_GROWTH", growth)
