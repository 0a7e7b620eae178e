"""Means over the topics of made webs: precision at N, overlap, gains; as JSON and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.links.ranking import CONFIGURATIONS
from lab.labelled.bootstrap import bootstrap_mean
from lab.links.runs import DEPTHS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.labelled.bootstrap import Estimate
    from lab.links.runs import WorldOutcome


def topic_scores(
    outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None
) -> tuple[list[float], list[str]]:
    """Collect one score of all topics in all webs.

    Parameters
    ----------
    outcomes
        Results of the webs.
    configuration
        Name of the configuration.
    depth
        One of `DEPTHS` for precision@depth; None for the overlap with the best pages.

    Returns
    -------
    tuple of list of float and list of str
        The scores, and the topic of each: a bootstrap resamples topics.
    """
    topics = [topic for outcome in outcomes for topic in outcome.topics]
    results = [topic.results[configuration] for topic in topics]
    place = None if depth is None else DEPTHS.index(depth)
    scores = [result.overlap if place is None else result.precision[place] for result in results]
    return scores, [topic.term for topic in topics]


def mean(outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None) -> float:
    """Average one score over topics and webs; arguments as for :func:`topic_scores`."""
    return float(np.mean(topic_scores(outcomes, configuration, depth)[0]))


def estimate(outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None) -> Estimate:
    """Average one score as :func:`mean` does, with its 95 % interval from resampling topics."""
    return bootstrap_mean(*topic_scores(outcomes, configuration, depth))


def gain(outcomes: Sequence[WorldOutcome], better: str, worse: str, depth: int) -> Estimate:
    """Average how much more precise one configuration is than another on the same topics and webs."""
    one, topics = topic_scores(outcomes, better, depth)
    other, _ = topic_scores(outcomes, worse, depth)
    return bootstrap_mean([a - b for a, b in zip(one, other, strict=True)], topics)


def mean_template_share(outcomes: Sequence[WorldOutcome]) -> dict[str, float]:
    """Average over webs, for each topic, the share of its base set's pages that hold a template pagelet."""
    shares: dict[str, list[float]] = {}
    for topic in (topic for outcome in outcomes for topic in outcome.topics):
        shares.setdefault(topic.term, []).append(topic.template_share)
    return {term: float(np.mean(values)) for term, values in shares.items()}


def to_csv(outcomes: Sequence[WorldOutcome]) -> str:
    """Write the means with their 95 % intervals as CSV: one line for each configuration and measure."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["configuration", "measure", "mean", "low", "high"])
    for name in CONFIGURATIONS:
        for depth in (*DEPTHS, None):
            measure = "overlap" if depth is None else f"precision@{depth}"
            values = estimate(outcomes, name, depth)
            writer.writerow([name, measure, *(f"{value:.4f}" for value in values)])
    return text.getvalue()


def as_dict(
    outcomes: Sequence[WorldOutcome], variants: Mapping[str, Sequence[WorldOutcome]]
) -> dict[str, Any]:
    """Convert all results to a dictionary that JSON can represent.

    Parameters
    ----------
    outcomes
        Webs made with the default settings, at least one.
    variants
        Webs made with another value of one setting, by what was changed.

    Returns
    -------
    dict
        ``settings``, ``depths``, ``worlds`` and ``variants``: each topic of each web in all configurations.
    """

    def record(outcome: WorldOutcome) -> dict[str, Any]:
        topics = [
            {
                **{key: value for key, value in topic._asdict().items() if key != "results"},
                "template_share": round(topic.template_share, 4),
                "results": {name: result._asdict() for name, result in topic.results.items()},
            }
            for topic in outcome.topics
        ]
        return {"seed": outcome.seed, "counts": outcome.counts, "topics": topics}

    return {
        "settings": asdict(outcomes[0].settings),
        "depths": DEPTHS,
        "worlds": [record(outcome) for outcome in outcomes],
        "variants": {label: [record(outcome) for outcome in webs] for label, webs in variants.items()},
    }
