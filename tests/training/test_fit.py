"""The four logistic regressions and their cross-validation, compared with scikit-learn."""

import sys
from collections import Counter

import numpy as np
import pytest

from detemplate.errors import MissingExtra
from detemplate.features.node import NAMES
from detemplate.training.logistic import fit, learn_kit, site_weights
from detemplate.training.sample import Sample, SiteSample

COLUMN = NAMES.index("anchor_text")


def made(sizes, *, signal=3.0, seed=0, names=None):
    """Make nodes; one feature is correlated with the label, more with a higher ``signal``."""
    draw = np.random.default_rng(seed)
    count = sum(sizes)
    table = draw.normal(size=(count, len(NAMES))).astype(np.float32)
    table[:, NAMES.index("width")] = 0.5  # a constant feature
    area = draw.lognormal(9, 1.5, count)
    template = draw.random(count) < 1 / (1 + np.exp(-signal * table[:, COLUMN] + 1))
    site = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    names = names or [f"site{number}.org" for number in range(len(sizes))]
    sites = tuple(SiteSample(name, 30, size) for name, size in zip(names, sizes, strict=True))
    return Sample(table, area, template, site, sites, "estimated", Counter())


def every(sample):
    return np.arange(len(sample.area))


def balanced(sample):
    """Weigh sites the same, then both kinds of nodes the same."""
    weights = site_weights(sample)
    half = weights.sum() / 2
    for kind in (True, False):
        own = sample.template == kind
        weights[own] *= half / weights[own].sum()
    return weights


def test_scores_are_those_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    sample = made([300, 900, 400])
    model = fit(sample, every(sample), 2000.0)
    assert model.cuts == pytest.approx(np.quantile(sample.area, [0.25, 0.5, 0.75]), rel=1e-5)
    weights = balanced(sample)
    which = np.searchsorted(model.cuts, sample.area, "right")
    scores = model.scores(sample.table, sample.area)
    for number in range(4):
        own = which == number
        with np.errstate(invalid="ignore"):  # the variance of a constant, in floats
            table = StandardScaler().fit_transform(
                sample.table[own].astype(float), sample_weight=weights[own]
            )
        table[:, NAMES.index("width")] = 0
        wanted = LogisticRegression(max_iter=2000).fit(table, sample.template[own], weights[own])
        assert scores[own] == pytest.approx(wanted.predict_proba(table)[:, 1], abs=2e-3)
    assert model.coefficients[:, COLUMN].min() > 1
    assert (model.coefficients[:, NAMES.index("width")] == 0).all()


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(MissingExtra, match=r"detemplate\[train\]"):
        learn_kit()
