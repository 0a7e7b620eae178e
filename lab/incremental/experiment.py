"""Incremental detection against batches as one call: measure, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.report.progress import step_progress
from lab.harness.charts import require_matplotlib
from lab.harness.common import labelled_sites, make_folder, write_results
from lab.incremental.charts import write_charts
from lab.incremental.designs import (
    DESIGN_PAGES,
    ORDERS,
    PAIRS,
    designs_dict,
    measure_designs,
)
from lab.incremental.report import report
from lab.incremental.runs import read_site
from lab.incremental.summary import as_dict, to_csv
from lab.incremental.sweep import BATCHED, QUICK_PAGES, measure_sites, sweep_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def run_incremental(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    recall: float = 0.8,
    quick: bool = False,
    batched: Sequence[str] = BATCHED,
    options: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Path]:
    """Compare incremental detection with batches on labelled sites (Wang et al. 2008, section 3).

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of sites; by default all.
    recall
        Recall of the template at which methods are compared, in (0, 1].
    quick
        Fewer settings, and only the first pages of each site.
    batched
        Names of the batch methods.
    options
        Options of methods that differ from their defaults, by method.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site or method is unknown, the recall is out of range, or the folder cannot be
        written to.
    MissingExtra
        Matplotlib is not installed.
    """
    require_matplotlib()
    if not 0 < recall <= 1:
        raise UserError(f"the recall must be above 0 and at most 1, not {recall}")
    sets = labelled_sites(names, data)
    settings = sweep_settings(batched, quick=quick, options=options)
    make_folder(out)
    max_pages = QUICK_PAGES if quick else None
    paired = [labelled for labelled in sets if names or labelled.part == "test"]
    paired = paired[: 2 * PAIRS]
    with step_progress(len(sets) * len(settings) + len(paired) // 2 * len(ORDERS)) as step:
        sites = list(measure_sites(sets, settings, recall, max_pages=max_pages, step=step))
        designs = list(
            measure_designs([read_site(labelled, DESIGN_PAGES) for labelled in paired], recall, step)
        )
    notes = [f"A quick run: few settings, the first {QUICK_PAGES} pages of each site."] if quick else []
    for method, values in (options or {}).items():
        notes.append(f"`{method}` with {', '.join(f'{name}={value}' for name, value in values.items())}.")
    record = {"recall": recall, "quick": quick, "options": options or {}, **as_dict(sites)}
    record["designs"] = designs_dict(designs)
    texts = {
        "table.md": report(sites, " ".join(notes), designs),
        "table.csv": to_csv(sites),
        "results.json": record,
    }
    return write_results(out, texts, lambda folder: write_charts(sites, folder))
