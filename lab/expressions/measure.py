"""The measurements that Foschini 2007, section 6.1, proposes: injection, mirrors, and labelled sites."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.expressions.remove import Locality
from detemplate.report.progress import step_progress
from lab.expressions.mirrors import compare_mirrors
from lab.expressions.runs import DEFAULT, Setting, run_setting
from lab.expressions.sources import MAIN_LANGUAGE, read_sources
from lab.harness.parallel import process_count, results_in_order
from lab.labelled.measure import Method, measure, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from lab.expressions.mirrors import MirrorPair
    from lab.expressions.runs import CollectionOutcome
    from lab.expressions.sources import Sources
    from lab.labelled.measure import Figures, SetScores
    from lab.labelled.pages import LabelledSet

BASE: Final = Setting()
LOCALITIES: Final = (
    DEFAULT,
    *(Locality(gap, sliver) for gap, sliver in ((0, 0), (0, 50), (20, 20), (50, 0), (50, 20), (100, 20))),
)
"""Ways to handle small pieces: ``merge_gap`` and ``min_sliver``."""
SIZES: Final = (10, 20, 50, 100, 200)
QUICK_SIZES: Final = (20, 50)
SEEDS: Final = 3
QUICK_SITES: Final = 12
_QUICK_QUALITY: Final = 4  # number of sites that methods are measured on in a quick run
_FOREIGN_DOCUMENTS: Final = 20  # some languages have few documents
_METHODS: Final = (
    Method("segments"),
    Method("sandwich"),
    Method("expressions"),
    Method("expressions", (("mutables", "shipped"),)),
    Method("expressions", (("on", "html"),)),
    Method("expressions", (("merge_gap", 20),)),
    Method("expressions", (("merge_gap", 50),)),
)
"""Methods that are measured on labelled sites; a quick run has the first three."""


@dataclass(frozen=True, slots=True)
class Results:
    """All results of the experiment."""

    sources: Sources
    seeds: tuple[int, ...]
    outcomes: list[CollectionOutcome]  # one for each collection, level, locality and part
    pairs: list[MirrorPair]
    quality: dict[str, dict[str, Figures]]  # by label of the method and by set


def injection_settings(languages: Sequence[str], *, quick: bool = False) -> list[Setting]:
    """List the settings of the injection. Each differs from `BASE` in one respect."""
    settings = [Setting(documents=size) for size in (QUICK_SIZES if quick else SIZES)]
    settings += [
        Setting(slots=slots, mutables=mutables)
        for slots in ("none", "covered", "uncovered")
        for mutables in (True, False)
        if (slots, mutables) != ("covered", True)
    ]
    if not quick:
        settings += [Setting(cut=cut) for cut in (0.1, 0.5)]
        settings += [Setting(_FOREIGN_DOCUMENTS, language=language) for language in languages]
    return settings


def measure_all(sets: Sequence[LabelledSet], folder: Path, *, quick: bool = False, seed: int = 0) -> Results:
    """Measure injected template, mirrors and labelled sites. A quick run has one seed and fewer settings."""
    sources = read_sources(sets, folder, others=not quick)
    languages = {sources.languages.get(template.site, MAIN_LANGUAGE) for template in sources.templates}
    if MAIN_LANGUAGE not in languages:
        raise UserError("none of the sites has enough English template text to inject: choose others")
    seeds = tuple(range(seed, seed + (1 if quick else SEEDS)))
    settings = injection_settings(sorted(languages - {MAIN_LANGUAGE}), quick=quick)
    uncovered = Setting(slots="uncovered")
    mirrored = [BASE] if quick else [Setting(10), BASE, Setting(200), uncovered]
    scored, methods = (sets[:_QUICK_QUALITY], _METHODS[:3]) if quick else (sets, _METHODS)
    injection_jobs: list[Callable[[Sources], Any]] = []
    for each in seeds:
        for setting in settings:
            localities = LOCALITIES if setting in (BASE, uncovered) else (DEFAULT,)
            injection_jobs.append(partial(run_setting, setting=setting, seed=each, localities=localities))
    mirror_jobs = [
        partial(compare_mirrors, setting=setting, seed=each) for each in seeds for setting in mirrored
    ]
    measured = list(product(methods, scored))
    quality_jobs = [
        partial(_measure_method, method=method, labelled=labelled) for method, labelled in measured
    ]
    jobs: list[Callable[[Sources], Any]] = [*injection_jobs, *mirror_jobs, *quality_jobs]
    results = iter(run_jobs(jobs, sources, process_count(quick=quick)))
    outcomes = [outcome for _ in injection_jobs for outcome in next(results)]
    pairs = [pair for _ in mirror_jobs for pair in next(results)]
    scores: dict[str, dict[str, SetScores]] = {}
    for method, labelled in measured:
        scores.setdefault(method.label, {})[labelled.name] = next(results)
    quality = {label: summarise(scored, of_method) for label, of_method in scores.items()}
    return Results(sources, seeds, outcomes, pairs, quality)


def run_jobs(jobs: Sequence[Callable[[Sources], Any]], sources: Sources, processes: int) -> list[Any]:
    """Run all jobs on the same sources; return their results in the order of the jobs."""
    with step_progress(len(jobs)) as step:
        results = []
        for _, result in results_in_order(_run_job, sources, jobs, processes):
            results.append(result)
            step("")
        return results


def _run_job(sources: Sources, job: Callable[[Sources], Any]) -> Any:  # noqa: ANN401
    return job(sources)


def _measure_method(_: Sources, method: Method, labelled: LabelledSet) -> SetScores:
    return measure(method, labelled)
