"""Compare the estimated layout with the browser layout, without a network.

Pages are drawn from wcxb-dev and all sites. The first half is for choosing the constants of the estimate, the
second for measuring.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.errors import PageError
from detemplate.layout.layout import DEFAULT_WIDTH, SMALL, estimated_layout
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.page import Page
from lab.harness.command import Parser, progress, run, write
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import load_sets
from lab.labelled.tables import markdown_table
from lab.layouts.browser import LayoutBrowser

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.layout.layout import Layout
    from lab.labelled.pages import LabelledPage

    Figures = npt.NDArray[np.float64]

_MEASURES: Final = ("area", "vertical", "horizontal", "side of 2,000 px²", "has a box")
"""Columns of the figures of a page."""
_KINDS: Final = {"elements": ELEMENT, "texts": TEXT}  # rows of the figures of a page, and the kinds of nodes
_FEWEST: Final = 5  # minimum number of nodes that have a rank correlation
_INTRO = """\
# Layouts

The estimate (no browser) against the browser layout (Chromium), {width} pixels wide. `{command}`

Spearman's rank correlation for each page, over the nodes with a box in the browser layout; then the mean
over pages and the quartiles. The browser had **no network**: inline styles and `<style>` elements counted,
external style sheets, images and fonts did not, and scripts never do. So the agreement is with a page without
its external style sheets, not with the page that its readers see.

Of the {pages} pages, {external:.0%} name external style sheets, which were missing; {styled:.0%} have a \
`<style>` element; the others have inline styles at most.
"""


class Compared(NamedTuple):
    """A page: its agreement, its kinds of style sheets, and seconds of construction, estimate and browser."""

    figures: Figures
    styled: bool
    external: bool
    seconds: tuple[float, float, float]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.layouts", __doc__)
    parser.add_argument("--pages", type=int, default=300, help="how many pages (default 300)")
    parser.add_out("Markdown file")
    options = parser.read(arguments)
    if options.pages < 4:
        parser.error("--pages must be at least 4")
    labelled = sample(options.pages)
    halves: list[list[Compared]] = [[], []]
    lost: Counter[str] = Counter()
    with LayoutBrowser() as browser, progress(len(labelled)) as show:
        for number, given in enumerate(labelled):
            try:
                halves[number * 2 >= len(labelled)].append(_compared(given, browser))
            except PageError as error:
                lost[str(error)] += 1
            if number % 20 == 19:
                show("laying out", number + 1)
    write(Path(options.out), _report(halves, lost, options.command))
    return 0


def sample(count: int, seed: int = 20070508) -> list[LabelledPage]:
    """Draw pages: half from ``wcxb-dev``, half from all sites in turn; equal arguments give equal pages."""
    draw = random.Random(seed)
    mixed = list(load_sets(["wcxb-dev"])[0].pages())
    chosen = draw.sample(mixed, min(len(mixed), count // 2))
    sets = [list(labelled.pages()) for labelled in load_sets([SITES])]
    per_site = [draw.sample(pages, min(len(pages), count)) for pages in sets]
    turn = 0
    while len(chosen) < count and any(turn < len(pages) for pages in per_site):
        chosen += [pages[turn] for pages in per_site if turn < len(pages)]
        turn += 1
    chosen = chosen[:count]
    draw.shuffle(chosen)
    return chosen


def _compared(given: LabelledPage, browser: LayoutBrowser) -> Compared:
    times = [perf_counter()]
    page = Page(given.url, given.html, site=given.site)
    times.append(perf_counter())
    estimate = estimated_layout(page)
    times.append(perf_counter())
    rendering = browser.layout(page)
    times.append(perf_counter())
    built, estimated, laid_out = np.diff(times).tolist()
    styles = b"<style" in page.canonical, b' rel="stylesheet"' in page.canonical
    return Compared(agreement(page, estimate, rendering), *styles, (built, estimated, laid_out))


def rank_correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Compute Spearman's rank correlation, mean ranks for ties; NaN for under 5 or all equal values."""
    ranks = []
    for values in (np.asarray(first, np.float64), np.asarray(second, np.float64)):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        if len(values) < _FEWEST or len(counts) < 2:
            return float("nan")
        last = np.cumsum(counts)
        ranks.append((last - (counts - 1) / 2)[place])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def agreement(page: Page, estimate: Layout, rendering: Layout) -> Figures:
    """Compare two layouts over the nodes that have a box in the browser's; NaN where there are too few."""
    found = np.full((len(_KINDS), len(_MEASURES)), np.nan)
    centres = [
        [layout.top + layout.height / 2 for layout in (estimate, rendering)],
        [layout.left + layout.width / 2 for layout in (estimate, rendering)],
    ]
    for number, kind in enumerate(_KINDS.values()):
        rows = (page.columns.kind == kind) & (rendering.area > 0)
        if rows.sum() < _FEWEST:
            continue
        ours, theirs = estimate.area[rows], rendering.area[rows]
        found[number] = (
            rank_correlation(ours, theirs),
            *(rank_correlation(*(centre[rows] for centre in each)) for each in centres),
            np.mean((ours >= SMALL) == (theirs >= SMALL)),
            np.mean(ours > 0),
        )
    return found


def agreement_table(pages: Sequence[Figures]) -> str:
    """Write each figure's mean and quartiles over pages."""
    figures = np.array(pages).reshape(-1, len(_KINDS), len(_MEASURES))
    rows = []
    for number, kind in enumerate(_KINDS):
        for place, measure in enumerate(_MEASURES):
            values = figures[:, number, place]
            values = values[~np.isnan(values)]
            quartiles = np.percentile(values, [25, 50, 75]).tolist() if len(values) else [np.nan] * 3
            mean = float(values.mean()) if len(values) else np.nan
            cells = [f"{value:.3f}" for value in (mean, *quartiles)]
            rows.append([f"{kind}: {measure}", *cells, f"{len(values):,}"])
    return markdown_table(["", "mean", "lower quartile", "median", "upper quartile", "pages"], rows)


def _report(halves: Sequence[Sequence[Compared]], lost: Counter[str], command: str) -> str:
    pages = [page for half in halves for page in half]
    shares = {
        name: float(np.mean([getattr(page, name) for page in pages])) for name in ("external", "styled")
    }
    sections = [_INTRO.format(width=DEFAULT_WIDTH, command=command, pages=len(pages), **shares)]
    if lost:
        sections.append(f"Lost: {'; '.join(f'{n} × {reason}' for reason, n in lost.most_common())}.\n")
    groups = {
        "First half: open for choosing constants": halves[0],
        "Second half: for measuring only": halves[1],
        "Second half, pages with a `<style>` element": [page for page in halves[1] if page.styled],
        "Second half, pages without": [page for page in halves[1] if not page.styled],
    }
    for title, group in groups.items():
        sections.append(f"## {title}\n\n{agreement_table([page.figures for page in group])}\n")
    built, estimate, in_browser = (np.array([page.seconds for page in pages]).mean(axis=0) * 1000).tolist()
    rows = [
        ("construction of a page", f"{built:.2f}", "1.00"),
        ("estimate", f"{estimate:.2f}", f"{estimate / built:.2f}"),
        ("browser layout", f"{in_browser:.0f}", f"{in_browser / built:.0f}"),
    ]
    return "\n".join(
        [*sections, "## Time\n\n" + markdown_table(["", "ms a page", "× construction"], rows) + "\n"]
    )


if __name__ == "__main__":
    run(main)
