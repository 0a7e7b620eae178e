"""Clustering as one call: read and make pages, clean, cluster, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.classification.problems import (
    CLASSES,
    HOSTS,
    WEBKB,
    WEBKB_CLASSES,
    made_pages,
    set_pages,
)
from lab.clustering.charts import write_charts
from lab.clustering.groups import labelled_names, labelled_pages
from lab.clustering.report import as_dict, report, to_csv
from lab.clustering.runs import USE, measure
from lab.harness.charts import require_matplotlib
from lab.harness.common import (
    check_positive,
    checked_folder,
    make_folder,
    require_sklearn,
    write_results,
)
from lab.harness.extractors import chosen_extractors
from lab.transplant.parts import read_parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGES: Final = 8
"""Pages of each class on each site by default."""
STARTS: Final = 10
"""Starts of k-means."""


def run_clustering(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int = PAGES,
    seed: int = 0,
    methods: Sequence[str] = (),
) -> list[Path]:
    """Cluster pages with and without templates.

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites that lend templates and contents to made pages; by default all.
    pages
        Most pages of each class on each site, for ``webkb`` and made pages.
    seed
        Seed of the samples, and of k-means.
    methods
        Methods and peers, see :func:`~lab.harness.extractors.chosen_extractors`.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site or method is unknown, there are too few templates or contents, a number is
        below 1, or the folder cannot be written to.
    MissingExtra
        Matplotlib, scikit-learn or a named peer is not installed.
    """
    require_matplotlib()
    require_sklearn(USE)
    check_positive(pages=pages)
    extractors = chosen_extractors(methods)
    folder = checked_folder(data)
    make_folder(out)
    parts = read_parts(names, data, pages=pages * max(HOSTS, CLASSES), least=1, seed=seed)
    groups = {
        "made pages": made_pages(parts, pages, seed),
        WEBKB: set_pages(folder / WEBKB, WEBKB_CLASSES, pages, seed),
        **{site: labelled_pages(folder, site) for site in labelled_names(folder)},
    }
    groups = {group: of_group for group, of_group in groups.items() if len(of_group) > 1}
    outcomes = {}
    with step_progress(len(groups) * len(extractors)) as step:
        for group, of_group in groups.items():
            outcomes[group] = measure(extractors, of_group, seeds=STARTS, seed=seed, show=step)
    record = as_dict(groups, outcomes, seeds=STARTS, seed=seed)
    texts = {
        "table.md": report(groups, outcomes, seeds=STARTS, seed=seed),
        "table.csv": to_csv(outcomes),
        "results.json": record,
    }
    return write_results(out, texts, lambda drawn: write_charts(outcomes, drawn))
