"""Four logistic regressions by node area (Chakrabarti, Kumar, Punera 2007, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.pagelevel.model import PageModel
from detemplate.errors import MissingExtra, UserError
from detemplate.features.node import NAMES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.training.pagelevel.sample import Sample

    Reals = npt.NDArray[np.float64]

RANGES: Final = 4
"""Classifiers, as in the paper."""

_DIGITS: Final = 6
_ROUNDS: Final = 2000


def learn_kit() -> Any:  # noqa: ANN401
    """Import scikit-learn, or say how to get it.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    try:
        import sklearn.linear_model  # type: ignore[import-untyped]
        import sklearn.metrics  # type: ignore[import-untyped]
        import sklearn.model_selection  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("training the page-level model", "train") from error
    return sklearn


def site_weights(sample: Sample) -> Reals:
    """Weigh nodes so that every site counts the same; one on average."""
    nodes = np.bincount(sample.site, minlength=len(sample.sites))
    given = np.count_nonzero(nodes)
    return np.asarray(len(sample.site) / np.maximum(given * nodes, 1)[sample.site], np.float64)


def fit(sample: Sample, rows: npt.NDArray[np.intp], min_area: float) -> PageModel:
    """Train the classifiers.

    Parameters
    ----------
    sample
        Labelled nodes.
    rows
        Those to train on.
    min_area
        Area from which on they were taken; it is noted in the model.

    Returns
    -------
    PageModel
        The areas are cut at their quantiles, so that each classifier has a quarter of the nodes. Features
        are standardised by mean and deviation within the range. The nodes of a site weigh together what
        those of any other do; then all template nodes together weigh what all others do. They do not
        within a range: that large nodes are seldom template is something to learn. L2 regularisation,
        C = 1. A range in which all nodes are of one kind gets the classifier of all areas together. Numbers
        are rounded to 6 digits.

    Raises
    ------
    UserError
        All nodes are template, or none is.
    MissingExtra
        scikit-learn is not installed.
    """
    kit = learn_kit()
    area, template = sample.area[rows], sample.template[rows]
    weight = _balanced(site_weights(sample)[rows], template)
    cuts = _rounded(np.quantile(area, np.arange(1, RANGES) / RANGES))
    which = np.searchsorted(cuts, area, "right")
    if len(np.unique(template)) < 2:
        kind = "template" if template.any() else "no template"
        raise UserError(f"the {len(rows):,} nodes to learn from are all {kind}: train on more sites")
    shape = RANGES, len(NAMES)
    coefficients, means, scales = np.zeros(shape), np.zeros(shape), np.ones(shape)
    intercepts = np.zeros(RANGES)
    for number in range(RANGES):
        own = which == number
        if len(np.unique(template[own])) < 2:
            own[:] = True
        table, weights = sample.table[rows[own]].astype(np.float64), weight[own]
        mean = _rounded(np.average(table, axis=0, weights=weights))
        scale = _rounded(np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weights)))
        scale[scale < 1e-6] = 1.0
        trained = kit.linear_model.LogisticRegression(max_iter=_ROUNDS).fit(
            (table - mean) / scale, template[own], weights
        )
        means[number], scales[number] = mean, scale
        coefficients[number], intercepts[number] = _rounded(trained.coef_[0]), _rounded(trained.intercept_)[0]
    return PageModel(NAMES, cuts, coefficients, means, scales, intercepts, min_area, sample.layout)


def _balanced(weight: Reals, template: npt.NDArray[np.bool_]) -> Reals:
    """Scale weights so that both kinds of nodes weigh the same; one on average."""
    kinds = [np.sum(weight, where=template), np.sum(weight, where=~template)]
    return weight * len(weight) / 2 / np.where(template, *np.maximum(kinds, 1e-9))


def _rounded(numbers: npt.ArrayLike) -> Reals:
    """Round to a few digits, as the model file has them."""
    return np.array([float(f"{number:.{_DIGITS}g}") for number in np.asarray(numbers, np.float64)])
