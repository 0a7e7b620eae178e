"""Measure how near the estimated layout comes to a browser's, without a network.

Pages are drawn from wcxb-dev and all sites. Whoever changes the estimate's constants may look at the first
half; the second half is what counts.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.command import Parser, progress, run, write
from benchmarks.support.layouts import Agreement, agreement, agreement_table, sample
from detemplate.errors import PageError
from detemplate.labelled.tables import markdown_table
from detemplate.layout.browser import Renderer
from detemplate.layout.layout import DEFAULT_WIDTH, estimated_layout
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTRO = """\
# Layouts

The estimate (no browser) against Chromium's rendering, {width} pixels wide. {command}

Spearman's rank correlation a page, over the nodes that the rendering gives a box; then the mean over
pages and the quartiles. Pages were rendered **without a network**: inline styles and `<style>` elements
counted, external style sheets, images and fonts did not, and scripts never do. So this is agreement
with a page as it looks with its external style sheets missing, not as its readers see it.
{shares}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse arguments, render, compare, write."""
    parser = Parser("layouts", __doc__)
    parser.add_argument("--pages", type=int, default=300, help="how many pages (default 300)")
    parser.add_out("Markdown file")
    options = parser.parse_args(arguments)
    if options.pages < 4:
        parser.error("--pages must be at least 4")
    labelled = sample(options.pages)
    halves: list[list[Agreement]] = [[], []]
    lost: Counter[str] = Counter()
    construction = 0.0
    external = 0
    with Renderer() as renderer, progress(len(labelled)) as show:
        for number, given in enumerate(labelled):
            try:
                start = perf_counter()
                page = Page(given.url, given.html, site=given.site)
                built = perf_counter()
                estimate = estimated_layout(page)
                estimated = perf_counter()
                rendering = renderer.layout(page)
                rendered = perf_counter()
            except PageError as error:
                lost[str(error)] += 1
                continue
            construction += built - start
            styled = b"<style" in page.canonical
            external += b' rel="stylesheet"' in page.canonical
            times = (rendered - estimated, estimated - built)
            half = halves[number * 2 >= len(labelled)]
            half.append(Agreement(agreement(page, estimate, rendering), styled, times))
            if number % 20 == 19:
                show("rendering", number + 1)
    command = f"`python -m benchmarks.layouts --pages {options.pages}`"
    write(Path(options.out), _report(halves, lost, construction, external, command))
    return 0


def _report(
    halves: Sequence[Sequence[Agreement]],
    lost: Counter[str],
    construction: float,
    external: int,
    command: str,
) -> str:
    pages = [page for half in halves for page in half]
    styled = sum(page.styled for page in pages) / len(pages)
    shares = (
        f"\nOf the {len(pages)} pages, {external / len(pages):.0%} name external style sheets, which were "
        f"missing; {styled:.0%} have a `<style>` element; the others have inline styles at most."
    )
    intro = _INTRO.format(width=DEFAULT_WIDTH, command=command, shares=shares)
    sections = [intro]
    if lost:
        reasons = "; ".join(f"{number} × {reason}" for reason, number in lost.most_common())
        sections.append(f"Lost: {reasons}.\n")
    titles = ("First half: open for choosing constants", "Second half: for measuring only")
    for title, half in zip(titles, halves, strict=True):
        sections.append(f"## {title}\n\n{agreement_table(half)}\n")
    held = halves[1]
    for title, with_style in (("with a `<style>` element", True), ("without", False)):
        part = [page for page in held if page.styled is with_style]
        sections.append(f"## Second half, pages {title}\n\n{agreement_table(part)}\n")
    rendering, estimate = np.array([page.seconds for page in pages]).mean(axis=0) * 1000
    built = construction / len(pages) * 1000
    rows = [
        ["construction of a page", f"{built:.2f}", "1.00"],
        ["estimate", f"{estimate:.2f}", f"{estimate / built:.2f}"],
        ["rendering", f"{rendering:.0f}", f"{rendering / built:.0f}"],
    ]
    sections.append("## Time\n\n" + markdown_table(["", "ms a page", "× construction"], rows) + "\n")
    return "\n".join(sections)


if __name__ == "__main__":
    run(main)
