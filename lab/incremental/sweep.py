"""The sweep over settings, and methods compared at equal recall (Wang et al. 2008, section 3, table 1).

The incremental method sees each page once, as it arrives, and keeps a table of segments. Batch methods keep
whole pages until a batch is full. At equal recall of the template the methods are compared by storage,
precision and delay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import detector_class
from lab.incremental.runs import (
    ALL,
    Outcome,
    Setting,
    read_site,
    run_setting,
    text_storage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lab.incremental.runs import SitePages
    from lab.labelled.pages import LabelledSet

INCREMENTAL: Final = "segments"
"""Name of the incremental method."""
BATCHED: Final = ("shingles", "styletree")
"""Names of the batch methods."""

LIFETIMES: Final = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 100.0, 200.0, math.inf)
"""Values of T_b, in pages."""
GROWTHS: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
"""Values of N."""
BATCHES: Final = (2, 3, 5, 8, 12, 16, 24, 32, 48, 64, 100, ALL)
"""Pages a batch."""
QUICK_PAGES: Final = 60
"""Pages a site that a quick run reads."""
TOLERANCE: Final = 1e-12
"""Rounding error by which a recall may miss its target."""
_QUICK_LIFETIMES: Final = (2.0, 8.0, 32.0, math.inf)
"""Values of T_b in a quick run."""
_QUICK_GROWTHS: Final = (1.0, 10.0)
"""Values of N in a quick run."""
_QUICK_BATCHES: Final = (3, 8, 24, ALL)
"""Pages a batch in a quick run."""


@dataclass(slots=True)
class Choice:
    """The setting of a method that a comparison takes."""

    outcome: Outcome
    """Results of the setting."""
    reached: bool
    """Whether the setting has the target recall; if not, no setting of the method has."""
    text_storage: float | None = None
    """Average bytes if the table held texts instead of hashes; None for batch methods."""
    text_inserting: float | None = None
    """The same when a page is inserted, before the table shrinks."""


@dataclass(slots=True)
class Comparison:
    """The methods at equal recall on a site."""

    target: float
    """The recall, in [0, 1]."""
    choices: dict[str, Choice]
    """The chosen setting of each method."""

    @property
    def complete(self) -> bool:
        """Whether all methods reach the recall, and it is above 0."""
        return self.target > 0 and all(choice.reached for choice in self.choices.values())


@dataclass(slots=True)
class SiteOutcome:
    """Results of all settings on a site, and its comparisons."""

    name: str
    """Name of the site."""
    part: str
    """``train`` or ``test``."""
    pages: int
    """Number of pages."""
    scored: int
    """Number of pages with gold."""
    skipped: int
    """Number of pages that cannot be parsed."""
    sweep: list[Outcome] = field(repr=False)
    """Results of all settings, in the order of :func:`sweep_settings`."""
    wanted: Comparison
    """Comparison at the wanted recall; a method that cannot reach it stands at its highest recall."""
    common: Comparison
    """Comparison at the highest recall that all methods reach, at most the wanted recall."""


def sweep_settings(
    batched: Iterable[str] = BATCHED,
    *,
    quick: bool = False,
    options: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Setting]:
    """List all settings to run: those of the incremental method, then those of each batch method.

    Parameters
    ----------
    batched
        Names of the batch methods.
    quick
        Fewer settings.
    options
        Options that differ from their defaults in all settings, by method.
    """
    lifetimes, growths, batches = (
        (_QUICK_LIFETIMES, _QUICK_GROWTHS, _QUICK_BATCHES) if quick else (LIFETIMES, GROWTHS, BATCHES)
    )
    pairs = [pair for pair in product(lifetimes, growths) if not math.isinf(pair[0])]
    pinned = {method: tuple(sorted(values.items())) for method, values in (options or {}).items()}
    ours = pinned.get(INCREMENTAL, ())
    settings = [Setting(INCREMENTAL, None, *pair, options=ours) for pair in (*pairs, (math.inf, 1.0))]
    return settings + [
        Setting(method, batch, options=pinned.get(method, ())) for method in batched for batch in batches
    ]


def choose(outcomes: Sequence[Outcome], target: float) -> Choice:
    """Choose the cheapest setting with the target recall.

    Parameters
    ----------
    outcomes
        Results of a method's settings on a site, at least one.
    target
        The recall.

    Returns
    -------
    Choice
        The setting with the least average storage among those that reach `target`. Where none does: the
        setting with the highest recall, and among equals the cheapest.
    """
    reaching = [outcome for outcome in outcomes if outcome.recall >= target - TOLERANCE]
    if reaching:
        return Choice(min(reaching, key=lambda outcome: (outcome.storage, -outcome.recall)), reached=True)
    return Choice(min(outcomes, key=lambda outcome: (-outcome.recall, outcome.storage)), reached=False)


def compare(outcomes: Mapping[str, Sequence[Outcome]], target: float) -> Comparison:
    """Compare methods on a site at equal recall: each method's cheapest setting that reaches it."""
    return Comparison(target, {method: choose(of_method, target) for method, of_method in outcomes.items()})


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
        The settings, from :func:`sweep_settings`.
    recall
        The wanted recall, at which methods are compared.
    step
        Called with the site's name after each setting.

    Returns
    -------
    SiteOutcome
        Results of the site.
    """
    outcomes = []
    for setting in settings:
        outcomes.append(run_setting(site, setting))
        step(site.name)
    methods: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        methods.setdefault(outcome.setting.method, []).append(outcome)
    reached_by_all = min(max(outcome.recall for outcome in of_method) for of_method in methods.values())
    wanted, common = compare(methods, recall), compare(methods, min(recall, reached_by_all))
    text_sizes: dict[Setting, tuple[float, float]] = {}
    for comparison in (wanted, common):
        choice = comparison.choices[INCREMENTAL]
        setting = choice.outcome.setting
        if setting not in text_sizes:
            text_sizes[setting] = text_storage(site, setting)
        choice.text_storage, choice.text_inserting = text_sizes[setting]
    scored = sum(words is not None for words in site.words)
    return SiteOutcome(site.name, site.part, len(site.pages), scored, site.skipped, outcomes, wanted, common)


def measure_sites(
    sets: Iterable[LabelledSet],
    settings: Sequence[Setting],
    recall: float,
    *,
    max_pages: int | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Iterator[SiteOutcome]:
    """Run all settings on all sites.

    Parameters
    ----------
    sets
        Sets of kind ``site``.
    settings, recall, step
        As for :func:`measure_site`.
    max_pages
        Number of pages to read of each site at most; by default all.

    Yields
    ------
    SiteOutcome
        Results of a site.

    Raises
    ------
    UserError
        A method is unknown, or the data cannot be read.
    """
    for setting in settings:
        detector_class(setting.method)
    for labelled in sets:
        yield measure_site(read_site(labelled, max_pages), settings, recall, step)
