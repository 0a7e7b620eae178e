"""Focused crawls on a made web, one for each topic and strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.registry import factory
from lab.focus.crawler import BREADTH_FIRST, ORACLE, PAGE, PAGELET, Strategy, crawl, harvest
from lab.harness.common import require_sklearn
from lab.labelled.measure import page_or_none
from lab.labelled.words import words
from lab.links.pages import Pages
from lab.links.plan import plan_world
from lab.links.world import HUB

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from detemplate.detectors.base import Detector
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page
    from lab.links.corpus import Corpus
    from lab.links.world import World, WorldSettings

DEPTHS: Final = (25, 50, 100)
"""Fetched pages at which the harvest rate is measured."""
HUBS: Final = 10
"""Pages of links that a crawl starts from: nothing links to them, so none is found later."""
EXAMPLES: Final = 4
WHOLE_WEB: Final = frozenset({"pagelets"})
"""Methods that learn the whole web together: the paper's templates are shared by hosts of one owner."""
USE: Final = "a focused crawl"
OTHERS: Final = 300
_WORDS: Final = 600
"""First words of a text that count."""


class TopicClassifier:
    """Tells how much texts are about a topic, learned from texts about it and from others."""

    def __init__(self, about: Sequence[str], others: Sequence[str]) -> None:
        kit = require_sklearn(USE)
        self._vectors = kit.feature_extraction.text.TfidfVectorizer(
            analyzer=lambda text: words(text)[:_WORDS] or [""], sublinear_tf=True
        )
        labels = [1] * len(about) + [0] * len(others)
        table = self._vectors.fit_transform([*about, *others])
        model = kit.linear_model.LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000)
        self._model = model.fit(table, labels)

    def scores(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the probability that each text is about the topic."""
        if not texts:
            return np.zeros(0)
        found: npt.NDArray[np.float64] = self._model.predict_proba(self._vectors.transform(texts))[:, 1]
        return found


def topic_classifier(
    corpus: Corpus, settings: WorldSettings, topic: int, rng: np.random.Generator
) -> TopicClassifier:
    """Learn a topic from its pages that are no authorities, and from pages of other topics and of none."""
    own = corpus.topics[topic].pages
    authorities = max(1, int(settings.authority_share * len(own)))
    about = own[authorities:] or own[-1:]
    rest = [page for number, other in enumerate(corpus.topics) if number != topic for page in other.pages]
    rest += corpus.others
    drawn = [rest[place] for place in rng.permutation(len(rest))[:OTHERS].tolist()]
    return TopicClassifier(
        [corpus.pages[page].content for page in about], [corpus.pages[page].content for page in drawn]
    )


class CrawlOutcome(NamedTuple):
    """Results of one crawl: seed of the web, term of the topic, strategy, harvest rates at `DEPTHS`."""

    web: int
    term: str
    strategy: str
    rates: list[float]


def strategies(methods: Sequence[str]) -> list[tuple[str, str, str | None]]:
    """Name the strategies: name, how links are ranked, and the method that knows templates."""
    ranks = (BREADTH_FIRST, PAGE, PAGELET)
    knowing = [(f"{rank}, {method}", rank, method) for method in methods for rank in ranks]
    return [*((rank, rank, None) for rank in ranks), *knowing, (ORACLE, ORACLE, None)]


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
        scorer = topic_classifier(corpus, settings, topic, rng)
        relevant = {world.pages[number].url for number in world.relevant[topic]}
        for name, rank, method in strategies(methods) if seeds else ():
            strategy = Strategy(rank, judge_of(method) if method else None)
            fetched = crawl(fetch, seeds, strategy, scorer, relevant, budget=len(seeds) + DEPTHS[-1])
            rates = harvest(fetched[len(seeds) :], relevant, DEPTHS)
            outcomes.append(CrawlOutcome(seed, about.term, name, rates))
        show(f"web {seed}: {about.term}")
    return outcomes
