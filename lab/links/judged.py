"""Ranking a crawl of one's own for judged queries: precision at N of the six configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.links.baseset import base_set
from detemplate.links.crawl import Crawl
from detemplate.links.ranking import CONFIGURATIONS, rank, template_share
from lab.harness.charts import panel_grid
from lab.harness.experiment import Report
from lab.harness.tables import cell, section
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lab.harness.trec import Judged

DEPTHS: Final = (10, 20, 30, 40, 50)
_INTRO: Final = """\
# Ranking by links, with and without templates: {crawl}

Bar-Yossef, Rajagopalan: *Template Detection via Data Mining and its Applications* (WWW 2002), section 5, on
a crawl and judgements of one's own: {queries} queries. Precision at N is out of N: a missing result counts as
wrong. In brackets: 95 % bootstrap interval, resampling queries.
"""


def judged_report(path: Path, judged: Judged, show: Callable[[str], object]) -> Report:
    """Rank a crawl (tables of ``detemplate tables``) for each query; relevant documents are named by URL."""
    rows: list[dict[str, Any]] = []
    with Crawl.open(str(path)) as crawl:
        for number, (query, relevant) in judged.items():
            base = base_set(crawl, query)
            share = template_share(base)
            for name in CONFIGURATIONS:
                ranked = [page.url for page in rank(base, name, top=DEPTHS[-1]).authorities]
                hits = np.cumsum([url in relevant for url in ranked] + [False] * DEPTHS[-1])
                precision = {f"precision@{depth}": int(hits[depth - 1]) / depth for depth in DEPTHS}
                rows.append({
                    "query": number, "words": query, "relevant": len(relevant), "pages": len(base),
                    "with template": share, "configuration": name, **precision,
                })  # fmt: skip
            show(query)
    means = {
        name: [
            bootstrap_mean([row[f"precision@{depth}"] for row in rows if row["configuration"] == name])
            for depth in DEPTHS
        ]
        for name in CONFIGURATIONS
    }
    shown = [[name, *(cell(each, ".0%") for each in of_name)] for name, of_name in means.items()]
    table = markdown_table(["configuration", *(f"N = {depth}" for depth in DEPTHS)], shown)
    figure, (axes,) = panel_grid(1, 1, (6.4, 3.6))
    for name, of_name in means.items():
        axes.plot(DEPTHS, [each.mean for each in of_name], marker="o", label=name)
    axes.set_xlabel("N")
    axes.set_ylabel("precision at N")
    axes.legend(fontsize=7, frameon=False)
    intro = _INTRO.format(crawl=path.name, queries=len(judged))
    return Report(
        intro, [section("Precision at N (the paper's figure 6)", table)], rows, {"precision": figure}
    )
