"""Methods at equal recall (Wang et al. 2008, section 3, table 1), and lifetimes on changing designs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain, product, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from lab.incremental.runs import ALL, Outcome, Setting, SitePages, run_setting, text_storage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

INCREMENTAL: Final = "segments"
BATCHED: Final = ("shingles", "styletree")
LIFETIMES: Final = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 100.0, 200.0, math.inf)
"""Values of T_b, in pages."""
GROWTHS: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)  # values of N
BATCHES: Final = (2, 3, 5, 8, 12, 16, 24, 32, 48, 64, 100, ALL)
_QUICK: Final = ((2.0, 8.0, 32.0, math.inf), (1.0, 10.0), (3, 8, 24, ALL))  # lifetimes, growths, batches
TOLERANCE: Final = 1e-12  # rounding error by which a recall may miss its target


@dataclass(slots=True)
class Choice:
    """The setting of a method that a comparison takes."""

    outcome: Outcome
    reached: bool  # whether the setting has the target recall; if not, no setting of the method has
    text_storage: float | None = None  # average bytes if the table held texts; None for batches
    text_inserting: float | None = None  # the same when a page is inserted, before the table shrinks


@dataclass(slots=True)
class Comparison:
    """The methods at equal recall on a site: the recall, and the chosen setting of each method."""

    target: float
    choices: dict[str, Choice]

    @property
    def complete(self) -> bool:
        """Whether all methods reach the recall, and it is above 0."""
        return self.target > 0 and all(choice.reached for choice in self.choices.values())


@dataclass(slots=True)
class SiteOutcome:
    """Results of all settings on a site, and its comparisons."""

    name: str
    part: str
    pages: int
    scored: int  # number of pages with gold
    skipped: int
    sweep: list[Outcome] = field(repr=False)  # results of all settings, in the order of `sweep_settings`
    comparisons: dict[str, Comparison]
    """``wanted``: at the wanted recall; a method that cannot reach it stands at its highest recall.
    ``common``: at the highest recall that all methods reach, at most the wanted recall."""

    @property
    def target(self) -> float:
        """The wanted recall."""
        return self.comparisons["wanted"].target

    @property
    def best_recalls(self) -> dict[str, float]:
        """Each method's highest recall over all settings."""
        return {method: max(each.recall for each in its) for method, its in by_method(self.sweep).items()}


def by_method(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Group results by method."""
    methods: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        methods.setdefault(outcome.setting.method, []).append(outcome)
    return methods


def sweep_settings(
    batched: Iterable[str] = BATCHED,
    *,
    quick: bool = False,
    options: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Setting]:
    """List the settings of the incremental method, then those of each batch method; `options` by method."""
    lifetimes, growths, batches = _QUICK if quick else (LIFETIMES, GROWTHS, BATCHES)
    pairs = [pair for pair in product(lifetimes, growths) if not math.isinf(pair[0])]
    pinned = {method: tuple(sorted(values.items())) for method, values in (options or {}).items()}
    ours = pinned.get(INCREMENTAL, ())
    settings = [Setting(INCREMENTAL, None, *pair, options=ours) for pair in (*pairs, (math.inf, 1.0))]
    return settings + [Setting(each, n, options=pinned.get(each, ())) for each in batched for n in batches]


def choose(outcomes: Sequence[Outcome], target: float) -> Choice:
    """Choose the setting that stores least among those with the recall, else that of highest recall."""
    reaching = [outcome for outcome in outcomes if outcome.recall >= target - TOLERANCE]
    if reaching:
        return Choice(min(reaching, key=lambda outcome: (outcome.storage, -outcome.recall)), reached=True)
    return Choice(min(outcomes, key=lambda outcome: (-outcome.recall, outcome.storage)), reached=False)


def compare(outcomes: Mapping[str, Sequence[Outcome]], target: float) -> Comparison:
    """Compare methods on a site at equal recall: each method's cheapest setting that reaches it."""
    return Comparison(target, {method: choose(of_method, target) for method, of_method in outcomes.items()})


def measure_site(
    site: SitePages, settings: Sequence[Setting], recall: float, step: Callable[[str], None] = lambda _: None
) -> SiteOutcome:
    """Run all settings on a site, and compare the methods at the recall, and at the one that all reach."""
    outcomes = []
    for setting in settings:
        outcomes.append(run_setting(site, setting))
        step(site.name)
    methods = by_method(outcomes)
    reached_by_all = min(max(outcome.recall for outcome in of_method) for of_method in methods.values())
    comparisons = {
        "wanted": compare(methods, recall),
        "common": compare(methods, min(recall, reached_by_all)),
    }
    sizes: dict[Setting, tuple[float, float]] = {}
    for comparison in comparisons.values():
        choice = comparison.choices[INCREMENTAL]
        setting = choice.outcome.setting
        if setting not in sizes:
            sizes[setting] = text_storage(site, setting)
        choice.text_storage, choice.text_inserting = sizes[setting]
    scored = sum(page.words is not None for page in site.pages)
    return SiteOutcome(site.name, site.part, len(site.pages), scored, site.skipped, outcomes, comparisons)


# Section 2.4 of the paper lets a segment live the longer the more pages have had it; with N = 1 all live
# equally long. On a site whose pages all have one template, a short constant lifetime is enough. Here two
# real sites stand for two designs of one site; only the order of their pages is made.

DESIGN_PAGES: Final = 40
PAIRS: Final = 8
_SHARE: Final = 0.95  # of the highest recall: the last points need segments that never expire
_TURN: Final = 10  # pages of one design in a row, where two take turns
_DESIGN_LIFETIMES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0)
_DESIGN_GROWTHS: Final = (5.0, 30.0, 100.0)  # values of N of lifetimes that grow
ORDERS: Final = {
    "one design": "the pages of one site",
    "redesigned": "those of one site, then those of another",
    "back again": "half of one site's pages, all of another's, the other half",
    "two sections": f"{_TURN} pages of one site and {_TURN} of another in turns",
}


class DesignOutcome(NamedTuple):
    """The cheapest settings with N = 1 and with N > 1 on a pair of sites in an order, and their recall."""

    order: str
    sites: tuple[str, str]
    target: float
    constant: Outcome
    growing: Outcome


def ordered_pages(order: str, first: SitePages, second: SitePages) -> SitePages:
    """Put the pages of two sites into an order, as one site."""
    ours, others = first.pages[:DESIGN_PAGES], second.pages[:DESIGN_PAGES]
    if order == "one design":
        chosen = ours
    elif order == "redesigned":
        chosen = ours + others
    elif order == "back again":
        half = len(ours) // 2
        chosen = ours[:half] + others + ours[half:]
    else:
        turns = [[side[at : at + _TURN] for at in range(0, len(side), _TURN)] for side in (ours, others)]
        chosen = list(chain.from_iterable(chain.from_iterable(zip_longest(*turns, fillvalue=[]))))
    return SitePages(f"{first.name}, {second.name}", first.part, chosen)


def measure_designs(
    sites: Sequence[SitePages], recall: float, step: Callable[[str], object] = lambda _: None
) -> Iterator[DesignOutcome]:
    """Compare constant with growing lifetimes on pairs of sites (first and second, …), at equal recall."""
    for first, second in list(zip(sites[::2], sites[1::2], strict=False))[:PAIRS]:
        for order in ORDERS:
            pages = ordered_pages(order, first, second)
            kinds = [
                [
                    run_setting(pages, Setting(INCREMENTAL, None, *each))
                    for each in product(_DESIGN_LIFETIMES, growths)
                ]
                for growths in ((1.0,), _DESIGN_GROWTHS)
            ]
            target = min(recall, *(_SHARE * max(outcome.recall for outcome in kind) for kind in kinds))
            constant, growing = (choose(kind, target).outcome for kind in kinds)
            step(pages.name)
            yield DesignOutcome(order, (first.name, second.name), target, constant, growing)
