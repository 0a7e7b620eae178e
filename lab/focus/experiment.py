"""Focused crawls as one call: make webs, crawl them, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import UserError
from detemplate.report.progress import step_progress
from lab.focus.charts import write_charts
from lab.focus.classifier import USE
from lab.focus.report import as_dict, report, to_csv
from lab.focus.runs import measure_web
from lab.harness.charts import require_matplotlib
from lab.harness.common import (
    check_positive,
    labelled_sites,
    make_folder,
    require_sklearn,
    write_results,
)
from lab.links.corpus import read_corpus
from lab.links.world import WorldSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGES: Final = 100
"""Pages of each site by default: the first ones."""
METHODS: Final = ("pagelets", "auto")
"""Methods by default: that of the paper, and the package's own."""
SETTINGS: Final = WorldSettings(topics=8, least_pages=30, most_pages=60)
"""Settings of the webs by default: fewer and smaller topics than in the experiment on ranking."""


def run_focus(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int | None = PAGES,
    seed: int = 0,
    webs: int = 1,
    methods: Sequence[str] = (),
    settings: WorldSettings = SETTINGS,
) -> list[Path]:
    """Crawl made webs for topics, with and without knowledge of templates.

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites whose pages are used; by default all.
    pages
        Most pages of each site; None: all.
    seed
        Seed of the first web.
    webs
        Number of webs.
    methods
        Methods that know templates, each of which can clean a stream; by default :data:`METHODS`.
    settings
        Settings of the webs.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site or method is unknown, a method cannot clean a stream, the pages do not
        suffice for two topics, a number is below 1, or the folder cannot be written to.
    MissingExtra
        Matplotlib or scikit-learn is not installed.
    """
    require_matplotlib()
    require_sklearn(USE)
    check_positive(pages=pages, webs=webs)
    chosen = list(dict.fromkeys(methods)) or list(METHODS)
    for method in chosen:
        if not detector_class(method).streams:
            able = ", ".join(name for name, kind in DETECTORS.items() if kind.streams)
            raise UserError(f"method {method} cannot clean a stream, as a crawl is one (choose from {able})")
    corpus = read_corpus(
        labelled_sites(names, data), topics=settings.topics, min_pages=settings.least_pages,
        max_pages=settings.most_pages, pages_a_site=pages,
    )  # fmt: skip
    make_folder(out)
    outcomes = []
    with step_progress(webs * len(corpus.topics)) as step:
        for web in range(seed, seed + webs):
            outcomes += measure_web(corpus, settings, web, chosen, step)
    texts = {
        "table.md": report(outcomes, chosen),
        "table.csv": to_csv(outcomes),
        "results.json": as_dict(outcomes, seed),
    }
    return write_results(out, texts, lambda folder: write_charts(outcomes, folder))
