"""The report on clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lab.harness.reporting import csv_text, join_sections, percent
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.classification.problems import ClassPage
    from lab.clustering.runs import Agreement

_INTRO: Final = """\
# Clusters of pages, with and without templates

The papers name clustering as a use of clean pages, without figures. **Real**: `webkb` (page types of
several universities) and sites whose pages have a type or category. **Made**: contents of several
sites, the classes, in templates of others. k-means on tf-idf, as many clusters as classes; means over
{seeds} starts. Purity: share of the pages whose class is the most frequent one of their cluster. ARI:
adjusted Rand index, 0 for chance. *Sites*: the same index of clusters and sites; a high one means that
clusters follow templates. Seed {seed}.
"""
"""Title and introduction in Markdown, with fields for ``str.format``."""


def report(
    groups: Mapping[str, Sequence[ClassPage]],
    outcomes: Mapping[str, Mapping[str, Agreement]],
    *,
    seeds: int,
    seed: int,
) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    groups
        Pages of each group.
    outcomes
        Agreement: group → method.
    seeds, seed
        Starts of k-means, and the first seed.
    """
    rows = []
    names = list(next(iter(outcomes.values())))
    for name in names:
        mean_purity, mean_rand = (
            float(np.mean([getattr(of_group[name], field) for of_group in outcomes.values()]))
            for field in ("purity", "rand")
        )
        rows.append([name, percent(mean_purity), f"{mean_rand:.3f}"])
    sections = ["## Means over the groups\n\n" + markdown_table(["method", "purity", "ARI"], rows)]
    for group, pages in groups.items():
        sizes = f"{len(pages):,} pages, {len({page.label for page in pages})} classes, "
        sizes += f"{len({page.site for page in pages})} sites"
        several = len({page.site for page in pages}) > 1
        rows = [
            [name, percent(each.purity), f"{each.rand:.3f}", *([f"{each.sites:.3f}"] if several else [])]
            for name, each in outcomes[group].items()
        ]
        header = ["method", "purity", "ARI", *(["ARI with sites"] if several else [])]
        sections.append(f"## {group}\n\n{sizes}.\n\n" + markdown_table(header, rows).replace("-0.", "−0."))
    return join_sections(_INTRO.format(seeds=seeds, seed=seed), "", sections)


def to_csv(outcomes: Mapping[str, Mapping[str, Agreement]]) -> str:
    """Write all figures as CSV: one line a group and method."""
    rows = [[group, name, *each] for group, of_group in outcomes.items() for name, each in of_group.items()]
    return csv_text(["group", "method", "purity", "rand", "sites"], rows)


def as_dict(
    groups: Mapping[str, Sequence[ClassPage]],
    outcomes: Mapping[str, Mapping[str, Agreement]],
    *,
    seeds: int,
    seed: int,
) -> dict[str, Any]:
    """Convert all results to data that JSON can represent; None for NaN."""
    return {
        "seed": seed,
        "seeds": seeds,
        "groups": {
            group: {
                "pages": len(pages),
                "methods": {
                    name: [None if np.isnan(value) else round(value, 5) for value in each]
                    for name, each in outcomes[group].items()
                },
            }
            for group, pages in groups.items()
        },
    }
