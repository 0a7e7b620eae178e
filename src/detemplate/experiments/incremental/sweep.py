"""Incremental detection against detection in batches (Wang et al. 2008, section 3, table 1).

The incremental method sees each page once, as it arrives, and keeps its table of segments; the batch
methods keep whole pages until a batch is full. At equal recall of the template, how much does each
store, how precise is it, how long does a page wait?
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import detector_class
from detemplate.experiments.incremental.runs import (
    ALL,
    Outcome,
    Setting,
    read_site,
    run_setting,
    text_storage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from detemplate.experiments.incremental.runs import SitePages
    from detemplate.labelled.datasets import LabelledSet

INCREMENTAL: Final = "segments"
BATCHED: Final = ("shingles", "styletree")

LIFETIMES: Final = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 100.0, 200.0, math.inf)
GROWTHS: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
BATCHES: Final = (2, 3, 5, 8, 12, 16, 24, 32, 48, 64, 100, ALL)
QUICK_PAGES: Final = 60
_QUICK_LIFETIMES: Final = (2.0, 8.0, 32.0, math.inf)
_QUICK_GROWTHS: Final = (1.0, 10.0)
_QUICK_BATCHES: Final = (3, 8, 24, ALL)


@dataclass(slots=True)
class Choice:
    """The setting of a method that a comparison takes."""

    outcome: Outcome
    reached: bool
    """Whether it has the wanted recall; if not, no setting of the method has."""
    text_storage: float | None = None
    """Of the incremental method: average bytes if the table held texts instead of hashes."""


@dataclass(slots=True)
class Comparison:
    """The methods at equal recall on a site."""

    target: float
    choices: dict[str, Choice]

    @property
    def complete(self) -> bool:
        """Whether all methods reach the recall, and it is one worth speaking of."""
        return self.target > 0 and all(choice.reached for choice in self.choices.values())


@dataclass(slots=True)
class SiteOutcome:
    """Everything measured on a site."""

    name: str
    part: str
    pages: int
    scored: int
    skipped: int
    sweep: list[Outcome] = field(repr=False)
    wanted: Comparison
    """At the recall that is asked for; where a method cannot reach it, its highest recall."""
    common: Comparison
    """At the highest recall that all methods reach, or the recall that is asked for if that is lower."""


def sweep(
    batched: Iterable[str] = BATCHED,
    *,
    quick: bool = False,
    options: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Setting]:
    """List all settings to run.

    Parameters
    ----------
    batched
        The batch methods.
    quick
        Fewer settings.
    options
        Options of methods that differ from their defaults, the same in all settings.

    Returns
    -------
    list of Setting
        Those of the incremental method, then those of each batch method.
    """
    lifetimes, growths, batches = (
        (_QUICK_LIFETIMES, _QUICK_GROWTHS, _QUICK_BATCHES) if quick else (LIFETIMES, GROWTHS, BATCHES)
    )
    pairs = [pair for pair in product(lifetimes, growths) if not math.isinf(pair[0])]
    given = {method: tuple(sorted(own.items())) for method, own in (options or {}).items()}
    ours = given.get(INCREMENTAL, ())
    settings = [Setting(INCREMENTAL, None, *pair, options=ours) for pair in (*pairs, (math.inf, 1.0))]
    return settings + [
        Setting(method, batch, options=given.get(method, ())) for method in batched for batch in batches
    ]


def choose(outcomes: Sequence[Outcome], target: float) -> Choice:
    """Take the cheapest setting with the wanted recall.

    Parameters
    ----------
    outcomes
        A method's settings on a site, at least one.
    target
        The wanted recall.

    Returns
    -------
    Choice
        The setting that stores least on average among those that reach `target`; where none does, the
        one with the highest recall, and among equals the cheapest.
    """
    enough = [outcome for outcome in outcomes if outcome.recall >= target - 1e-12]
    if enough:
        return Choice(min(enough, key=lambda outcome: (outcome.storage, -outcome.recall)), reached=True)
    return Choice(min(outcomes, key=lambda outcome: (-outcome.recall, outcome.storage)), reached=False)


def compare(outcomes: Mapping[str, Sequence[Outcome]], target: float) -> Comparison:
    """Compare methods on a site at equal recall.

    Parameters
    ----------
    outcomes
        The settings of each method.
    target
        The wanted recall.

    Returns
    -------
    Comparison
        Each method's cheapest setting that reaches it.
    """
    return Comparison(target, {method: choose(found, target) for method, found in outcomes.items()})


def measure_site(
    site: SitePages,
    settings: Sequence[Setting],
    recall: float,
    step: Callable[[str], None] = lambda _: None,
) -> SiteOutcome:
    """Run all settings on a site and compare the methods.

    Parameters
    ----------
    site
        The site.
    settings
        What to run.
    recall
        The recall at which methods are compared.
    step
        Called with the site's name after each setting.

    Returns
    -------
    SiteOutcome
        Its figures.
    """
    outcomes = []
    for setting in settings:
        outcomes.append(run_setting(site, setting))
        step(site.name)
    methods: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        methods.setdefault(outcome.setting.method, []).append(outcome)
    best = min(max(outcome.recall for outcome in found) for found in methods.values())
    wanted, common = compare(methods, recall), compare(methods, min(recall, best))
    known: dict[Setting, float] = {}
    for comparison in (wanted, common):
        choice = comparison.choices[INCREMENTAL]
        setting = choice.outcome.setting
        if setting not in known:
            known[setting] = text_storage(site, setting)
        choice.text_storage = known[setting]
    scored = sum(words is not None for words in site.words)
    return SiteOutcome(site.name, site.part, len(site.pages), scored, site.skipped, outcomes, wanted, common)


def measure(
    sets: Iterable[LabelledSet],
    settings: Sequence[Setting],
    recall: float,
    *,
    most: int | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Iterator[SiteOutcome]:
    """Run all settings on all sites.

    Parameters
    ----------
    sets
        Sets of the kind ``site``.
    settings
        What to run, from `sweep`.
    recall
        The recall at which methods are compared.
    most
        Only so many pages a site.
    step
        Called with the site's name after each setting.

    Yields
    ------
    SiteOutcome
        One a site.

    Raises
    ------
    UserError
        For an unknown method, or data that cannot be read.
    """
    for setting in settings:
        detector_class(setting.method)
    for labelled in sets:
        yield measure_site(read_site(labelled, most), settings, recall, step)
