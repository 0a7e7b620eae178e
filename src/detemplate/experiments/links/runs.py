"""One made web measured: every topic's base set, ranked by the six configurations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.experiments.links.pages import write_world
from detemplate.experiments.links.plan import plan_world
from detemplate.experiments.links.world import AUTHORITY, BEST
from detemplate.links.baseset import base_set
from detemplate.links.configurations import CONFIGURATIONS
from detemplate.links.crawl import Crawl
from detemplate.links.ranking import rank
from detemplate.links.templatepagelets import template_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.experiments.links.corpus import Corpus
    from detemplate.experiments.links.world import World, WorldSettings

DEPTHS: Final = (10, 20, 30, 40, 50)
"""The paper's N of precision@N."""

SISTER, ANOTHER = "sister site", "another topic"
"""What a result that is not relevant can be, beside a page's kinds: of a host in a network, with another
topic; of any other host with another topic."""


class Result(NamedTuple):
    """What one configuration gives for one topic.

    Attributes
    ----------
    precision
        For each of :data:`DEPTHS`, the share of so many results that are relevant. A result that is
        missing is not relevant.
    overlap
        Of the topic's best pages, the share that is among the first 50 results.
    results
        Results there are, 50 at most.
    wrong
        The others among them by what they are.
    """

    precision: tuple[float, ...]
    overlap: float
    results: int
    wrong: dict[str, int]


class TopicOutcome(NamedTuple):
    """A topic in one web: its base set, and what each configuration gives."""

    term: str
    seed: int
    base: int
    """Pages of the base set."""
    relevant: int
    """Relevant pages in it."""
    template_share: float
    """Share of its pages that hold a template pagelet."""
    results: dict[str, Result]


@dataclass(frozen=True, slots=True)
class WorldOutcome:
    """One made web.

    Attributes
    ----------
    settings, seed
        What it was made of.
    counts
        Pages by kind, and ``hosts``, ``sister sites``, ``networks``.
    topics
        A figure set a topic.
    """

    settings: WorldSettings
    seed: int
    counts: dict[str, int]
    topics: list[TopicOutcome]


def precision(relevant: Sequence[bool], depths: Sequence[int] = DEPTHS) -> tuple[float, ...]:
    """Give precision@N: of the first N results the share that is relevant, out of N.

    Parameters
    ----------
    relevant
        Whether each result is, best first.
    depths
        The N.
    """
    return tuple(sum(relevant[:depth]) / depth for depth in depths)


def measure_world(corpus: Corpus, settings: WorldSettings, seed: int) -> WorldOutcome:
    """Make a web, write its tables, and rank each topic's base set.

    Parameters
    ----------
    corpus
        Real pages and topics.
    settings, seed
        What the web is like.

    Returns
    -------
    WorldOutcome
        The same for the same arguments.

    Raises
    ------
    UserError
        There is no room for the tables.
    MissingExtra
        DuckDB or SciPy is not installed.
    """
    world = plan_world(corpus, settings, seed)
    numbers = {page.url: number for number, page in enumerate(world.pages)}
    sisters = sister_hosts(world)
    topics = []
    with TemporaryDirectory(prefix="detemplate-") as folder:
        path = Path(folder) / "crawl.duckdb"
        write_world(corpus, world, path)
        with Crawl.open(path, memory="1GB") as crawl:
            for number, topic in enumerate(corpus.topics):
                base = base_set(crawl, f'"{topic.term}"')
                relevant, best = world.relevant[number], frozenset(world.best[number])
                results = {}
                for name in CONFIGURATIONS:
                    pages = [numbers[found.url] for found in rank(base, name, top=DEPTHS[-1]).authorities]
                    good = [page in relevant for page in pages]
                    wrong = Counter(_what(world, page, sisters) for page in pages if page not in relevant)
                    overlap = len(best.intersection(pages[:BEST])) / max(1, len(best))
                    results[name] = Result(precision(good), overlap, len(pages), dict(sorted(wrong.items())))
                there = sum(numbers[url] in relevant for url in base.urls)
                topics.append(TopicOutcome(topic.term, seed, len(base), there, template_share(base), results))
    counts = Counter(page.kind for page in world.pages)
    counts["hosts"] = len({page.host for page in world.pages})
    counts["sister sites"], counts["networks"] = len(sisters), len(world.networks)
    return WorldOutcome(settings, seed, dict(sorted(counts.items())), topics)


def sister_hosts(world: World) -> frozenset[str]:
    """Give the hosts that belong to networks."""
    return frozenset(world.pages[home].host for homes in world.networks for home in homes)


def _what(world: World, page: int, sisters: frozenset[str]) -> str:
    planned = world.pages[page]
    if planned.kind != AUTHORITY:
        return planned.kind
    return SISTER if planned.host in sisters else ANOTHER


def column(
    outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None
) -> tuple[list[float], list[str]]:
    """Give one figure of all topics in all webs, and the topic of each, for a bootstrap over topics.

    Parameters
    ----------
    outcomes
        What was measured.
    configuration
        Its name.
    depth
        One of :data:`DEPTHS`: precision@depth; None: the overlap with the best pages.
    """
    topics = [topic for outcome in outcomes for topic in outcome.topics]
    found = [topic.results[configuration] for topic in topics]
    place = None if depth is None else DEPTHS.index(depth)
    values = [each.overlap if place is None else each.precision[place] for each in found]
    return values, [topic.term for topic in topics]


def mean_template_share(outcomes: Sequence[WorldOutcome]) -> dict[str, float]:
    """Give for each topic the mean share of its base sets' pages that hold a template pagelet."""
    shares: dict[str, list[float]] = {}
    for topic in (topic for outcome in outcomes for topic in outcome.topics):
        shares.setdefault(topic.term, []).append(topic.template_share)
    return {term: float(np.mean(values)) for term, values in shares.items()}
