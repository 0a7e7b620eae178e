"""All results of the experiment, their means over collections and mirrors with intervals; as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lab.expressions.injection import SHARES, ratio
from lab.expressions.mirrors import METHODS
from lab.expressions.runs import DEFAULT, ONE, Setting
from lab.expressions.slots import KINDS
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from detemplate.expressions.remove import Locality
    from lab.expressions.mirrors import MirrorPair
    from lab.expressions.runs import CollectionOutcome
    from lab.expressions.sources import Sources
    from lab.labelled.bootstrap import Estimate
    from lab.labelled.measure import Figures

ALL_SHARES: Final = (1.0, *SHARES)
"""Shares of the documents that have a block, falling."""
OFTEN: Final = 0.5
"""Share of the documents from which a block is above every cut-off of the histogram."""
DISTANCES: Final = ("distance", "to_clean", "equal")
"""Attributes of :class:`~lab.expressions.mirrors.MirrorPair` that are averaged."""
_BASE: Final = Setting()
"""The default setting."""


@dataclass(slots=True)
class Results:
    """All results of the experiment.

    Attributes
    ----------
    sources
        Templates and documents of the collections.
    seeds
        The seeds.
    outcomes
        Results on injected template: one for each collection, level, locality and part.
    pairs
        Results on mirrors.
    quality
        Figures of methods on the labelled sites, by label of the method and by set.
    """

    sources: Sources
    seeds: tuple[int, ...]
    outcomes: list[CollectionOutcome] = field(default_factory=list)
    pairs: list[MirrorPair] = field(default_factory=list)
    quality: dict[str, dict[str, Figures]] = field(default_factory=dict)


def select(
    results: Results,
    setting: Setting = _BASE,
    level: str = ONE,
    *,
    held_out: bool = True,
    locality: Locality = DEFAULT,
) -> list[CollectionOutcome]:
    """Select the results of one setting: one a collection."""
    wanted = (setting, level, held_out, locality)
    return [
        each
        for each in results.outcomes
        if (each.setting, each.level, each.held_out, each.locality) == wanted
    ]


def sizes(results: Results) -> list[int]:
    """Return the numbers of documents that were tried with all other settings at their defaults."""
    tried = {outcome.setting for outcome in results.outcomes}
    return sorted(setting.documents for setting in tried if setting == Setting(setting.documents))


def estimate(
    outcomes: Iterable[CollectionOutcome], score: Callable[[CollectionOutcome], float | None]
) -> Estimate | None:
    """Average a score over collections, with its interval from resampling sites; None where none has it."""
    known = [(value, outcome.site) for outcome in outcomes if (value := score(outcome)) is not None]
    return bootstrap_mean([value for value, _ in known], [site for _, site in known]) if known else None


def recall(outcome: CollectionOutcome) -> float | None:
    """Return the share of the injected characters that are removed."""
    return outcome.tally.recall


def precision(outcome: CollectionOutcome) -> float | None:
    """Return the share of the removed characters that were injected."""
    return outcome.tally.precision


def lost(outcome: CollectionOutcome) -> float | None:
    """Return the share of the clean text that is removed."""
    return outcome.tally.lost


def at_share(share: float) -> Callable[[CollectionOutcome], float | None]:
    """Score: recall on the blocks that this share of the documents have."""

    def score(outcome: CollectionOutcome) -> float | None:
        chosen = [each == share for each in outcome.shares]
        return ratio(outcome.tally.blocks[chosen].sum(axis=0))

    return score


def at_place(place: str) -> Callable[[CollectionOutcome], float | None]:
    """Score: recall on the blocks at this place that `OFTEN` of the documents or more have."""

    def score(outcome: CollectionOutcome) -> float | None:
        pairs = zip(outcome.places, outcome.shares, strict=True)
        chosen = [each == place and share >= OFTEN for each, share in pairs]
        return ratio(outcome.tally.blocks[chosen].sum(axis=0))

    return score


def at_kind(number: int) -> Callable[[CollectionOutcome], float | None]:
    """Score: recall on the characters of one kind of slot, in blocks that `OFTEN` or more have."""

    def score(outcome: CollectionOutcome) -> float | None:
        chosen = [share >= OFTEN for share in outcome.shares]
        return ratio(outcome.tally.slots[chosen, number].sum(axis=0))

    return score


def mirror_means(results: Results, setting: Setting, method: str) -> tuple[Estimate, ...]:
    """Average each of `DISTANCES` over pairs of mirrors."""
    pairs = [pair for pair in results.pairs if pair.setting == setting and pair.method == method]
    sites = [pair.sites for pair in pairs]
    return tuple(bootstrap_mean([getattr(pair, name) for pair in pairs], sites) for name in DISTANCES)


def as_dict(results: Results) -> dict[str, Any]:
    """Convert all results to a dictionary that JSON can represent.

    Returns
    -------
    dict
        ``injection``: a record for each setting, level, locality and part, with means as
        ``[mean, low, high]`` and each site's recall and precision; ``mirrors``; ``quality``.
    """
    groups: dict[tuple[Any, ...], list[CollectionOutcome]] = {}
    for outcome in results.outcomes:
        key = (outcome.setting, outcome.level, outcome.locality, outcome.held_out)
        groups.setdefault(key, []).append(outcome)
    return {
        "seeds": results.seeds,
        "documents": {language: len(texts) for language, texts in sorted(results.sources.documents.items())},
        "templates": {
            template.site: sum(map(len, template.lines)) for template in results.sources.templates
        },
        "injection": [_injection_record(key, outcomes) for key, outcomes in groups.items()],
        "mirrors": [
            {
                **asdict(setting), "method": method,
                **dict(zip(DISTANCES, map(_rounded, mirror_means(results, setting, method)), strict=True)),
            }
            for setting in dict.fromkeys(pair.setting for pair in results.pairs)
            for method in METHODS
        ],
        "quality": {label: to_json(summary) for label, summary in results.quality.items()},
    }  # fmt: skip


def _injection_record(key: tuple[Any, ...], outcomes: Sequence[CollectionOutcome]) -> dict[str, Any]:
    setting, level, locality, held_out = key
    record = {
        **asdict(setting),
        "level": level,
        **asdict(locality),
        "cleaned": "held out" if held_out else "mined",
    }
    scores = {"recall": recall, "precision": precision, "lost": lost}
    record |= {name: _rounded(estimate(outcomes, score)) for name, score in scores.items()}
    record["recall_by_share"] = {
        f"{share:g}": _rounded(estimate(outcomes, at_share(share))) for share in ALL_SHARES
    }
    kinds = {kind: _rounded(estimate(outcomes, at_kind(number))) for number, kind in enumerate(KINDS)}
    record["recall_by_slot"] = {kind: value for kind, value in kinds.items() if value is not None}
    record["sites"] = {
        site: {
            name: _mean(score(outcome) for outcome in outcomes if outcome.site == site)
            for name, score in (("recall", recall), ("precision", precision))
        }
        for site in sorted({outcome.site for outcome in outcomes})
    }
    return record


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(float(np.mean(known)), 5) if known else None


def _rounded(value: Estimate | None) -> list[float] | None:
    return None if value is None else [round(part, 5) for part in value]
