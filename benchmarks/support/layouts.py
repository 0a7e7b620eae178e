"""Agreement of the estimated layout with a browser's."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.layout.layout import SMALL
from detemplate.page.columns import ELEMENT, TEXT
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import load_sets
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page
    from lab.labelled.pages import LabelledPage

MEASURES: Final = ("area", "vertical", "horizontal", "side of 2,000 px²", "has a box")
"""Names of the columns of :attr:`Agreement.figures`."""
KINDS: Final = {"elements": ELEMENT, "texts": TEXT}
"""Names of its rows, and the kinds of nodes."""
_FEWEST: Final = 5
"""Fewest nodes that have a rank correlation."""


class Agreement(NamedTuple):
    """Agreement on one page.

    Attributes
    ----------
    figures
        Array of float64, :data:`KINDS` × :data:`MEASURES`; NaN where a page has too few nodes, or all values
        are equal.
    styled
        Whether the page has a ``<style>`` element, which the browser applies.
    seconds
        Seconds that the browser and the estimate took.
    """

    figures: npt.NDArray[np.float64]
    styled: bool
    seconds: tuple[float, float]


def sample(count: int, seed: int = 20070508) -> list[LabelledPage]:
    """Draw pages with gold or without: half from ``wcxb-dev``, half from all sites in turn."""
    draw = random.Random(seed)
    mixed = list(load_sets(["wcxb-dev"])[0].pages())
    chosen = draw.sample(mixed, min(len(mixed), count // 2))
    per_site = []
    for labelled in load_sets([SITES]):
        pages = list(labelled.pages())
        per_site.append(draw.sample(pages, min(len(pages), count)))
    turn = 0
    while len(chosen) < count and any(turn < len(pages) for pages in per_site):
        chosen += [pages[turn] for pages in per_site if turn < len(pages)]
        turn += 1
    chosen = chosen[:count]
    draw.shuffle(chosen)
    return chosen


def rank_correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Give Spearman's rank correlation, with mean ranks for ties; NaN for under 5 or all equal values."""
    ranks = []
    for values in (np.asarray(first, np.float64), np.asarray(second, np.float64)):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        if len(values) < _FEWEST or len(counts) < 2:
            return float("nan")
        last = np.cumsum(counts)
        ranks.append((last - (counts - 1) / 2)[place])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def agreement(page: Page, estimate: Layout, rendering: Layout) -> npt.NDArray[np.float64]:
    """Compare two layouts of a page, over the nodes that have a box in the browser's."""
    found = np.full((len(KINDS), len(MEASURES)), np.nan)
    for number, kind in enumerate(KINDS.values()):
        rows = (page.columns.kind == kind) & (rendering.area > 0)
        if rows.sum() < _FEWEST:
            continue
        ours, theirs = estimate.area[rows], rendering.area[rows]
        found[number] = (
            rank_correlation(ours, theirs),
            rank_correlation(estimate.centre_y[rows], rendering.centre_y[rows]),
            rank_correlation(estimate.centre_x[rows], rendering.centre_x[rows]),
            np.mean((ours >= SMALL) == (theirs >= SMALL)),
            np.mean(ours > 0),
        )
    return found


def agreement_table(pages: Sequence[Agreement]) -> str:
    """Make a Markdown table of each figure's mean and quartiles over pages."""
    figures = np.array([page.figures for page in pages])
    rows = []
    for number, kind in enumerate(KINDS):
        for place, measure in enumerate(MEASURES):
            values = figures[:, number, place]
            values = values[~np.isnan(values)]
            low, middle, high = np.percentile(values, [25, 50, 75]) if len(values) else [np.nan] * 3
            mean = values.mean() if len(values) else np.nan
            cells = [f"{value:.3f}" for value in (mean, low, middle, high)]
            rows.append([f"{kind}: {measure}", *cells, f"{len(values):,}"])
    return markdown_table(["", "mean", "lower quartile", "median", "upper quartile", "pages"], rows)
