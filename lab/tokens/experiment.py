"""Counting tokens as one call: clean, count, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.report.progress import step_progress
from lab.harness.charts import require_matplotlib
from lab.harness.common import check_positive, make_folder, unseen_sites, write_results
from lab.harness.extractors import chosen_extractors
from lab.index.corpus import window
from lab.tokens.charts import write_charts
from lab.tokens.report import as_dict, report, to_csv
from lab.tokens.runs import measure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGES: Final = 30
"""Pages of each site by default: neighbours in the order of their URLs."""


def run_tokens(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int | None = PAGES,
    seed: int = 0,
    methods: Sequence[str] = (),
) -> list[Path]:
    """Count the tokens of pages before and after cleaning, and the repeated ones.

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites; by default those of part ``test``.
    pages
        Most pages of a site; None: all.
    seed
        Seed of the sample.
    methods
        Methods and peers, see :func:`~lab.harness.extractors.chosen_extractors`.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site or method is unknown, a number is below 1, or the folder cannot be written
        to.
    MissingExtra
        Matplotlib or a named peer is not installed.
    """
    require_matplotlib()
    check_positive(pages=pages)
    extractors = chosen_extractors(methods)
    sets = unseen_sites(names, data)
    make_folder(out)
    rng = np.random.default_rng(seed)
    sites = {labelled.name.rpartition("/")[2]: window([*labelled.pages()], pages, rng) for labelled in sets}
    with step_progress(len(extractors)) as step:
        outcomes = measure(extractors, [*sites.values()], step)
    counts = {site: len(of_site) for site, of_site in sites.items()}
    texts = {
        "table.md": report(outcomes, counts, seed),
        "table.csv": to_csv(outcomes),
        "results.json": as_dict(outcomes, counts, seed),
    }
    return write_results(out, texts, lambda folder: write_charts(outcomes, folder))
