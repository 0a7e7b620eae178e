"""Crawl webs made of real pages for topics, with and without knowledge of templates: harvest rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.registry import DETECTORS, detector_class, factory
from detemplate.errors import UserError
from detemplate.report.terminal import step_progress
from lab.focus.crawler import BREADTH_FIRST, ORACLE, PAGE, PAGELET, Strategy, crawl, harvest
from lab.harness.charts import bar_chart
from lab.harness.command import Parser, positive, run
from lab.harness.common import labelled_sites, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.harness.tables import cell, section
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.measure import page_or_none
from lab.labelled.tables import markdown_table
from lab.labelled.words import words
from lab.links.corpus import read_corpus
from lab.links.pages import Pages
from lab.links.plan import plan_world
from lab.links.world import HUB, WorldSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from detemplate.detectors.base import Detector
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page
    from lab.focus.crawler import Scorer
    from lab.links.corpus import Corpus
    from lab.links.world import World

DEPTHS: Final = (25, 50, 100)  # fetched pages at which the harvest rate is measured
HUBS: Final = 10  # pages of links that a crawl starts from: nothing links to them, so none is found later
EXAMPLES: Final = 4
WHOLE_WEB: Final = frozenset({"pagelets"})
"""Methods that learn the whole web together: the paper's templates are shared by hosts of one owner."""
USE: Final = "a focused crawl"
OTHERS: Final = 300
_WORDS: Final = 600  # first words of a text that count
SETTINGS: Final = WorldSettings(topics=8, least_pages=30, most_pages=60)
"""Settings of the webs: fewer and smaller topics than in the experiment on ranking."""
_INTRO: Final = """\
# Focused crawls, with and without knowledge of templates

Bar-Yossef, Rajagopalan: *Template Detection via Data Mining and its Applications* (WWW 2002), section
4, case 2: the distiller is HITS over pagelets, and links in template pagelets "can be assigned a reduced
priority for crawling". The paper has no figures on it. HyperClass, its classifier, is left out.

**Real**: contents and templates of the pages, topics found in them. **Made**: the web
between them, as in the experiment `links`; it is known which pages are relevant to a topic. {crawls}
crawls a strategy ({topics} topics, {webs} webs), each from {examples} relevant pages and {hubs} pages
of links that name one. Harvest rate: share of relevant pages among the first ones fetched after these.
In brackets: 95 % bootstrap interval, resampling topics.
"""
_ABOUT: Final = """\
*page*: links of pages about the topic first (a classifier scores the text). *page + pagelet*: the \
text around the link counts as much. With a method: its template text does not count for the \
classifier, and links lose the template share of their pagelet (`priorities`). *distilled*: HITS \
over what was fetched raises what good hubs link to (case 2, 1.); hubs are pages, or pagelets whose \
template links do not count. *oracle*: links to relevant pages first, which no crawler knows."""
DISTILLED: Final = ", distilled"


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
    compared = [
        (f"{method}: {rank}", rank, f"{rank}, {method}")
        for method in methods
        for rank in (BREADTH_FIRST, PAGE, PAGELET)
    ]
    compared += [
        (f"distiller: {name.removesuffix(DISTILLED)}", name.removesuffix(DISTILLED), name)
        for name in by_name
        if name.endswith(DISTILLED)
    ]
    gains = []
    for label, without, name in compared:
        worse, better = by_name[without], by_name[name]
        differences = {
            crawl: [a - b for a, b in zip(better[crawl], worse[crawl], strict=True)] for crawl in better
        }
        gains.append([label, *(cell(each, "+.0p") for each in _means(differences))])
    depths = [f"{depth} pages" for depth in DEPTHS]
    shown = [[name, *(cell(each, ".0%") for each in of_name)] for name, of_name in rates.items()]
    sections = [
        section("Harvest rate", _ABOUT, markdown_table(["strategy", *depths], shown)),
        section(
            "What knowledge of templates and the distiller add",
            markdown_table(["points gained by", *depths], gains),
        ),
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


def topic_scorer(corpus: Corpus, settings: WorldSettings, topic: int, rng: np.random.Generator) -> Scorer:
    """Learn a topic from its pages that are no authorities, and from pages of other topics and of none."""
    kit = require_sklearn(USE)
    own = corpus.topics[topic].pages
    about = own[max(1, int(settings.authority_share * len(own))) :] or own[-1:]
    rest = [page for number, other in enumerate(corpus.topics) if number != topic for page in other.pages]
    rest += corpus.others
    drawn = [rest[place] for place in rng.permutation(len(rest))[:OTHERS].tolist()]
    vectors = kit.feature_extraction.text.TfidfVectorizer(
        analyzer=lambda text: words(text)[:_WORDS] or [""], sublinear_tf=True
    )
    table = vectors.fit_transform([corpus.pages[page].content for page in (*about, *drawn)])
    model = kit.linear_model.LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000)
    model.fit(table, [1] * len(about) + [0] * len(drawn))

    def scores(texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the probability that each text is about the topic."""
        return model.predict_proba(vectors.transform(texts))[:, 1] if texts else np.zeros(0)

    return scores


class CrawlOutcome(NamedTuple):
    """Results of one crawl: seed of the web, term of the topic, strategy, harvest rates at `DEPTHS`."""

    web: int
    term: str
    strategy: str
    rates: list[float]


class Named(NamedTuple):
    """A strategy by its name: how links are ranked, who knows templates, and whether it distils."""

    name: str
    rank: str
    method: str | None = None
    distil: bool = False


def strategies(methods: Sequence[str]) -> list[Named]:
    """Name the strategies."""
    ranks = (BREADTH_FIRST, PAGE, PAGELET)
    plain = [Named(rank, rank) for rank in ranks]
    knowing = [Named(f"{rank}, {method}", rank, method) for method in methods for rank in ranks]
    distilled = [
        Named(f"{each.name}{DISTILLED}", each.rank, each.method, distil=True)
        for each in (*plain, *knowing)
        if each.rank != BREADTH_FIRST  # its links have no relevance
    ]
    return [*plain, *knowing, *distilled, Named(ORACLE, ORACLE)]


def judge_of(method: str) -> Callable[[Page], Verdict]:
    """Return a function that learns a page and judges it by all pages so far of its host, or of the web."""
    make = factory(method, streaming=True)
    detectors: dict[str, Detector] = {}

    def judge(page: Page) -> Verdict:
        site = "" if method in WHOLE_WEB else page.site
        return detectors.setdefault(site, make()).learn_and_score(page)

    return judge


def start_pages(world: World, topic: int, rng: np.random.Generator) -> list[str]:
    """Draw relevant pages, first those with a template, and pages of links to relevant pages."""
    relevant = world.relevant[topic]
    examples = sorted(relevant, key=lambda number: (world.pages[number].plain, number))
    examples = examples[: max(EXAMPLES, len(examples) // 2)]
    hubs = [
        number
        for number, page in enumerate(world.pages)
        if page.kind == HUB and any(link.target in relevant for block in page.blocks for link in block.links)
    ]
    drawn = [examples[place] for place in rng.permutation(len(examples))[:EXAMPLES].tolist()]
    drawn += [hubs[place] for place in rng.permutation(len(hubs))[:HUBS].tolist()]
    return [world.pages[number].url for number in drawn]


def measure_web(
    corpus: Corpus,
    settings: WorldSettings,
    seed: int,
    methods: Sequence[str],
    show: Callable[[str], object] = lambda _: None,
) -> list[CrawlOutcome]:
    """Make a web, and crawl it for each topic with each strategy; equal arguments give equal results."""
    world = plan_world(corpus, settings, seed)
    pages = {page.url: page for page in world.pages}
    source = Pages(corpus, world)
    rng = np.random.default_rng(seed)

    def fetch(url: str) -> Page | None:
        return page_or_none(url, source.html(pages[url])) if url in pages else None

    outcomes = []
    for topic, about in enumerate(corpus.topics):
        seeds = start_pages(world, topic, rng)
        scorer = topic_scorer(corpus, settings, topic, rng)
        relevant = {world.pages[number].url for number in world.relevant[topic]}
        for name, rank, method, distil in strategies(methods) if seeds else ():
            strategy = Strategy(rank, judge_of(method) if method else None, distil)
            fetched = crawl(fetch, seeds, strategy, scorer, relevant, budget=len(seeds) + DEPTHS[-1])
            rates = harvest(fetched[len(seeds) :], relevant, DEPTHS)
            outcomes.append(CrawlOutcome(seed, about.term, name, rates))
        show(f"web {seed}: {about.term}")
    return outcomes


EXPERIMENT: Final = Experiment("focus", __doc__, options, measure, "--methods pagelets --out results/")
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
