"""The report on browser layouts: the paper's table 1 and figure 1 beside ours, for both kinds of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.detectors.pagelevel import BASIC, MERGE, SMOOTH
from lab.harness.charts import bar_chart
from lab.harness.experiment import Report
from lab.harness.tables import section, table
from lab.labelled.tables import markdown_table
from lab.pagelevel.counts import MEASURES
from lab.pagelevel.figures import RAND, figures_row, over_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.detectors.pagemodel import PageModel
    from lab.harness.tables import Column
    from lab.pagelevel.figures import GroupFigures

# F of text, anchor text and links without and with smoothing, by set.
PAPER: Final = {
    "paper, COMMON": ((0.56, 0.65, 0.69), (0.60, 0.71, 0.73)),
    "paper, RANDOM": ((0.63, 0.71, 0.75), (0.66, 0.73, 0.77)),
}
VARIANTS: Final = (BASIC, MERGE, SMOOTH)
_HEADER: Final = ("trained / tested on", *(f"F, {name}" for name in MEASURES))

_INTRO: Final = """\
# Page-level templateness on layouts of a browser

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), sections
5.2 and 6.1. The paper takes positions and areas from a browser; the package estimates them by default.
Everything here is **real**: classifiers are trained on {train:,} pages of {sites} sites, and tested on
{test:,} pages of other sites, with layouts of Chromium (nothing is fetched, no scripts) and with
estimated ones. Only pages that Chromium laid out are used, so that all rows are of the same pages.
{failed} pages could not be laid out. Seed {seed}.
"""


class Trained(NamedTuple):
    """Classifiers, and what they have learned from."""

    model: PageModel
    sites: int
    nodes: int
    template_share: float  # share of the nodes that are template


def report(
    figures: Mapping[tuple[str, str], Sequence[GroupFigures]],
    trained: Mapping[str, Trained],
    *,
    failed: int,
    train_pages: int,
    seed: int,
) -> Report:
    """Write the report from the figures of each set, by the layouts of training and of testing."""
    sites = next(iter(trained.values())).sites
    test_pages = sum(len(each.group.pages) for each in next(iter(figures.values())))
    intro = _INTRO.format(train=train_pages, sites=sites, test=test_pages, failed=failed, seed=seed)
    both = (
        "F of template, without → with smoothing; means over sets. Adjusted Rand index of the sections: "
        f"{' / '.join(VARIANTS)}."
    )
    learned_from: list[Column] = [
        ("layouts", lambda item: item[0]),
        ("sites", lambda item: item[1].sites),
        ("nodes", lambda item: item[1].nodes, ",d"),
        ("of these template", lambda item: item[1].template_share, ".1%"),
    ]
    sections = [
        section("Both kinds of layouts (the paper's table 1)", both, _both(figures)),
        section("By set", "With smoothing.", _by_set(figures)),
        section("What was learned from", table(learned_from, trained.items())),
    ]
    rows = [
        {"trained": train, "tested": test, "pages": len(each.group.pages), "skipped": each.group.skipped}
        | figures_row(each, each.variants[variant])
        for (train, test), pair in figures.items()
        for each in pair
        for variant in VARIANTS
    ]
    bars = {
        label: {
            f"{train} / {test}": over_groups(pair, SMOOTH)[score] for (train, test), pair in figures.items()
        }
        for score, label in enumerate((*MEASURES, "adjusted Rand"))
    }
    charts = {"layouts": bar_chart(bars, "F of template; adjusted Rand index", (7.4, 3.6))}
    learned = {kind: {"sites": each.sites, "nodes": each.nodes} for kind, each in trained.items()}
    return Report(intro, sections, rows, charts, {"seed": seed, "trained": learned})


def _both(figures: Mapping[tuple[str, str], Sequence[GroupFigures]]) -> str:
    rows = [
        [name, *(f"{without:.2f} → {with_:.2f}" for without, with_ in zip(*values, strict=True)), "–"]
        for name, values in PAPER.items()
    ]
    for (train, test), pair in figures.items():
        means = {variant: over_groups(pair, variant) for variant in VARIANTS}
        changes = [f"{means[BASIC][n]:.2f} → {means[SMOOTH][n]:.2f}" for n in range(len(MEASURES))]
        rand = " / ".join(f"{of_variant[RAND]:.2f}" for of_variant in means.values())
        rows.append([f"{train} / {test}", *changes, rand])
    return markdown_table([*_HEADER, "adjusted Rand index"], rows)


def _by_set(figures: Mapping[tuple[str, str], Sequence[GroupFigures]]) -> str:
    rows = []
    for place, each in enumerate(next(iter(figures.values()))):
        for (train, test), pair in figures.items():
            scores = [f"{pair[place].mean(SMOOTH, score):.2f}" for score in range(len(MEASURES) + 1)]
            rows.append([each.name, str(len(each.group.pages)), f"{train} / {test}", *scores])
    return markdown_table(["set", "pages", *_HEADER, "ARI"], rows)
