"""Lifetimes that grow with the frequency against constant ones, on sites that change their design.

Wang et al. 2008, section 2.4, let a segment live the longer the more pages have had it. With N = 1 all live
equally long. On a site whose pages all have one template, a short constant lifetime is enough. Here two real
sites stand for two designs of one site; only the order of their pages is made.
"""

from __future__ import annotations

from itertools import chain, product, zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lab.incremental.runs import Outcome, Setting, SitePages, run_setting
from lab.incremental.sweep import INCREMENTAL, choose
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DESIGN_PAGES: Final = 40
"""Most pages of each design."""
PAIRS: Final = 8
"""Most pairs of sites."""
SHARE: Final = 0.95
"""Greatest share of the highest recall that is asked for: the last points need segments that never expire."""
TURN: Final = 10
"""Pages of one design in a row, where two take turns."""
LIFETIMES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0)
"""Values of T_b, in pages."""
GROWTHS: Final = (5.0, 30.0, 100.0)
"""Values of N of lifetimes that grow."""
ORDERS: Final = {
    "one design": "the pages of one site",
    "redesigned": "those of one site, then those of another",
    "back again": "half of one site's pages, all of another's, the other half",
    "two sections": f"{TURN} pages of one site and {TURN} of another in turns",
}
"""Orders of pages, and what they are."""


class DesignOutcome(NamedTuple):
    """The cheapest setting of each kind on a pair of sites, in an order."""

    order: str
    """One of :data:`ORDERS`."""
    sites: tuple[str, str]
    """The sites."""
    target: float
    """Recall that both settings have."""
    constant: Outcome
    """The cheapest setting with N = 1."""
    growing: Outcome
    """The cheapest setting with N > 1."""


def ordered_pages(order: str, first: SitePages, second: SitePages) -> SitePages:
    """Put the pages of two sites into an order, as one site."""
    ours = [(first, number) for number in range(min(len(first.pages), DESIGN_PAGES))]
    others = [(second, number) for number in range(min(len(second.pages), DESIGN_PAGES))]
    if order == "one design":
        chosen = ours
    elif order == "redesigned":
        chosen = ours + others
    elif order == "back again":
        half = len(ours) // 2
        chosen = ours[:half] + others + ours[half:]
    else:
        turns = [[side[at : at + TURN] for at in range(0, len(side), TURN)] for side in (ours, others)]
        chosen = list(chain.from_iterable(chain.from_iterable(zip_longest(*turns, fillvalue=[]))))
    name = f"{first.name}, {second.name}"
    return SitePages(
        name, first.part, [site.pages[number] for site, number in chosen],
        [site.words[number] for site, number in chosen], [site.blocks[number] for site, number in chosen],
    )  # fmt: skip


def measure_designs(
    sites: Sequence[SitePages], recall: float, step: Callable[[str], object] = lambda _: None
) -> Iterator[DesignOutcome]:
    """Compare constant with growing lifetimes on pairs of sites, at equal recall.

    Parameters
    ----------
    sites
        The sites; the first and the second are a pair, the third and the fourth, and so on.
    recall
        The wanted recall; at most :data:`SHARE` of the highest recall that both kinds reach.
    step
        Called with the sites' names after each order.

    Yields
    ------
    DesignOutcome
        The cheapest settings.
    """
    for first, second in list(zip(sites[::2], sites[1::2], strict=False))[:PAIRS]:
        for order in ORDERS:
            pages = ordered_pages(order, first, second)
            kinds = [
                [
                    run_setting(pages, Setting(INCREMENTAL, None, *each))
                    for each in product(LIFETIMES, growths)
                ]
                for growths in ((1.0,), GROWTHS)
            ]
            target = min(recall, *(SHARE * max(outcome.recall for outcome in kind) for kind in kinds))
            constant, growing = (choose(kind, target).outcome for kind in kinds)
            step(pages.name)
            yield DesignOutcome(order, (first.name, second.name), target, constant, growing)


def designs_table(outcomes: Sequence[DesignOutcome]) -> str:
    """Write the means over pairs, by order, as Markdown."""
    rows = []
    for order, told in ORDERS.items():
        chosen = [each for each in outcomes if each.order == order]
        if not chosen:
            continue
        ours, theirs = ([getattr(each, kind).storage for each in chosen] for kind in ("growing", "constant"))
        lives = [
            sorted(getattr(each, kind).setting.lifetime for each in chosen)[len(chosen) // 2]
            for kind in ("constant", "growing")
        ]
        rows.append([
            f"{order}: {told}", str(len(chosen)), f"{sum(each.target for each in chosen) / len(chosen):.0%}",
            f"{sum(theirs) / len(theirs) / 1000:.2f} ({lives[0]:g})",
            f"{sum(ours) / len(ours) / 1000:.2f} ({lives[1]:g})",
            str(sum(a < b for a, b in zip(ours, theirs, strict=True))),
        ])  # fmt: skip
    header = [
        "order of pages", "pairs", "recall", "N = 1: KB (median T_b)", "N > 1: KB (median T_b)",
        "N > 1 stores less",
    ]  # fmt: skip
    return markdown_table(header, rows)


def designs_dict(outcomes: Sequence[DesignOutcome]) -> list[dict[str, Any]]:
    """Convert results to data that JSON can represent; sizes are in bytes."""
    return [
        {
            "order": each.order,
            "sites": list(each.sites),
            "target_recall": round(each.target, 5),
            **{
                kind: {"setting": outcome.setting.label, "recall": round(outcome.recall, 5),
                       "storage": round(outcome.storage, 1)}
                for kind, outcome in (("constant", each.constant), ("growing", each.growing))
            },
        }
        for each in outcomes
    ]  # fmt: skip
