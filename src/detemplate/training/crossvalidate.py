"""Cross-validation: the classifiers' accuracy on sites that were left out of training."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from detemplate.errors import UserError
from detemplate.sites.naming import domain
from detemplate.training.logistic import fit, learn_kit, site_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.training.sample import Sample


@dataclass(frozen=True, slots=True)
class Fold:
    """Figures of one fold: classifiers trained on all other folds, tested on this one.

    Sites weigh the same.

    ``sites``: names of the fold's sites.
    ``nodes``: number of their nodes in the sample.
    ``template_share``: share of template nodes; the baseline of the other figures.
    ``accuracy``: share of nodes that are classified correctly at 0.5.
    ``auc``: probability that a template node scores higher than another node; None if one kind is missing.
    ``f``: F1 of template nodes: the harmonic mean of precision and recall.
    """

    sites: tuple[str, ...]
    nodes: int
    template_share: float
    accuracy: float
    auc: float | None
    f: float


def family(site: str, patterns: Sequence[str]) -> str:
    """Name the family of a site: sites that must not be split over folds.

    ``site``: the site's name.
    ``patterns``: shell patterns; all sites that match the same pattern are a family.
    Returns: the first pattern that matches; otherwise the site's registered domain, or its name if it has
        none.
    """
    matching = (pattern for pattern in patterns if fnmatchcase(site, pattern))
    return next(matching, None) or (domain(f"http://{site}") if site else "")


def cross_validate(
    sample: Sample, *, folds: int, patterns: Sequence[str], seed: int, min_area: float
) -> list[Fold]:
    """Test classifiers on each fold that were trained on all other folds.

    ``sample``: labelled nodes.
    ``folds``: number of folds; families are assigned to them at random. 0: no cross-validation.
    ``patterns``: patterns of families; see :func:`family`. No family is split over folds.
    ``seed``: seed of the random assignment.
    ``min_area``: as for :func:`~detemplate.training.logistic.fit`.
    Raises UserError: there are fewer families than folds, or the number of folds is 1 or negative.
    Raises MissingExtra: scikit-learn is not installed.
    """
    kit = learn_kit()
    if not folds:
        return []
    families = [family(site.name, patterns) for site in sample.sites]
    count = len(set(families))
    if not 2 <= folds <= count:
        raise UserError(
            f"{count:,} {'family' if count == 1 else 'families'} of sites cannot be {folds} folds: "
            f"give --folds between 2 and their number, or 0 for no cross-validation"
        )
    numbers = np.unique(families, return_inverse=True)[1][sample.site]
    parts = kit.model_selection.GroupKFold(folds, shuffle=True, random_state=seed)
    weights = site_weights(sample)
    figures = []
    for learned, tested in parts.split(sample.table, sample.template, numbers):
        model = fit(sample, learned, min_area)
        truth, weight = sample.template[tested], weights[tested]
        scores = model.scores(sample.table[tested], sample.area[tested])
        metrics = kit.metrics
        figures.append(
            Fold(
                tuple(sample.sites[site].name for site in np.unique(sample.site[tested])),
                len(tested),
                _rounded(np.average(truth, weights=weight)),
                _rounded(metrics.accuracy_score(truth, scores > 0.5, sample_weight=weight)),
                _rounded(metrics.roc_auc_score(truth, scores, sample_weight=weight))
                if 0 < truth.sum() < len(truth)
                else None,
                _rounded(metrics.f1_score(truth, scores > 0.5, sample_weight=weight, zero_division=0.0)),
            )
        )
    return figures


def _rounded(number: float) -> float:
    """Round a figure to 4 decimal places."""
    return round(float(number), 4)
