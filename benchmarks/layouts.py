"""Compare the estimated layout with the browser layout, without a network.

Pages are drawn from wcxb-dev and all sites. The first half is for choosing the constants of the estimate, the
second for measuring.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.support.layouts import Agreement, agreement, agreement_table, sample
from detemplate.errors import PageError
from detemplate.layout.layout import DEFAULT_WIDTH, estimated_layout
from detemplate.page.page import Page
from lab.harness.command import Parser, progress, run, write
from lab.labelled.tables import markdown_table
from lab.layouts.browser import LayoutBrowser

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTRO = """\
# Layouts

The estimate (no browser) against the browser layout (Chromium), {width} pixels wide. {command}

Spearman's rank correlation for each page, over the nodes with a box in the browser layout; then the mean
over pages and the quartiles. The browser had **no network**: inline styles and `<style>` elements counted,
external style sheets, images and fonts did not, and scripts never do. So the agreement is with a page without
its external style sheets, not with the page that its readers see.
{shares}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse arguments, lay pages out, compare, write."""
    parser = Parser("benchmarks.layouts", __doc__)
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
    with LayoutBrowser() as browser, progress(len(labelled)) as show:
        for number, given in enumerate(labelled):
            try:
                start = perf_counter()
                page = Page(given.url, given.html, site=given.site)
                built = perf_counter()
                estimate = estimated_layout(page)
                estimated = perf_counter()
                browser_layout = browser.layout(page)
                finished = perf_counter()
            except PageError as error:
                lost[str(error)] += 1
                continue
            construction += built - start
            styled = b"<style" in page.canonical
            external += b' rel="stylesheet"' in page.canonical
            times = (finished - estimated, estimated - built)
            half = halves[number * 2 >= len(labelled)]
            half.append(Agreement(agreement(page, estimate, browser_layout), styled, times))
            if number % 20 == 19:
                show("laying out", number + 1)
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
    in_browser, estimate = np.array([page.seconds for page in pages]).mean(axis=0) * 1000
    built = construction / len(pages) * 1000
    rows = [
        ["construction of a page", f"{built:.2f}", "1.00"],
        ["estimate", f"{estimate:.2f}", f"{estimate / built:.2f}"],
        ["browser layout", f"{in_browser:.0f}", f"{in_browser / built:.0f}"],
    ]
    sections.append("## Time\n\n" + markdown_table(["", "ms a page", "× construction"], rows) + "\n")
    return "\n".join(sections)


if __name__ == "__main__":
    run(main)
