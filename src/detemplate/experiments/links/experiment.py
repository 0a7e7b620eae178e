"""The experiment on ranking as one call: make webs, rank, write the tables and draw the charts."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.errors import UserError
from detemplate.experiments.charts import require_matplotlib
from detemplate.experiments.common import (
    checked_folder,
    labelled_sites,
    make_folder,
    progress,
    write_results,
)
from detemplate.experiments.links.charts import write_links_charts
from detemplate.experiments.links.corpus import read_corpus
from detemplate.experiments.links.report import report
from detemplate.experiments.links.runs import DEPTHS, WorldOutcome, column, measure_world
from detemplate.experiments.links.world import WorldSettings
from detemplate.labelled.bootstrap import bootstrap_mean
from detemplate.links.configurations import CONFIGURATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SEEDS: Final = 5
"""Webs that are made with the settings as they are."""

QUICK_TOPICS: Final = 10
QUICK_SEEDS: Final = 2

VARIANT_SEEDS: Final = 2
"""Webs for each other value of a setting."""

VARIANTS: Final[tuple[Mapping[str, Any], ...]] = (
    {"networks": 0.0}, {"networks": 0.1}, {"networks": 0.2}, {"networks": 0.8},
    {"mixed_hubs": 0.0}, {"mixed_hubs": 0.9},
    {"general_lists": 0.0},
    {"hubs": 48},
)  # fmt: skip
"""Settings that are varied."""

QUICK_VARIANTS: Final[tuple[Mapping[str, Any], ...]] = ({"networks": 0.0}, {"mixed_hubs": 0.0})


class _Task(NamedTuple):
    settings: WorldSettings
    seed: int
    variant: str


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
    out
        Folder for the results; it is made if it is not there.
    data
        The folder with the labelled sets; by default that of `detemplate.labelled.datasets.data_folder`.
    names
        Sites whose pages are used; by default all.
    seeds
        Webs to make, with seeds from 0; by default :data:`SEEDS`, :data:`QUICK_SEEDS` for a quick run.
    quick
        :data:`QUICK_TOPICS` topics, and two variants only.
    settings
        What the web is like.
    variants
        Other webs: settings that differ, by name.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        For data that is not there, an unknown site, too few pages for two topics, no seeds, or a folder
        that cannot be written to.
    MissingExtra
        Without Matplotlib, DuckDB or SciPy.
    """
    require_matplotlib()
    count = seeds if seeds is not None else QUICK_SEEDS if quick else SEEDS
    if count < 1:
        raise UserError(f"{count} webs are too few: make 1 or more")
    folder = checked_folder(data)
    settings = settings or WorldSettings()
    if quick:
        settings = replace(settings, topics=min(settings.topics, QUICK_TOPICS))
    chosen = variants if variants is not None else QUICK_VARIANTS if quick else VARIANTS
    sets = labelled_sites(names, folder)
    corpus = read_corpus(
        sets, topics=settings.topics, least=settings.least_pages, most=settings.most_pages
    )  # fmt: skip
    make_folder(out)
    tasks = [_Task(settings, seed, "") for seed in range(count)]
    for changed in chosen:
        label = ", ".join(f"{name} = {value:g}" for name, value in changed.items())
        most = min(count, 1 if quick else VARIANT_SEEDS)
        tasks += [_Task(replace(settings, **changed), seed, label) for seed in range(most)]
    outcomes: dict[str, list[WorldOutcome]] = {}
    with progress(len(tasks)) as step:
        for task in tasks:
            outcomes.setdefault(task.variant, []).append(measure_world(corpus, task.settings, task.seed))
            step(f"made web {task.seed} {task.variant}")
    main, varied = outcomes.pop(""), outcomes
    texts = {
        "table.md": report(main, varied, corpus, quick=quick),
        "table.csv": to_csv(main),
        "results.json": as_json(main, varied),
    }
    return write_results(out, texts, lambda folder: write_links_charts(main, folder))


def to_csv(outcomes: Sequence[WorldOutcome]) -> str:
    """Write the means with their 95 % intervals: one row a configuration and measure."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["configuration", "measure", "mean", "low", "high"])
    for name in CONFIGURATIONS:
        for depth in (*DEPTHS, None):
            found = bootstrap_mean(*column(outcomes, name, depth))
            measure = "overlap" if depth is None else f"precision@{depth}"
            writer.writerow([name, measure, *(f"{value:.4f}" for value in found)])
    return text.getvalue()


def as_json(main: Sequence[WorldOutcome], varied: dict[str, list[WorldOutcome]]) -> str:
    """Write everything measured: every topic of every web, under every configuration."""

    def plain(outcome: WorldOutcome) -> dict[str, Any]:
        topics = [
            {
                **{key: value for key, value in topic._asdict().items() if key != "results"},
                "template_share": round(topic.template_share, 4),
                "results": {name: result._asdict() for name, result in topic.results.items()},
            }
            for topic in outcome.topics
        ]
        return {"seed": outcome.seed, "counts": outcome.counts, "topics": topics}

    record = {
        "settings": asdict(main[0].settings),
        "depths": DEPTHS,
        "worlds": [plain(outcome) for outcome in main],
        "variants": {label: [plain(outcome) for outcome in several] for label, several in varied.items()},
    }
    return json.dumps(record, ensure_ascii=False) + "\n"
