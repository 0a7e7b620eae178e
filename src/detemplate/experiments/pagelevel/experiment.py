"""The experiment on page-level templateness as one call: measure, write the tables and draw the charts."""

from __future__ import annotations

import json
import os
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.pagelevel.model import model_of
from detemplate.errors import PageError, UserError
from detemplate.experiments.charts import require_matplotlib
from detemplate.experiments.common import checked_folder, make_folder, progress, write_results
from detemplate.experiments.pagelevel.charts import write_pagelevel_charts
from detemplate.experiments.pagelevel.report import report
from detemplate.experiments.pagelevel.runs import GroupOutcome, measure_page, settings
from detemplate.experiments.pagelevel.summary import Figures, as_dict
from detemplate.labelled.datasets import SITES, TEXT_SETS, _read, load_sets
from detemplate.layout.layout import estimated_layout
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.experiments.pagelevel.runs import PageOutcome, Setting
    from detemplate.labelled.datasets import Kind, LabelledPage, LabelledSet
    from detemplate.layout.store import LayoutStore

    _Found = tuple[PageOutcome, float, bool] | str

SITE_PAGES: Final = 20
"""Pages of each site, evenly spaced among those with gold: all sites count about the same."""
QUICK_SITE_PAGES: Final = 2
_AHEAD: Final = 8
QUICK_STEP: Final = 15
"""A quick run takes every so many pages of a set."""


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
    out
        Folder for the results; it is made if it is not there.
    data
        The folder with the labelled sets; by default that of `detemplate.labelled.datasets.data_folder`.
    names
        Names of text sets, ``sites`` or ``sites/<name>``; by default all of these.
    quick
        Few pages and few settings.
    layout
        File of rendered layouts; pages that it lacks are estimated, and all of them without it.
    model
        File of the classifiers; by default that of the package.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        For data that is not there, a set that is unknown or has no labels of this kind, a file of layouts or
        classifiers that cannot be read, no page to measure, or a folder that cannot be written to.
    MissingExtra
        Without Matplotlib.
    """
    require_matplotlib()
    classifiers = model_of(model)
    if layout:
        _store(layout)
    sets = load_sets(names or [*TEXT_SETS, SITES], checked_folder(data))
    unfit = [each.name for each in sets if each.kind == "values"]
    if unfit:
        raise UserError(f"the set {unfit[0]!r} does not say what is content: choose text sets or sites")
    make_folder(out)
    chosen = settings(quick=quick)
    bench = _Bench(classifiers, layout, chosen)
    groups = _measure(sets, bench, quick=quick)
    figures = [Figures(group, chosen) for group in groups if group.pages]
    if not figures:
        raise UserError("no page of these sets has gold that can be aligned with it")
    record = json.dumps(
        {"quick": quick, "layout": classifiers.layout, "sets": as_dict(figures, chosen)}, ensure_ascii=False
    )
    note = "A quick run: few pages, few settings." if quick else ""
    texts = {"table.md": report(figures, chosen, note), "results.json": record + "\n"}
    return write_results(out, texts, lambda folder: write_pagelevel_charts(figures, chosen, folder))


def _expected(labelled: LabelledSet, *, quick: bool) -> int:
    """Count the pages that will be measured."""
    pages = sum(1 for _ in _read(labelled.folder / "gold.jsonl.zst"))
    if labelled.kind == "site":
        return min(pages, QUICK_SITE_PAGES if quick else SITE_PAGES)
    return -(-pages // QUICK_STEP) if quick else pages


def sample(labelled: LabelledSet, *, quick: bool = False) -> Iterator[LabelledPage]:
    """Give the pages of a set that are measured: all of a text set, of a site some evenly spaced ones.

    Parameters
    ----------
    labelled
        The set.
    quick
        Of a text set every :data:`QUICK_STEP`-th page; of a site fewer.

    Yields
    ------
    LabelledPage
        Pages with gold, in the order of the file; the same every time.
    """
    known = (page for page in labelled.pages() if page.gold is not None)
    if labelled.kind == "site":
        pages = list(known)
        most = min(len(pages), QUICK_SITE_PAGES if quick else SITE_PAGES)
        for number in np.linspace(0, len(pages) - 1, most).round().astype(int).tolist() if pages else []:
            yield pages[number]
        return
    for number, page in enumerate(known):
        if not quick or number % QUICK_STEP == 0:
            yield page


@dataclass(frozen=True, slots=True)
class _Bench:
    """What pages are measured with; it goes to each process."""

    model: PageModel
    layout: str
    chosen: list[Setting]

    def measure(self, record: LabelledPage, kind: Kind) -> _Found:
        """Measure a page: its outcome, the oracle's F1, whether it is rendered; or why it does not count."""
        try:
            page = Page(record.url, record.html, site=record.site)
        except PageError as error:
            return error.reason
        rendered = _store(self.layout).layout(page) if self.layout else None
        layout = estimated_layout(page) if rendered is None else rendered
        found = measure_page(page, layout, record, kind=kind, model=self.model, chosen=self.chosen)
        return found if isinstance(found, str) else (*found, rendered is not None)


@lru_cache(maxsize=1)
def _store(path: str) -> LayoutStore:
    from detemplate.layout.store import LayoutStore

    return LayoutStore.open(path)


def _measure(sets: Sequence[LabelledSet], bench: _Bench, *, quick: bool) -> list[GroupOutcome]:
    """Measure the pages of all sets; the sites of a part are one group. A full run takes a process a core."""
    groups: dict[str, GroupOutcome] = {}
    jobs = ((labelled, record) for labelled in sets for record in sample(labelled, quick=quick))
    with progress(sum(_expected(each, quick=quick) for each in sets)) as step:
        for labelled, record, found in _done(jobs, bench, 1 if quick else os.cpu_count() or 1):
            step(labelled.name)
            name = f"{SITES}/{labelled.part}" if labelled.kind == "site" else labelled.name
            group = groups.setdefault(name, GroupOutcome(name))
            if isinstance(found, str):
                group.skip(found)
                continue
            outcome, oracle, rendered = found
            group.pages.append(outcome)
            group.sites.append(labelled.name if labelled.kind == "site" else record.site)
            group.ids.append(record.id)
            group.oracle.append(oracle)
            group.rendered += rendered
    return list(groups.values())


def _done(
    jobs: Iterable[tuple[LabelledSet, LabelledPage]], bench: _Bench, processes: int
) -> Iterator[tuple[LabelledSet, LabelledPage, _Found]]:
    """Measure pages in their order, whatever the number of processes; few are read ahead."""
    if processes == 1:
        for labelled, record in jobs:
            yield labelled, record, bench.measure(record, labelled.kind)
        return
    context = get_context("spawn")  # the progress bar has a thread, which a fork would not survive
    with ProcessPoolExecutor(processes, context, initializer=_share, initargs=(bench,)) as pool:
        waiting: deque[tuple[LabelledSet, LabelledPage, Future[_Found]]] = deque()
        for labelled, record in jobs:
            waiting.append((labelled, record, pool.submit(_do, record, labelled.kind)))
            if len(waiting) > _AHEAD * processes:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())


def _result(
    job: tuple[LabelledSet, LabelledPage, Future[_Found]],
) -> tuple[LabelledSet, LabelledPage, _Found]:
    labelled, record, future = job
    return labelled, record, future.result()


_shared: list[_Bench] = []


def _share(bench: _Bench) -> None:
    _shared[:] = [bench]


def _do(record: LabelledPage, kind: Kind) -> _Found:
    return _shared[0].measure(record, kind)
