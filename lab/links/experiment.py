"""Ranking by links as one call: make webs, rank, write the tables, draw the charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.errors import UserError
from detemplate.report.progress import step_progress
from lab.harness.charts import require_matplotlib
from lab.harness.common import labelled_sites, make_folder, write_results
from lab.links.charts import write_charts
from lab.links.corpus import read_corpus
from lab.links.report import report
from lab.links.runs import measure_world
from lab.links.summary import as_dict, to_csv
from lab.links.world import WorldSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lab.links.runs import WorldOutcome

SEEDS: Final = 5
"""Number of webs made with the default settings."""

QUICK_SEEDS: Final = 2
"""Number of webs made with the default settings in a quick run."""

QUICK_TOPICS: Final = 10
"""Number of topics in a quick run, at most."""

VARIANT_SEEDS: Final = 2
"""Number of webs for each other value of a setting."""

VARIANTS: Final[tuple[Mapping[str, Any], ...]] = (
    {"networks": 0.0}, {"networks": 0.1}, {"networks": 0.2}, {"networks": 0.8},
    {"mixed_hubs": 0.0}, {"mixed_hubs": 0.9},
    {"general_lists": 0.0},
    {"hubs": 48},
)  # fmt: skip
"""Other values of settings, one variant each."""

QUICK_VARIANTS: Final[tuple[Mapping[str, Any], ...]] = ({"networks": 0.0}, {"mixed_hubs": 0.0})
"""Variants of a quick run."""


class _Task(NamedTuple):
    """A web to make."""

    settings: WorldSettings
    """The settings."""
    seed: int
    """Seed of the random generator."""
    variant: str
    """What differs from the default settings; empty for nothing."""


def run_links(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    seeds: int | None = None,
    quick: bool = False,
    settings: WorldSettings | None = None,
    variants: Sequence[Mapping[str, Any]] | None = None,
) -> list[Path]:
    """Rank by links with and without templates (Bar-Yossef & Rajagopalan 2002, section 5).

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites whose pages are used; by default all.
    seeds
        Number of webs, with seeds from 0; by default :data:`SEEDS`, or :data:`QUICK_SEEDS` in a quick run.
    quick
        At most :data:`QUICK_TOPICS` topics, and two variants only.
    settings
        Settings of the web.
    variants
        Settings that differ in the other webs, by name; by default :data:`VARIANTS`.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site is unknown, the pages do not suffice for two topics, the number of webs is
        below 1, or the folder cannot be written to.
    MissingExtra
        Matplotlib, DuckDB or SciPy is not installed.
    """
    require_matplotlib()
    count = seeds if seeds is not None else QUICK_SEEDS if quick else SEEDS
    if count < 1:
        raise UserError(f"{count} webs are too few: make 1 or more")
    settings = settings or WorldSettings()
    if quick:
        settings = replace(settings, topics=min(settings.topics, QUICK_TOPICS))
    if variants is None:
        variants = QUICK_VARIANTS if quick else VARIANTS
    corpus = read_corpus(
        labelled_sites(names, data),
        topics=settings.topics, min_pages=settings.least_pages, max_pages=settings.most_pages,
    )  # fmt: skip
    make_folder(out)
    tasks = [_Task(settings, seed, "") for seed in range(count)]
    for changed in variants:
        label = ", ".join(f"{name} = {value:g}" for name, value in changed.items())
        webs = min(count, 1 if quick else VARIANT_SEEDS)
        tasks += [_Task(replace(settings, **changed), seed, label) for seed in range(webs)]
    by_variant: dict[str, list[WorldOutcome]] = {}
    with step_progress(len(tasks)) as step:
        for task in tasks:
            by_variant.setdefault(task.variant, []).append(measure_world(corpus, task.settings, task.seed))
            step(f"made web {task.seed} {task.variant}")
    outcomes = by_variant.pop("")
    note = "A quick run: few topics, few webs." if quick else ""
    record = as_dict(outcomes, by_variant)
    texts = {
        "table.md": report(outcomes, by_variant, corpus, note),
        "table.csv": to_csv(outcomes),
        "results.json": record,
    }
    return write_results(out, texts, lambda folder: write_charts(outcomes, folder))
