"""One made web measured: the base set of each topic, ranked by the six configurations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.links.baseset import base_set
from detemplate.links.crawl import Crawl
from detemplate.links.ranking import CONFIGURATIONS, rank, template_share
from lab.links.pages import write_world
from lab.links.plan import plan_world
from lab.links.world import AUTHORITY, BEST

if TYPE_CHECKING:
    from lab.links.corpus import Corpus
    from lab.links.world import World, WorldSettings

DEPTHS: Final = (10, 20, 30, 40, 50)  # values of N for precision@N, as in the paper
SISTER: Final = "sister site"  # kind of a wrong result: an authority on another topic, on a host of a network
ANOTHER: Final = "another topic"  # kind of a wrong result: an authority on another topic, on any other host


class Result(NamedTuple):
    """Results of one configuration for one topic."""

    precision: tuple[float, ...]  # Precision@N for each of `DEPTHS`. A missing result counts as not relevant
    overlap: float  # share of the topic's best pages that are among the first 50 results
    results: int  # number of results, at most 50
    wrong: dict[str, int]  # numbers of results that are not relevant, by kind of page


class TopicOutcome(NamedTuple):
    """A topic in one web: its base set, and the results of each configuration."""

    term: str
    seed: int
    base: int
    relevant: int  # number of relevant pages in the base set
    template_share: float  # share of the base set's pages that hold a template pagelet
    results: dict[str, Result]


@dataclass(frozen=True, slots=True)
class WorldOutcome:
    """Results of one made web."""

    settings: WorldSettings
    seed: int
    counts: dict[str, int]  # numbers of pages by kind, and of `hosts`, `sister sites` and `networks`
    topics: list[TopicOutcome]


def measure_world(corpus: Corpus, settings: WorldSettings, seed: int) -> WorldOutcome:
    """Make a web, write its tables, and rank each topic's base set."""
    world = plan_world(corpus, settings, seed)
    numbers = {page.url: number for number, page in enumerate(world.pages)}
    sisters = sister_hosts(world)
    topics = []
    with TemporaryDirectory(prefix="detemplate-") as folder:
        path = Path(folder) / "crawl"
        write_world(corpus, world, path)
        with Crawl.open(path, memory="1GB") as crawl:
            for number, topic in enumerate(corpus.topics):
                base = base_set(crawl, f'"{topic.term}"')
                relevant, best = world.relevant[number], frozenset(world.best[number])
                results = {}
                for name in CONFIGURATIONS:
                    ranking = rank(base, name, top=DEPTHS[-1]).authorities
                    pages = [numbers[authority.url] for authority in ranking]
                    correct = [page in relevant for page in pages]
                    precision = tuple(sum(correct[:depth]) / depth for depth in DEPTHS)
                    wrong = Counter(_kind(world, page, sisters) for page in pages if page not in relevant)
                    overlap = len(best.intersection(pages[:BEST])) / max(1, len(best))
                    by_kind = dict(sorted(wrong.items()))
                    results[name] = Result(precision, overlap, len(pages), by_kind)
                in_base = sum(numbers[url] in relevant for url in base.urls)
                share = template_share(base)
                topics.append(TopicOutcome(topic.term, seed, len(base), in_base, share, results))
    counts = Counter(page.kind for page in world.pages)
    counts["hosts"] = len({page.host for page in world.pages})
    counts["sister sites"], counts["networks"] = len(sisters), len(world.networks)
    return WorldOutcome(settings, seed, dict(sorted(counts.items())), topics)


def sister_hosts(world: World) -> frozenset[str]:
    """Return the hosts that belong to networks."""
    return frozenset(world.pages[home].host for homes in world.networks for home in homes)


def _kind(world: World, page: int, sisters: frozenset[str]) -> str:
    """Return the kind of a page that is not relevant."""
    planned = world.pages[page]
    if planned.kind != AUTHORITY:
        return planned.kind
    return SISTER if planned.host in sisters else ANOTHER
