"""How well the classifiers do on sites that they were not trained on."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from detemplate.errors import UserError
from detemplate.sites.naming import domain
from detemplate.training.pagelevel.logistic import fit, learn_kit, site_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.training.pagelevel.sample import Sample


@dataclass(frozen=True, slots=True)
class Fold:
    """What the classifiers trained on all other folds do on this one, its sites weighing the same.

    Attributes
    ----------
    sites
        Names of the sites left out of training.
    nodes
        Their nodes in the sample.
    template_share
        Share of the nodes that are template: what the figures are to be compared with.
    accuracy
        Share of the nodes on the right side of 0.5.
    auc
        Probability that a template node scores higher than another one; None where one kind is missing.
    f
        Harmonic mean of precision and recall of template nodes.
    """

    sites: tuple[str, ...]
    nodes: int
    template_share: float
    accuracy: float
    auc: float | None
    f: float


def family(site: str, patterns: Sequence[str]) -> str:
    """Name what a site belongs together with.

    Parameters
    ----------
    site
        The site's name.
    patterns
        Shell patterns. All sites that match one are a family.

    Returns
    -------
    str
        The first pattern that matches; else the site's registered domain, or the name if it has none.
    """
    matching = (pattern for pattern in patterns if fnmatchcase(site, pattern))
    return next(matching, None) or (domain(f"http://{site}") if site else "")


def cross_validate(
    sample: Sample, *, folds: int, patterns: Sequence[str], seed: int, min_area: float
) -> list[Fold]:
    """Train on all folds but one and try the result on that one, for each.

    Parameters
    ----------
    sample
        Labelled nodes.
    folds
        Parts that the families are dealt into at random; 0: no cross-validation.
    patterns
        See :func:`family`. No family is split over two folds.
    seed
        Decides about the folds.
    min_area
        As for :func:`~detemplate.training.pagelevel.logistic.fit`.

    Raises
    ------
    UserError
        There are fewer families than folds, or 1 fold.
    MissingExtra
        scikit-learn is not installed.
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
    found = []
    for learnt, tried in parts.split(sample.table, sample.template, numbers):
        model = fit(sample, learnt, min_area)
        truth, weight = sample.template[tried], weights[tried]
        scores = model.scores(sample.table[tried], sample.area[tried])
        figures = kit.metrics
        found.append(
            Fold(
                tuple(sample.sites[site].name for site in np.unique(sample.site[tried])),
                len(tried),
                _figure(np.average(truth, weights=weight)),
                _figure(figures.accuracy_score(truth, scores > 0.5, sample_weight=weight)),
                _figure(figures.roc_auc_score(truth, scores, sample_weight=weight))
                if 0 < truth.sum() < len(truth)
                else None,
                _figure(figures.f1_score(truth, scores > 0.5, sample_weight=weight, zero_division=0.0)),
            )
        )
    return found


def _figure(number: float) -> float:
    return round(float(number), 4)
