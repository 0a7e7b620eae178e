"""Classification as one call: read and make pages, clean, classify, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.classification.charts import write_charts
from lab.classification.problems import (
    CLASSES,
    HOSTS,
    WEBKB,
    WEBKB_CLASSES,
    Task,
    made_pages,
    one_site_each,
    one_site_out,
    set_pages,
)
from lab.classification.report import as_dict, report, to_csv
from lab.classification.runs import USE, measure
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
SHOPS: Final = "swde-22"
"""Set of pages of shops and the like: each site has one class."""
SHORT: Final = 100
"""Words of short contents."""


def run_classification(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int = PAGES,
    seed: int = 0,
    methods: Sequence[str] = (),
) -> list[Path]:
    """Classify pages with and without templates (Chakrabarti, Kumar, Punera 2007, section 6.3).

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites that lend templates and contents to made pages; by default all.
    pages
        Most pages of each class on each site.
    seed
        Seed of all draws.
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
    tasks = {}
    for label, max_words in (("made pages", None), (f"made pages, {SHORT} words", SHORT)):
        parts = read_parts(
            names, data, pages=pages * max(HOSTS, CLASSES), max_words=max_words, least=1, seed=seed
        )
        made = made_pages(parts, pages, seed)
        tasks[label] = Task(made, one_site_each(made))
    shops = set_pages(folder / SHOPS, (), pages, seed)
    tasks[SHOPS] = Task(shops, one_site_each(shops))
    departments = set_pages(folder / WEBKB, WEBKB_CLASSES, pages, seed)
    tasks[WEBKB] = Task(departments, one_site_out(departments))
    tasks = {label: task for label, task in tasks.items() if task.problems}
    outcomes = {}
    with step_progress(len(tasks) * len(extractors)) as step:
        for label, task in tasks.items():
            outcomes[label] = measure(extractors, task, step)
    texts = {
        "table.md": report(tasks, outcomes, seed),
        "table.csv": to_csv(tasks, outcomes),
        "results.json": as_dict(tasks, outcomes, seed),
    }
    return write_results(out, texts, lambda drawn: write_charts(outcomes, drawn))
