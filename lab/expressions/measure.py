"""The measurements that Foschini 2007, section 6.1, proposes: injection, mirrors, and labelled sites."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.expressions.remove import Locality
from detemplate.report.terminal import step_progress
from lab.expressions.mirrors import compare_mirrors
from lab.expressions.runs import DEFAULT, HYPHENS, Setting, run_setting
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

    Job = Callable[[Sources], Any]

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
_QUICK_METHODS: Final = (Method("segments"), Method("sandwich"), Method("expressions"))
_OPTIONS: Final = (("mutables", "shipped"), ("on", "html"), ("merge_gap", 20), ("merge_gap", 50))
_METHODS: Final = (*_QUICK_METHODS, *(Method("expressions", (option,)) for option in _OPTIONS))


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
    settings.append(Setting(token=HYPHENS))
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
    scored, methods = (sets[:_QUICK_QUALITY], _QUICK_METHODS) if quick else (sets, _METHODS)
    injection: list[Job] = [
        partial(
            run_setting, setting=setting, seed=each,
            localities=LOCALITIES if setting in (BASE, uncovered) else (DEFAULT,),
        )
        for each in seeds
        for setting in settings
    ]  # fmt: skip
    mirrors: list[Job] = [
        partial(compare_mirrors, setting=setting, seed=each) for each in seeds for setting in mirrored
    ]
    measured = list(product(methods, scored))
    quality: list[Job] = [partial(_measure_method, method=each, labelled=one) for each, one in measured]
    jobs = [*injection, *mirrors, *quality]
    results = []
    with step_progress(len(jobs)) as step:
        for _, result in results_in_order(_run_job, sources, jobs, process_count(quick=quick)):
            results.append(result)
            step("")
    after = len(injection) + len(mirrors)
    scores: dict[str, dict[str, SetScores]] = {}
    for (method, labelled), result in zip(measured, results[after:], strict=True):
        scores.setdefault(method.label, {})[labelled.name] = result
    return Results(
        sources,
        seeds,
        [*chain.from_iterable(results[: len(injection)])],
        [*chain.from_iterable(results[len(injection) : after])],
        {label: summarise(scored, of_method) for label, of_method in scores.items()},
    )


def _run_job(sources: Sources, job: Job) -> Any:  # noqa: ANN401
    return job(sources)


def _measure_method(_: Sources, method: Method, labelled: LabelledSet) -> SetScores:
    return measure(method, labelled)
