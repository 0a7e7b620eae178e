"""Crawl webs made of real pages for topics, with and without knowledge of templates: harvest rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import UserError
from detemplate.report.progress import step_progress
from lab.focus.crawler import BREADTH_FIRST, PAGE, PAGELET
from lab.focus.webs import DEPTHS, EXAMPLES, HUBS, USE, measure_web
from lab.harness.charts import bar_chart
from lab.harness.command import Parser, positive, run
from lab.harness.common import labelled_sites, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.harness.tables import cell, section
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.tables import markdown_table
from lab.links.corpus import read_corpus
from lab.links.world import WorldSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from lab.focus.webs import CrawlOutcome

SETTINGS: Final = WorldSettings(topics=8, least_pages=30, most_pages=60)
"""Settings of the webs: fewer and smaller topics than in the experiment on ranking."""
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


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=100, methods="pagelets,auto")
    parser.add_argument("--webs", type=positive, default=1, metavar="N", help="number of webs (default: 1)")
    parser.set_defaults(settings=SETTINGS)


def measure(chosen: Namespace) -> Report:
    """Make webs and crawl them for topics by each strategy."""
    require_sklearn(USE)
    methods = list(dict.fromkeys(chosen.methods))
    for method in methods:
        if not detector_class(method).streams:
            able = ", ".join(name for name, kind in DETECTORS.items() if kind.streams)
            raise UserError(f"method {method} cannot clean a stream, as a crawl is one (choose from {able})")
    settings = chosen.settings
    corpus = read_corpus(
        labelled_sites(chosen.names, chosen.data), topics=settings.topics, min_pages=settings.least_pages,
        max_pages=settings.most_pages, pages_a_site=chosen.pages,
    )  # fmt: skip
    outcomes = []
    with step_progress(chosen.webs * len(corpus.topics)) as step:
        for web in range(chosen.seed, chosen.seed + chosen.webs):
            outcomes += measure_web(corpus, settings, web, methods, step)
    return report(outcomes, methods, chosen.seed)


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


EXPERIMENT: Final = Experiment("focus", __doc__, options, measure, "--methods pagelets --out results/")
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
