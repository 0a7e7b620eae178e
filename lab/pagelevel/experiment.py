"""Page-level template detection as one call: measure, write the tables, draw the charts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.pagelevel.model import check_layouts
from detemplate.errors import PageError, UserError
from detemplate.layout.layout import estimated_layout
from detemplate.layout.store import LayoutStore
from detemplate.page.page import Page
from detemplate.report.progress import step_progress
from lab.harness.charts import require_matplotlib
from lab.harness.common import checked_folder, make_folder, write_results
from lab.harness.parallel import process_count, results_in_order
from lab.labelled.catalogue import SITES, TEXT_SETS
from lab.labelled.datasets import load_sets
from lab.pagelevel.charts import write_charts
from lab.pagelevel.report import report
from lab.pagelevel.runs import GroupOutcome, all_settings, measure_page
from lab.pagelevel.summary import GroupFigures, as_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from detemplate.detectors.pagelevel.model import PageModel
    from lab.labelled.pages import LabelledPage, LabelledSet
    from lab.pagelevel.runs import PageOutcome, Setting

    _Job = tuple[LabelledSet, LabelledPage]
    _PageResult = tuple[PageOutcome, float, bool] | str

SITE_PAGES: Final = 20
"""Pages of each site, evenly spaced among those with gold: all sites weigh about the same."""
QUICK_SITE_PAGES: Final = 2
"""Pages of each site in a quick run."""
QUICK_STEP: Final = 15
"""A quick run measures every so many pages of a text set."""


def run_pagelevel(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    quick: bool = False,
    layout: str = "",
    model: str = "",
) -> list[Path]:
    """Measure page-level detection and its smoothing (Chakrabarti, Kumar, Punera 2007, section 6.1).

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of text sets, ``sites`` or ``sites/<name>``; by default all of these.
    quick
        Few pages and few settings.
    layout
        File of ``python -m lab.layouts``. Pages that it lacks are left out; without a file, all layouts are
        estimated.
    model
        File of the classifiers, which were trained with layouts of this kind; by default the one of the
        package, which were trained with estimates.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a set is unknown or its gold does not say what is content, a file of layouts or
        classifiers cannot be read or is for layouts of the other kind, no page can be measured, or the folder
        cannot be written to.
    MissingExtra
        Matplotlib is not installed.
    """
    require_matplotlib()
    classifiers = check_layouts(model, rendered=bool(layout))
    if layout:
        _store(layout)
    sets = load_sets(names or [*TEXT_SETS, SITES], checked_folder(data))
    unfit = [labelled.name for labelled in sets if labelled.kind == "values"]
    if unfit:
        raise UserError(f"the set {unfit[0]!r} does not say what is content: choose text sets or sites")
    make_folder(out)
    settings = all_settings(quick=quick)
    groups = _measure(sets, _Measurer(classifiers, layout, settings), quick=quick)
    figures = [GroupFigures(group, settings) for group in groups if group.pages]
    if not figures:
        raise UserError("no page of these sets has gold that can be aligned with it")
    record = {"quick": quick, "layout": classifiers.layout, "sets": as_dict(figures, settings)}
    note = "A quick run: few pages, few settings." if quick else ""
    texts = {"table.md": report(figures, settings, note), "results.json": record}
    return write_results(out, texts, lambda folder: write_charts(figures, settings, folder))


def sample(labelled: LabelledSet, *, quick: bool = False) -> Iterator[LabelledPage]:
    """Read the pages of a set that are measured: all of a text set; of a site some, evenly spaced.

    Parameters
    ----------
    labelled
        The set.
    quick
        Every :data:`QUICK_STEP`-th page of a text set; fewer pages of a site.

    Yields
    ------
    LabelledPage
        Pages with gold, in the order of the file; the same ones every time.
    """
    with_gold = (page for page in labelled.pages() if page.gold is not None)
    if labelled.kind == "site":
        pages = list(with_gold)
        count = min(len(pages), QUICK_SITE_PAGES if quick else SITE_PAGES)
        for number in np.linspace(0, len(pages) - 1, count).round().astype(int).tolist() if pages else []:
            yield pages[number]
        return
    for number, page in enumerate(with_gold):
        if not quick or number % QUICK_STEP == 0:
            yield page


def _sample_size(labelled: LabelledSet, *, quick: bool) -> int:
    """Count the pages that `sample` reads."""
    pages = labelled.count_gold()
    if labelled.kind == "site":
        return min(pages, QUICK_SITE_PAGES if quick else SITE_PAGES)
    return -(-pages // QUICK_STEP) if quick else pages


@dataclass(frozen=True, slots=True)
class _Measurer:
    """Measures pages; it is sent to each process once."""

    model: PageModel
    """The classifiers."""
    layout: str
    """File of browser layouts; empty for none."""
    settings: list[Setting]
    """The settings."""

    def measure(self, job: _Job) -> _PageResult:
        """Return the results, the oracle's F1 and whether a browser laid it out; or why it is left out."""
        labelled, record = job
        try:
            page = Page(record.url, record.html, site=record.site)
        except PageError as error:
            return error.reason
        layout = _store(self.layout).layout(page) if self.layout else estimated_layout(page)
        if layout is None:
            return "no layout"
        result = measure_page(
            page, layout, record, kind=labelled.kind, model=self.model, settings=self.settings
        )
        return result if isinstance(result, str) else (*result, bool(self.layout))


@lru_cache(maxsize=1)
def _store(path: str) -> LayoutStore:
    return LayoutStore.open(path)


def _measure(sets: Sequence[LabelledSet], measurer: _Measurer, *, quick: bool) -> list[GroupOutcome]:
    """Measure the pages of all sets. All sites of a part are one group."""
    groups: dict[str, GroupOutcome] = {}
    jobs = ((labelled, record) for labelled in sets for record in sample(labelled, quick=quick))
    results = results_in_order(_Measurer.measure, measurer, jobs, process_count(quick=quick))
    with step_progress(sum(_sample_size(labelled, quick=quick) for labelled in sets)) as step:
        for (labelled, record), result in results:
            step(labelled.name)
            name = f"{SITES}/{labelled.part}" if labelled.kind == "site" else labelled.name
            group = groups.setdefault(name, GroupOutcome(name))
            if isinstance(result, str):
                group.skip(result)
                continue
            outcome, oracle, from_browser = result
            group.pages.append(outcome)
            group.sites.append(labelled.name if labelled.kind == "site" else record.site)
            group.ids.append(record.id)
            group.oracle.append(oracle)
            group.rendered += from_browser
    return list(groups.values())
