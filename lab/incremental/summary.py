"""The comparison of incremental detection with batches, averaged over sites; as JSON and CSV."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from lab.incremental.sweep import INCREMENTAL, TOLERANCE
from lab.labelled.bootstrap import bootstrap_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lab.incremental.runs import Outcome, Setting
    from lab.incremental.sweep import Choice, Comparison, SiteOutcome
    from lab.labelled.bootstrap import Estimate

Kind = Literal["wanted", "common"]
"""Recall at which methods are compared: that of ``SiteOutcome.wanted`` or of ``SiteOutcome.common``."""
KINDS: Final[tuple[Kind, ...]] = ("wanted", "common")
"""All kinds of comparison."""


def comparison_of(site: SiteOutcome, kind: Kind) -> Comparison:
    """Return a site's comparison of a kind."""
    return site.wanted if kind == "wanted" else site.common


def saving(ours: float, theirs: float) -> float:
    """Compute the share of the storage `theirs` that `ours` saves; negative where it is larger."""
    return 1 - ours / theirs if theirs else 0.0


@dataclass(frozen=True, slots=True)
class MethodMeans:
    """Means of a method over sites, each site at the setting that a comparison takes."""

    storage: float
    """Average storage in bytes: the mean of the column, as in the paper's table 1."""
    full: float
    """Average bytes of full batches, instead of batches as they fill."""
    recall: float
    """Mean recall."""
    precision: float | None
    """Mean precision over the sites where something was removed."""
    delay: float
    """Mean delay in pages."""
    inserting: float
    """Average storage in bytes when a page is inserted, before the table shrinks."""
    block_recall: float | None
    """Mean recall of the template blocks."""
    block_precision: float | None
    """Mean precision of the template blocks."""
    batch: float | None
    """Mean pages a batch; a batch of all pages counts as the site's pages. None without batches."""
    saved: float
    """Share of this method's storage that the incremental method saves, from the two means."""
    saved_full: float
    """The same share against full batches."""
    saved_by_site: Estimate
    """Mean of the sites' savings, with its 95 % bootstrap interval."""
    cheaper_on: int
    """Number of sites on which the incremental method stores less."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A comparison, averaged over the sites where all methods have the recall."""

    kind: Kind
    """Kind of the comparison."""
    sites: int
    """Number of sites."""
    target: float
    """Mean of the sites' target recalls."""
    methods: dict[str, MethodMeans]
    """Means of each method."""
    text_storage: float
    """Mean storage of the incremental method in bytes, if its table held texts."""
    text_inserting: float
    """The same when a page is inserted, before the table shrinks."""


def _mean_of_known(choices: Sequence[Choice], value: Callable[[Outcome], float | None]) -> float | None:
    values = [number for choice in choices if (number := value(choice.outcome)) is not None]
    return math.fsum(values) / len(values) if values else None


def _mean(choices: Sequence[Choice], value: Callable[[Outcome], float]) -> float:
    return math.fsum(value(choice.outcome) for choice in choices) / len(choices)


def _batch_size(outcome: Outcome) -> float | None:
    batch = outcome.setting.batch
    return None if batch is None else float(min(batch, len(outcome.series)))


def summarise(sites: Sequence[SiteOutcome], kind: Kind) -> Summary | None:
    """Average a comparison over the sites where all methods have the recall; None without such sites."""
    complete = [comparison for site in sites if (comparison := comparison_of(site, kind)).complete]
    if not complete:
        return None
    columns = {method: [each.choices[method] for each in complete] for method in complete[0].choices}
    incremental = columns[INCREMENTAL]
    ours = [choice.outcome.storage for choice in incremental]
    our_mean = math.fsum(ours) / len(ours)
    methods = {}
    for method, choices in columns.items():
        storage = _mean(choices, lambda outcome: outcome.storage)
        full = _mean(choices, lambda outcome: outcome.full)
        savings = [saving(our, choice.outcome.storage) for our, choice in zip(ours, choices, strict=True)]
        methods[method] = MethodMeans(
            storage=storage,
            full=full,
            recall=_mean(choices, lambda outcome: outcome.recall),
            precision=_mean_of_known(choices, lambda outcome: outcome.precision),
            delay=_mean(choices, lambda outcome: outcome.delay),
            inserting=_mean(choices, lambda outcome: outcome.inserting),
            block_recall=_mean_of_known(choices, lambda outcome: outcome.block_recall),
            block_precision=_mean_of_known(choices, lambda outcome: outcome.block_precision),
            batch=_mean_of_known(choices, _batch_size),
            saved=saving(our_mean, storage),
            saved_full=saving(our_mean, full),
            saved_by_site=bootstrap_mean(savings),
            cheaper_on=sum(share > 0 for share in savings),
        )
    text = math.fsum(choice.text_storage or 0.0 for choice in incremental) / len(incremental)
    inserting = math.fsum(choice.text_inserting or 0.0 for choice in incremental) / len(incremental)
    target = math.fsum(comparison.target for comparison in complete) / len(complete)
    return Summary(kind, len(complete), target, methods, text, inserting)


@dataclass(frozen=True, slots=True)
class SweepMean:
    """Means of a setting over all sites."""

    setting: Setting
    """The setting."""
    recall: float
    """Mean recall."""
    precision: float | None
    """Mean precision over the sites where something was removed."""
    storage: float
    """Mean storage in bytes."""
    delay: float
    """Mean delay in pages."""
    reaching: int
    """Number of sites on which the setting has the wanted recall."""


def sweep_means(sites: Sequence[SiteOutcome]) -> list[SweepMean]:
    """Average each setting over all sites, in the order of the sweep. All sites have the same settings."""
    means = []
    for outcomes in zip(*(site.sweep for site in sites), strict=True):
        precisions = [outcome.precision for outcome in outcomes if outcome.precision is not None]
        means.append(
            SweepMean(
                outcomes[0].setting,
                math.fsum(outcome.recall for outcome in outcomes) / len(outcomes),
                math.fsum(precisions) / len(precisions) if precisions else None,
                math.fsum(outcome.storage for outcome in outcomes) / len(outcomes),
                math.fsum(outcome.delay for outcome in outcomes) / len(outcomes),
                sum(
                    outcome.recall >= site.wanted.target - TOLERANCE
                    for site, outcome in zip(sites, outcomes, strict=True)
                ),
            )
        )
    return means


def best_recalls(site: SiteOutcome) -> dict[str, float]:
    """Return each method's highest recall on a site, over all settings."""
    best: dict[str, float] = {}
    for outcome in site.sweep:
        method = outcome.setting.method
        best[method] = max(best.get(method, 0.0), outcome.recall)
    return best


def records(sites: Iterable[SiteOutcome]) -> list[dict[str, Any]]:
    """List the chosen settings: a flat record for each site, comparison and method.

    Sizes are in bytes, delays in pages.
    """
    return [
        {
            "site": site.name,
            "part": site.part,
            "pages": site.pages,
            "comparison": kind,
            "target_recall": round(comparison.target, 5),
            "method": method,
            "reached": choice.reached,
            **_figures(choice.outcome),
            "text_storage": _rounded(choice.text_storage, 1),
            "text_inserting": _rounded(choice.text_inserting, 1),
        }
        for site in sites
        for kind in KINDS
        for comparison in [comparison_of(site, kind)]
        for method, choice in comparison.choices.items()
    ]


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return None if value is None else round(value, digits)


def _figures(outcome: Outcome) -> dict[str, Any]:
    return {
        "setting": outcome.setting.label,
        "recall": round(outcome.recall, 5),
        "precision": _rounded(outcome.precision),
        "block_recall": _rounded(outcome.block_recall),
        "block_precision": _rounded(outcome.block_precision),
        "storage": round(outcome.storage, 1),
        "inserting": round(outcome.inserting, 1),
        "full_batch": round(outcome.full, 1),
        "delay": round(outcome.delay, 3),
    }


def to_csv(sites: Iterable[SiteOutcome]) -> str:
    """Write the records of :func:`records` as CSV."""
    rows = records(sites)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_dict(sites: Sequence[SiteOutcome]) -> dict[str, Any]:
    """Convert all results to a dictionary that JSON can represent.

    Parameters
    ----------
    sites
        Results of all sites.

    Returns
    -------
    dict
        Counts of sites and pages; ``summary`` by comparison; ``compared``, see :func:`records`; and
        ``sweep``: for each site, the figures of all settings as columns.
    """
    sweeps = {}
    for site in sites:
        rows = [{"method": outcome.setting.method, **_figures(outcome)} for outcome in site.sweep]
        sweeps[site.name] = {name: [row[name] for row in rows] for name in rows[0]}
    summaries = {kind: summary for kind in KINDS if (summary := summarise(sites, kind)) is not None}
    return {
        "sites": len(sites),
        "pages": sum(site.pages for site in sites),
        "scored": sum(site.scored for site in sites),
        "skipped": sum(site.skipped for site in sites),
        "summary": {kind: _summary_dict(summary) for kind, summary in summaries.items()},
        "compared": records(sites),
        "sweep": sweeps,
    }


def _summary_dict(summary: Summary) -> dict[str, Any]:
    methods = {}
    for name, means in summary.methods.items():
        record: dict[str, Any] = {
            "storage": round(means.storage, 1),
            "full_batch": round(means.full, 1),
            "recall": _rounded(means.recall),
            "precision": _rounded(means.precision),
            "block_recall": _rounded(means.block_recall),
            "block_precision": _rounded(means.block_precision),
            "delay": _rounded(means.delay),
            "inserting": round(means.inserting, 1),
            "batch": _rounded(means.batch),
        }
        if name != INCREMENTAL:
            record["saved"] = _rounded(means.saved)
            record["saved_full_batch"] = _rounded(means.saved_full)
            record["saved_by_site"] = [round(part, 5) for part in means.saved_by_site]
            record["cheaper_on"] = means.cheaper_on
        methods[name] = record
    return {
        "sites": summary.sites,
        "target_recall": _rounded(summary.target),
        "text_storage": round(summary.text_storage, 1),
        "text_inserting": round(summary.text_inserting, 1),
        "methods": methods,
    }
