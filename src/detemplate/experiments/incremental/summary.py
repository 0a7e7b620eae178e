"""The comparison of incremental detection with batches, summed up over sites; as records for JSON and CSV."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from detemplate.experiments.incremental.sweep import INCREMENTAL
from detemplate.labelled.bootstrap import bootstrap_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from detemplate.experiments.incremental.runs import Outcome, Setting
    from detemplate.experiments.incremental.sweep import Choice, Comparison, SiteOutcome
    from detemplate.labelled.bootstrap import Estimate

Kind = Literal["wanted", "common"]
"""Which recall methods are compared at: see `SiteOutcome`."""
KINDS: Final[tuple[Kind, ...]] = ("wanted", "common")


def comparison_of(site: SiteOutcome, kind: Kind) -> Comparison:
    """Give a site's comparison of a kind."""
    return site.wanted if kind == "wanted" else site.common


def saving(ours: float, theirs: float) -> float:
    """Share of a storage that is saved; negative where more is stored."""
    return 1 - ours / theirs if theirs else 0.0


@dataclass(frozen=True, slots=True)
class MethodMeans:
    """Means of a method over sites, each site at the setting that a comparison takes."""

    storage: float
    """Average storage, bytes: the mean of the column, as in the paper's table 1."""
    full: float
    """The same with full batches in place of batches as they fill."""
    recall: float
    precision: float | None
    """Over the sites where something was removed."""
    delay: float
    batch: float | None
    """Pages a batch (a batch of all pages counts as the site's pages)."""
    saved: float
    """Share of this method's storage that the incremental method saves: from the two means."""
    saved_full: float
    """The same against full batches."""
    saved_by_site: Estimate
    """The same, site by site: mean and 95 % bootstrap interval."""
    cheaper_on: int
    """Sites on which the incremental method stores less."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A comparison over the sites where all methods have the recall."""

    kind: Kind
    sites: int
    target: float
    """Mean of the sites' target recalls."""
    methods: dict[str, MethodMeans]
    text_storage: float
    """Mean of the incremental method's storage if its table held texts."""


def _column(choices: Sequence[Choice], value: Callable[[Outcome], float | None]) -> float | None:
    found = [figure for choice in choices if (figure := value(choice.outcome)) is not None]
    return math.fsum(found) / len(found) if found else None


def _mean(choices: Sequence[Choice], value: Callable[[Outcome], float]) -> float:
    return math.fsum(value(choice.outcome) for choice in choices) / len(choices)


def _batch(outcome: Outcome) -> float | None:
    batch = outcome.setting.batch
    return None if batch is None else float(min(batch, len(outcome.series)))


def summarise(sites: Sequence[SiteOutcome], kind: Kind) -> Summary | None:
    """Average a comparison over sites.

    Parameters
    ----------
    sites
        What was measured.
    kind
        Which comparison.

    Returns
    -------
    Summary or None
        Over the sites where all methods have the recall; None without such sites.
    """
    rows = [comparison for site in sites if (comparison := comparison_of(site, kind)).complete]
    if not rows:
        return None
    columns = {method: [row.choices[method] for row in rows] for method in rows[0].choices}
    ours = columns[INCREMENTAL]
    own = [choice.outcome.storage for choice in ours]
    mean_own = math.fsum(own) / len(own)
    methods = {}
    for method, choices in columns.items():
        storage = _mean(choices, lambda outcome: outcome.storage)
        full = _mean(choices, lambda outcome: outcome.full)
        each = [saving(mine, choice.outcome.storage) for mine, choice in zip(own, choices, strict=True)]
        methods[method] = MethodMeans(
            storage=storage,
            full=full,
            recall=_mean(choices, lambda outcome: outcome.recall),
            precision=_column(choices, lambda outcome: outcome.precision),
            delay=_mean(choices, lambda outcome: outcome.delay),
            batch=_column(choices, _batch),
            saved=saving(mean_own, storage),
            saved_full=saving(mean_own, full),
            saved_by_site=bootstrap_mean(each),
            cheaper_on=sum(share > 0 for share in each),
        )
    text = math.fsum(choice.text_storage or 0.0 for choice in ours) / len(ours)
    return Summary(kind, len(rows), math.fsum(row.target for row in rows) / len(rows), methods, text)


@dataclass(frozen=True, slots=True)
class SweepMean:
    """A setting's means over all sites."""

    setting: Setting
    recall: float
    precision: float | None
    storage: float
    delay: float
    reaching: int
    """Sites on which it has the recall that is asked for."""


def sweep_means(sites: Sequence[SiteOutcome]) -> list[SweepMean]:
    """Average each setting over all sites.

    Parameters
    ----------
    sites
        What was measured, at the same settings everywhere.

    Returns
    -------
    list of SweepMean
        In the order of the sweep.
    """
    means = []
    for found in zip(*(site.sweep for site in sites), strict=True):
        precisions = [outcome.precision for outcome in found if outcome.precision is not None]
        means.append(
            SweepMean(
                found[0].setting,
                math.fsum(outcome.recall for outcome in found) / len(found),
                math.fsum(precisions) / len(precisions) if precisions else None,
                math.fsum(outcome.storage for outcome in found) / len(found),
                math.fsum(outcome.delay for outcome in found) / len(found),
                sum(
                    outcome.recall >= site.wanted.target - 1e-12
                    for site, outcome in zip(sites, found, strict=True)
                ),
            )
        )
    return means


def best_recalls(site: SiteOutcome) -> dict[str, float]:
    """Give each method's highest recall on a site, at any setting."""
    best: dict[str, float] = {}
    for outcome in site.sweep:
        method = outcome.setting.method
        best[method] = max(best.get(method, 0.0), outcome.recall)
    return best


def records(sites: Iterable[SiteOutcome]) -> list[dict[str, Any]]:
    """List what the comparisons took, one record a site, comparison and method.

    Parameters
    ----------
    sites
        What was measured.

    Returns
    -------
    list of dict
        Flat records; sizes in bytes, delays in pages.
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
            "text_storage": None if choice.text_storage is None else round(choice.text_storage, 1),
        }
        for site in sites
        for kind in KINDS
        for comparison in [comparison_of(site, kind)]
        for method, choice in comparison.choices.items()
    ]


def _figures(outcome: Outcome) -> dict[str, Any]:
    return {
        "setting": outcome.setting.label,
        "recall": round(outcome.recall, 5),
        "precision": None if outcome.precision is None else round(outcome.precision, 5),
        "storage": round(outcome.storage, 1),
        "full_batch": round(outcome.full, 1),
        "delay": round(outcome.delay, 3),
    }


def to_csv(sites: Iterable[SiteOutcome]) -> str:
    """Write the records of `records` as CSV."""
    rows = records(sites)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_dict(sites: Sequence[SiteOutcome]) -> dict[str, Any]:
    """Give everything measured in a form that JSON can hold.

    Parameters
    ----------
    sites
        What was measured.

    Returns
    -------
    dict
        ``summary`` by comparison, ``compared`` (see `records`) and ``sweep``: for each site, the figures
        of all its settings as columns.
    """
    sweeps = {}
    for site in sites:
        rows = [{"method": outcome.setting.method, **_figures(outcome)} for outcome in site.sweep]
        sweeps[site.name] = {name: [row[name] for row in rows] for name in rows[0]}
    summaries = {kind: found for kind in KINDS if (found := summarise(sites, kind)) is not None}
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
    def short(value: float | None) -> float | None:
        return None if value is None else round(value, 5)

    methods = {}
    for name, means in summary.methods.items():
        own: dict[str, Any] = {
            "storage": round(means.storage, 1),
            "full_batch": round(means.full, 1),
            "recall": short(means.recall),
            "precision": short(means.precision),
            "delay": short(means.delay),
            "batch": short(means.batch),
        }
        if name != INCREMENTAL:
            own["saved"] = short(means.saved)
            own["saved_full_batch"] = short(means.saved_full)
            own["saved_by_site"] = [round(part, 5) for part in means.saved_by_site]
            own["cheaper_on"] = means.cheaper_on
        methods[name] = own
    return {
        "sites": summary.sites,
        "target_recall": short(summary.target),
        "text_storage": round(summary.text_storage, 1),
        "methods": methods,
    }
