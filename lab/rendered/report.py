"""The report on browser layouts: the paper's table 1 and figure 1 beside ours, for both kinds of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH
from lab.harness.reporting import csv_text, join_sections, percent
from lab.labelled.tables import markdown_table
from lab.pagelevel.counts import MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.pagelevel.summary import GroupFigures
    from lab.rendered.runs import Trained

PAPER: Final = {
    "paper, COMMON": ((0.56, 0.65, 0.69), (0.60, 0.71, 0.73)),
    "paper, RANDOM": ((0.63, 0.71, 0.75), (0.66, 0.73, 0.77)),
}
"""F of text, anchor text and links without and with smoothing, by set, in the paper."""
VARIANTS: Final = (BASIC, MERGE, SMOOTH)
"""Variants whose segmentation is compared."""

_INTRO: Final = """\
# Page-level templateness on layouts of a browser

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), sections
5.2 and 6.1. The paper takes positions and areas from a browser; the package estimates them by default.
Everything here is **real**: classifiers are trained on {train:,} pages of {sites} sites, and tested on
{test:,} pages of other sites, with layouts of Chromium (nothing is fetched, no scripts) and with
estimated ones. Only pages that Chromium laid out are used, so that all rows are of the same pages.
{failed} pages could not be laid out. Seed {seed}.
"""
"""Title and introduction in Markdown, with fields for ``str.format``."""


def mean_of(figures: Sequence[GroupFigures], variant: str, measure: int | None) -> float:
    """Average over sets that weigh the same.

    Parameters
    ----------
    figures
        Figures of each set.
    variant
        One of :data:`VARIANTS`.
    measure
        Number of the F-measure; None: the adjusted Rand index of the sections.
    """
    values = [
        each.rand_mean(each.variants[variant])
        if measure is None
        else each.f_mean(each.variants[variant], measure)
        for each in figures
    ]
    return sum(values) / len(values)


def report(
    figures: Mapping[tuple[str, str], Sequence[GroupFigures]],
    trained: Mapping[str, Trained],
    *,
    failed: int,
    train_pages: int,
    seed: int,
) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    figures
        Figures of each set, by the layouts of training and of testing.
    trained
        Classifiers by kind of layouts.
    failed
        Number of pages that could not be laid out.
    train_pages
        Number of pages for training.
    seed
        The seed.
    """
    first = next(iter(figures.values()))
    intro = _INTRO.format(
        train=train_pages,
        sites=next(iter(trained.values())).sites,
        test=sum(len(each.group.pages) for each in first),
        failed=failed,
        seed=seed,
    )
    rows = [
        [name, *(f"{without:.2f} → {with_:.2f}" for without, with_ in zip(*values, strict=True)), "–"]
        for name, values in PAPER.items()
    ]
    for (train, test), of_pair in figures.items():
        cells = [f"{train} / {test}"]
        for place in range(len(MEASURES)):
            without, with_ = (mean_of(of_pair, variant, place) for variant in (BASIC, SMOOTH))
            cells.append(f"{without:.2f} → {with_:.2f}")
        cells.append(" / ".join(f"{mean_of(of_pair, variant, None):.2f}" for variant in VARIANTS))
        rows.append(cells)
    header = ["trained / tested on", *(f"F, {name}" for name in MEASURES), "adjusted Rand index"]
    text = (
        "F of template, without → with smoothing; means over sets. Adjusted Rand index of the sections: "
        f"{' / '.join(VARIANTS)}.\n\n"
    )
    sections = ["## Both kinds of layouts (the paper's table 1)\n\n" + text + markdown_table(header, rows)]
    sections.append("## By set\n\n" + _by_set(figures))
    rows = [
        [kind, str(each.sites), f"{each.nodes:,}", percent(each.template_share)]
        for kind, each in trained.items()
    ]
    sections.append(
        "## What was learnt from\n\n"
        + markdown_table(["layouts", "sites", "nodes", "of these template"], rows)
    )
    return join_sections(intro, "", sections)


def _by_set(figures: Mapping[tuple[str, str], Sequence[GroupFigures]]) -> str:
    rows = []
    for place, each in enumerate(next(iter(figures.values()))):
        for (train, test), of_pair in figures.items():
            of_set = of_pair[place]
            f = [f"{of_set.f_mean(of_set.variants[SMOOTH], measure):.2f}" for measure in range(len(MEASURES))]
            rand = f"{of_set.rand_mean(of_set.variants[SMOOTH]):.2f}"
            rows.append([each.name, str(len(each.group.pages)), f"{train} / {test}", *f, rand])
    header = ["set", "pages", "trained / tested on", *(f"F, {name}" for name in MEASURES), "ARI"]
    return "With smoothing.\n\n" + markdown_table(header, rows)


def to_csv(figures: Mapping[tuple[str, str], Sequence[GroupFigures]]) -> str:
    """Write all means as CSV: one line a pair of layouts, set and variant."""
    rows = [
        [train, test, each.name, variant, *_of_variant(each, variant)]
        for (train, test), of_pair in figures.items()
        for each in of_pair
        for variant in VARIANTS
    ]  # fmt: skip
    return csv_text(
        ["trained", "tested", "set", "variant", *(f"F {name}" for name in MEASURES), "rand"], rows
    )


def _of_variant(each: GroupFigures, variant: str) -> list[float]:
    """Return F of the three measures and the adjusted Rand index of one set."""
    setting = each.variants[variant]
    values = [*(each.f_mean(setting, place) for place in range(len(MEASURES))), each.rand_mean(setting)]
    return [round(value, 5) for value in values]


def as_dict(
    figures: Mapping[tuple[str, str], Sequence[GroupFigures]], trained: Mapping[str, Trained], seed: int
) -> dict[str, Any]:
    """Convert all results to data that JSON can represent."""
    return {
        "seed": seed,
        "trained": {kind: {"sites": each.sites, "nodes": each.nodes} for kind, each in trained.items()},
        "figures": [
            {
                "trained": train,
                "tested": test,
                "pages": {each.name: len(each.group.pages) for each in of_pair},
                "skipped": {each.name: each.group.skipped for each in of_pair},
                "sets": {
                    each.name: {variant: _of_variant(each, variant) for variant in VARIANTS}
                    for each in of_pair
                },
            }
            for (train, test), of_pair in figures.items()
        ],
    }
