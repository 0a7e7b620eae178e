"""The evaluation that Foschini 2007 proposes in section 6.1, as one call: measure, write the results."""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.experiments.charts import require_matplotlib
from detemplate.experiments.common import (
    checked_folder,
    labelled_sites,
    make_folder,
    progress,
    write_results,
)
from detemplate.experiments.expressions.charts import write_charts
from detemplate.experiments.expressions.mirrors import compare_mirrors
from detemplate.experiments.expressions.report import report
from detemplate.experiments.expressions.results import Results
from detemplate.experiments.expressions.runs import DEFAULT, Setting, run
from detemplate.experiments.expressions.sources import MAIN_LANGUAGE, read_sources
from detemplate.experiments.expressions.summary import as_dict
from detemplate.expressions.remove import Locality
from detemplate.labelled.measure import Method, measure, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from detemplate.experiments.expressions.sources import Sources
    from detemplate.labelled.datasets import LabelledSet
    from detemplate.labelled.measure import SetScores

BASE: Final = Setting()
LOCALITIES: Final = (
    DEFAULT,
    *(Locality(gap, least) for gap, least in ((0, 0), (0, 50), (20, 20), (50, 0), (50, 20), (100, 20))),
)
SIZES: Final = (10, 20, 50, 100, 200)
SEEDS: Final = 3
QUICK_SITES: Final = 12
_QUICK_QUALITY: Final = 4
_FOREIGN_DOCUMENTS: Final = 20
"""As many as the languages with the fewest clean documents allow."""
_METHODS: Final = (
    Method("segments"),
    Method("sandwich"),
    Method("expressions"),
    Method("expressions", (("mutables", "shipped"),)),
    Method("expressions", (("on", "html"),)),
    Method("expressions", (("merge_gap", 20),)),
    Method("expressions", (("merge_gap", 50),)),
)


def settings(languages: Sequence[str], *, quick: bool = False) -> list[Setting]:
    """List the settings of the injection: one thing at a time differs from `BASE`.

    Parameters
    ----------
    languages
        The other languages that there are templates in.
    quick
        Only two sizes, no other languages, no other cut-offs.
    """
    found = [Setting(documents=size) for size in ((20, 50) if quick else SIZES)]
    found += [
        Setting(slots=slots, mutables=mutables)
        for slots in ("none", "covered", "uncovered")
        for mutables in (True, False)
        if (slots, mutables) != ("covered", True)
    ]
    if not quick:
        found += [Setting(cut=cut) for cut in (0.1, 0.5)]
        found += [Setting(_FOREIGN_DOCUMENTS, language=language) for language in languages]
    return found


def run_expressions(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    quick: bool = False,
    seed: int = 0,
) -> list[Path]:
    """Evaluate template expressions on known template, on mirrors and on labelled sites.

    Parameters
    ----------
    out
        Folder for the results; it is made if it is not there.
    data
        The folder with the labelled sets; by default that of `detemplate.labelled.datasets.data_folder`.
    names
        Names of sites: those whose templates are injected, and those that methods are measured on; by
        default all.
    quick
        One seed, the first `QUICK_SITES` sites, fewer settings and methods.
    seed
        Of all that is drawn: further seeds are counted from it. Equal seeds give equal results.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        For data that is not there, an unknown site, sites without template to inject, a negative seed,
        or a folder that cannot be written to.
    MissingExtra
        Without Matplotlib, or without the suffix array's library.
    """
    require_matplotlib()
    if seed < 0:
        raise UserError(f"the seed must not be negative: {seed}")
    folder = checked_folder(data)
    sets = labelled_sites(names, folder)
    if quick:
        sets = sets[:QUICK_SITES]
    make_folder(out)
    results = measure_all(sets, folder, quick=quick, seed=seed)
    note = f"A quick run: one seed, the first {QUICK_SITES} sites, few settings." if quick else ""
    record = json.dumps(as_dict(results), ensure_ascii=False)
    texts = {"table.md": report(results, note), "results.json": record + "\n"}
    return write_results(out, texts, lambda folder: write_charts(results, folder))


def measure_all(sets: Sequence[LabelledSet], folder: Path, *, quick: bool = False, seed: int = 0) -> Results:
    """Measure all three parts; see `run_expressions`. A full run takes a process a core."""
    sources = read_sources(sets, folder, others=not quick)
    spoken = {sources.languages.get(template.site, MAIN_LANGUAGE) for template in sources.templates}
    if MAIN_LANGUAGE not in spoken:
        raise UserError("none of the sites has enough English template text to inject: choose others")
    seeds = tuple(range(seed, seed + (1 if quick else SEEDS)))
    chosen = settings(sorted(spoken - {MAIN_LANGUAGE}), quick=quick)
    mirrors = [BASE] if quick else [Setting(10), BASE, Setting(200), Setting(slots="uncovered")]
    judged, methods = (sets[:_QUICK_QUALITY], _METHODS[:3]) if quick else (sets, _METHODS)
    jobs: list[Callable[[Sources], Any]] = []
    for now in seeds:
        for setting in chosen:
            several = setting in (BASE, Setting(slots="uncovered"))
            localities = LOCALITIES if several else (DEFAULT,)
            jobs.append(partial(run, setting=setting, seed=now, localities=localities))
    mirrored = [partial(compare_mirrors, setting=setting, seed=now) for now in seeds for setting in mirrors]
    pairs_from, quality_from = len(jobs), len(jobs) + len(mirrored)
    asked = [(method, labelled) for method in methods for labelled in judged]
    jobs += [*mirrored, *(partial(_judge, method=method, labelled=labelled) for method, labelled in asked)]
    found = _done(jobs, sources, 1 if quick else os.cpu_count() or 1)
    scores: dict[str, dict[str, SetScores]] = {}
    for (method, labelled), own in zip(asked, found[quality_from:], strict=True):
        scores.setdefault(method.label, {})[labelled.name] = own
    return Results(
        sources,
        seeds,
        [row for rows in found[:pairs_from] for row in rows],
        [pair for pairs in found[pairs_from:quality_from] for pair in pairs],
        {label: summarise(judged, own) for label, own in scores.items()},
    )


def _judge(_: Sources, method: Method, labelled: LabelledSet) -> SetScores:
    return measure(method, labelled)


def _done(jobs: Sequence[Callable[[Sources], Any]], sources: Sources, processes: int) -> list[Any]:
    """Do all jobs; what comes out is in their order, whatever the number of processes."""
    with ExitStack() as stack:
        do: Callable[..., Iterable[Any]] = map
        if processes > 1:
            context = get_context("spawn")  # the progress bar has a thread, which a fork would not survive
            do = stack.enter_context(
                ProcessPoolExecutor(processes, context, initializer=_share, initargs=(sources,))
            ).map
        else:
            _share(sources)
        step = stack.enter_context(progress(len(jobs)))
        found = []
        for each in do(_do, jobs):
            found.append(each)
            step("")
        return found


_shared: list[Sources] = []


def _share(sources: Sources) -> None:
    _shared[:] = [sources]


def _do(job: Callable[[Sources], Any]) -> Any:  # noqa: ANN401
    return job(_shared[0])
