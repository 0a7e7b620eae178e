"""Four logistic regressions by node area (Chakrabarti, Kumar, Punera 2007, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.pagemodel import PageModel
from detemplate.errors import MissingExtra, UserError
from detemplate.features.node import NAMES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.training.sample import Sample

    Reals = npt.NDArray[np.float64]

RANGES: Final = 4
"""Number of classifiers, as in the paper."""

_DIGITS: Final = 6  # significant digits of the model's numbers
_ITERATIONS: Final = 2000  # maximum number of iterations of the solver


def learn_kit() -> Any:  # noqa: ANN401
    """Import scikit-learn.

    Raises MissingExtra: scikit-learn is not installed; the message tells how to install it.
    """
    try:
        import sklearn.linear_model  # type: ignore[import-untyped]
        import sklearn.metrics  # type: ignore[import-untyped]
        import sklearn.model_selection  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("training the page-level model", "train") from error
    return sklearn


def site_weights(sample: Sample) -> Reals:
    """Return a weight for each node, so that all sites weigh the same; the mean weight is 1."""
    nodes = np.bincount(sample.site, minlength=len(sample.sites))
    sites = np.count_nonzero(nodes)
    return np.asarray(len(sample.site) / np.maximum(sites * nodes, 1)[sample.site], np.float64)


def fit(sample: Sample, rows: npt.NDArray[np.intp], min_area: float) -> PageModel:
    """Train the classifiers.

    ``sample``: labelled nodes.
    ``rows``: numbers of the nodes to train on.
    ``min_area``: smallest area of the sampled nodes, in square pixels; stored in the model.
    Returns: a classifier for each range of areas. Numbers are rounded to 6 significant digits.
    Raises UserError: all nodes are template, or none is.
    Raises MissingExtra: scikit-learn is not installed.

    Notes
    -----
    The areas are cut at their quartiles, so each classifier has a quarter of the nodes. Features are
    standardised by mean and deviation within the range. L2 regularisation, C = 1. A range whose nodes are
    all of one kind gets the classifier of all areas.

    All sites weigh the same. Then all template nodes together weigh as much as all other nodes. Weights are
    not balanced within a range, so that the classifiers learn that large nodes are seldom template.
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
        chosen = which == number
        if len(np.unique(template[chosen])) < 2:
            chosen[:] = True
        table, weights = sample.table[rows[chosen]].astype(np.float64), weight[chosen]
        mean = _rounded(np.average(table, axis=0, weights=weights))
        scale = _rounded(np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weights)))
        scale[scale < 1e-6] = 1.0
        trained = kit.linear_model.LogisticRegression(max_iter=_ITERATIONS).fit(
            (table - mean) / scale, template[chosen], weights
        )
        means[number], scales[number] = mean, scale
        coefficients[number], intercepts[number] = _rounded(trained.coef_[0]), _rounded(trained.intercept_)[0]
    return PageModel(NAMES, cuts, coefficients, means, scales, intercepts, min_area, sample.layout)


def _balanced(weight: Reals, template: npt.NDArray[np.bool_]) -> Reals:
    """Scale weights so that template and other nodes weigh the same; the mean weight is 1."""
    kinds = [np.sum(weight, where=template), np.sum(weight, where=~template)]
    return weight * len(weight) / 2 / np.where(template, *np.maximum(kinds, 1e-9))


def _rounded(numbers: npt.ArrayLike) -> Reals:
    """Round to the number of digits in the model file."""
    return np.array([float(f"{number:.{_DIGITS}g}") for number in np.asarray(numbers, np.float64)])
