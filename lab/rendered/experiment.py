"""Browser layouts as one call: lay out, train twice, test four times, write the tables, draw the charts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.errors import UserError
from detemplate.layout.store import LayoutStore
from detemplate.report.progress import step_progress
from detemplate.training.logistic import learn_kit
from lab.harness.charts import require_matplotlib
from lab.harness.common import (
    check_positive,
    checked_folder,
    labelled_sites,
    make_folder,
    write_results,
)
from lab.labelled.datasets import load_sets
from lab.pagelevel.summary import GroupFigures
from lab.rendered.charts import write_charts
from lab.rendered.pages import GoldPage, lay_out, page_name, sampled
from lab.rendered.report import as_dict, report, to_csv
from lab.rendered.runs import JUDGED, KINDS, RENDERED, measure, train

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES: Final = 8
"""Pages of each training site by default."""
TEST_PAGES: Final = 4
"""A test set gives so many times the pages of a training site."""
TEST_SETS: Final = ("cleanportaleval", "dragnet-hosts", "chaos")
"""Sets that are tested: most pages are of sites of their own."""


def run_rendered(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int = PAGES,
    seed: int = 0,
) -> list[Path]:
    """Train and test the page-level classifiers on browser layouts, and on estimated ones.

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites to train on; by default those of part ``train``.
    pages
        Pages of each site to train on, at least 2; each of :data:`TEST_SETS` gives :data:`TEST_PAGES` times
        as many. All are drawn at random.
    seed
        Seed of the draws.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site is unknown, there is too little to learn from, no page can be measured,
        no browser is installed, or the folder cannot be written to.
    MissingExtra
        Matplotlib, scikit-learn or Playwright is not installed.
    """
    require_matplotlib()
    learn_kit()
    check_positive(pages=pages)
    if pages < 2:
        raise UserError("a site needs 2 pages or more to learn from")
    every = labelled_sites(names, data)
    sets = every if names else [labelled for labelled in every if labelled.part == "train"]
    tested = load_sets(TEST_SETS, checked_folder(data))
    make_folder(out)
    rng = np.random.default_rng(seed)
    learnt = [page for labelled in sets for page in sampled(labelled, pages, gold=False, rng=rng)]
    gold = [
        GoldPage(labelled.name, labelled.kind, page)
        for labelled in tested
        for page in sampled(labelled, TEST_PAGES * pages, gold=True, rng=rng)
    ]
    with (
        TemporaryDirectory(prefix="detemplate-") as folder,
        step_progress(len(learnt) + 5 * len(gold)) as step,
    ):
        path = Path(folder) / "layouts.parquet"
        failed = lay_out([*learnt, *(page.record for page in gold)], path, step)
        layouts = LayoutStore.open(str(path))
        learnt = [page for page in learnt if page_name(page) not in failed]
        gold = [page for page in gold if page_name(page.record) not in failed]
        trained = {kind: train(learnt, layouts if kind == RENDERED else None, seed=seed) for kind in KINDS}
        figures = {}
        for trained_on in KINDS:
            for tested_on in KINDS:
                groups = measure(
                    gold, trained[trained_on].model, layouts if tested_on == RENDERED else None, step
                )
                figures[trained_on, tested_on] = [GroupFigures(group, JUDGED) for group in groups]
    if not all(figures.values()):
        raise UserError("no page of these sets has gold that can be aligned with it")
    record = as_dict(figures, trained, seed)
    texts = {
        "table.md": report(figures, trained, failed=len(failed), train_pages=len(learnt), seed=seed),
        "table.csv": to_csv(figures),
        "results.json": record,
    }
    return write_results(out, texts, lambda drawn: write_charts(figures, drawn))
