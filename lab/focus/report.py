"""The report on focused crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lab.focus.crawler import BREADTH_FIRST, PAGE, PAGELET
from lab.focus.runs import DEPTHS, EXAMPLES, HUBS
from lab.harness.reporting import csv_text, join_sections, percent_interval
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.focus.runs import CrawlOutcome
    from lab.labelled.bootstrap import Estimate

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
"""Title and introduction in Markdown, with fields for ``str.format``."""


def names_of(outcomes: Sequence[CrawlOutcome]) -> list[str]:
    """Return the names of the strategies, in their order."""
    return list(dict.fromkeys(outcome.strategy for outcome in outcomes))


def estimate(outcomes: Sequence[CrawlOutcome], strategy: str, place: int) -> Estimate:
    """Average a strategy's harvest rate at one of `DEPTHS`, by its place, over all crawls."""
    own = [outcome for outcome in outcomes if outcome.strategy == strategy]
    return bootstrap_mean([outcome.rates[place] for outcome in own], [outcome.term for outcome in own])


def gain(outcomes: Sequence[CrawlOutcome], better: str, worse: str, place: int) -> Estimate:
    """Average how much greater one strategy's harvest rate is than another's in the same crawls."""
    one, two = (
        {
            (outcome.web, outcome.term): outcome.rates[place]
            for outcome in outcomes
            if outcome.strategy == name
        }
        for name in (better, worse)
    )
    return bootstrap_mean([one[key] - two[key] for key in one], [term for _, term in one])


def report(outcomes: Sequence[CrawlOutcome], methods: Sequence[str]) -> str:
    """Write the report as Markdown; `methods` are those that know templates."""
    names = names_of(outcomes)
    intro = _INTRO.format(
        crawls=len(outcomes) // len(names),
        topics=len({outcome.term for outcome in outcomes}),
        webs=len({outcome.web for outcome in outcomes}),
        examples=EXAMPLES,
        hubs=HUBS,
    )
    rows = [
        [name, *(percent_interval(estimate(outcomes, name, place), 0) for place in range(len(DEPTHS)))]
        for name in names
    ]
    table = markdown_table(["strategy", *(f"{depth} pages" for depth in DEPTHS)], rows)
    text = (
        "*page*: links of pages about the topic first (a classifier scores the text). *page + pagelet*: the "
        "text around the link counts as much. With a method: its template text does not count for the "
        "classifier, and links lose the template share of their pagelet (`link_priorities`). *oracle*: links "
        "to relevant pages first, which no crawler knows.\n\n"
    )
    gains = []
    for method in methods:
        for rank in (BREADTH_FIRST, PAGE, PAGELET):
            points = [gain(outcomes, f"{rank}, {method}", rank, place) for place in range(len(DEPTHS))]
            cells = [
                f"{100 * each.mean:+.0f} [{100 * each.low:+.0f}, {100 * each.high:+.0f}]" for each in points
            ]
            gains.append([f"{method}: {rank}", *(cell.replace("-", "−") for cell in cells)])
    header = ["points gained by", *(f"{depth} pages" for depth in DEPTHS)]
    return join_sections(
        intro,
        "",
        [
            "## Harvest rate\n\n" + text + table,
            "## What knowledge of templates adds\n\n" + markdown_table(header, gains),
        ],
    )


def to_csv(outcomes: Sequence[CrawlOutcome]) -> str:
    """Write all harvest rates as CSV: one line a crawl."""
    rows = [[each.web, each.term, each.strategy, *each.rates] for each in outcomes]
    return csv_text(["web", "topic", "strategy", *(f"harvest@{depth}" for depth in DEPTHS)], rows)


def as_dict(outcomes: Sequence[CrawlOutcome], seed: int) -> dict[str, Any]:
    """Convert all results to data that JSON can represent."""
    return {"seed": seed, "depths": DEPTHS, "crawls": [outcome._asdict() for outcome in outcomes]}
