"""The report on focused crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lab.focus.crawler import BREADTH_FIRST, PAGE, PAGELET
from lab.focus.webs import DEPTHS, EXAMPLES, HUBS
from lab.harness.charts import bar_chart
from lab.harness.experiment import Report
from lab.harness.tables import cell, section
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.focus.webs import CrawlOutcome

_INTRO: Final = """\
# Focused crawls, with and without knowledge of templates

Bar-Yossef, Rajagopalan: *Template Detection via Data Mining and its Applications* (WWW 2002), section
4, case 2: links in template pagelets "can be assigned a reduced priority for crawling". The paper has
no figures on it. **Real**: contents and templates of the pages, topics found in them. **Made**: the web
between them, as in the experiment `links`; it is known which pages are relevant to a topic. {crawls}
crawls a strategy ({topics} topics, {webs} webs), each from {examples} relevant pages and {hubs} pages
of links that name one. Harvest rate: share of relevant pages among the first ones fetched after these.
In brackets: 95 % bootstrap interval, resampling topics.
"""
_ABOUT: Final = """\
*page*: links of pages about the topic first (a classifier scores the text). *page + pagelet*: the \
text around the link counts as much. With a method: its template text does not count for the \
classifier, and links lose the template share of their pagelet (`link_priorities`). *oracle*: links \
to relevant pages first, which no crawler knows."""


def report(outcomes: Sequence[CrawlOutcome], methods: Sequence[str], seed: int) -> Report:
    """Report the harvest rates of all crawls; `methods` are those that know templates."""
    by_name: dict[str, dict[tuple[int, str], list[float]]] = {}
    for outcome in outcomes:
        by_name.setdefault(outcome.strategy, {})[outcome.web, outcome.term] = outcome.rates
    rates = {name: _means(of_name) for name, of_name in by_name.items()}
    gains = []
    for method in methods:
        for rank in (BREADTH_FIRST, PAGE, PAGELET):
            worse, better = by_name[rank], by_name[f"{rank}, {method}"]
            differences = {
                crawl: [a - b for a, b in zip(better[crawl], worse[crawl], strict=True)] for crawl in better
            }
            gains.append([f"{method}: {rank}", *(cell(each, "+.0p") for each in _means(differences))])
    depths = [f"{depth} pages" for depth in DEPTHS]
    shown = [[name, *(cell(each, ".0%") for each in of_name)] for name, of_name in rates.items()]
    sections = [
        section("Harvest rate", _ABOUT, markdown_table(["strategy", *depths], shown)),
        section("What knowledge of templates adds", markdown_table(["points gained by", *depths], gains)),
    ]
    rows = [
        {"web": each.web, "topic": each.term, "strategy": each.strategy}
        | {f"harvest@{depth}": rate for depth, rate in zip(DEPTHS, each.rates, strict=True)}
        for each in outcomes
    ]
    series = {
        label: {name: of_name[place].mean for name, of_name in rates.items()}
        for place, label in enumerate(depths)
    }
    chart = bar_chart(series, "harvest rate", (7.4, 0.5 * len(rates) + 1.2), limit=1.02)
    intro = _INTRO.format(
        crawls=len(outcomes) // len(by_name),
        topics=len({each.term for each in outcomes}),
        webs=len({each.web for each in outcomes}),
        examples=EXAMPLES,
        hubs=HUBS,
    )
    return Report(intro, sections, rows, {"harvest": chart}, {"seed": seed, "depths": DEPTHS})


def _means(rates: dict[tuple[int, str], list[float]]) -> list[Estimate]:
    """Average over crawls, given by web and topic, at each depth; the intervals resample topics."""
    terms = [term for _, term in rates]
    return [bootstrap_mean(of_depth, terms) for of_depth in zip(*rates.values(), strict=True)]
