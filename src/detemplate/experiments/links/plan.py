"""The plan of a made web: who has which pages, and who links to whom, drawn at random from its settings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from detemplate.experiments.links.world import (
    ARTICLE,
    AUTHORITY,
    BEST,
    GENERAL,
    HUB,
    PORTAL,
    Block,
    Link,
    World,
    WorldPage,
)
from detemplate.page.links import canonical_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.experiments.links.corpus import Corpus
    from detemplate.experiments.links.world import WorldSettings


def plan_world(corpus: Corpus, settings: WorldSettings, seed: int) -> World:
    """Make a web.

    Parameters
    ----------
    corpus
        The real pages and topics.
    settings
        What it is like.
    seed
        Another seed, another web of the same kind; the same seed, the same web.

    Returns
    -------
    World
        The plan; :mod:`detemplate.experiments.links.pages` makes the pages.
    """
    maker = _Maker(corpus, settings, np.random.default_rng(seed))
    maker.topical_hosts()
    maker.general_hosts()
    maker.templates()
    maker.hubs()
    maker.articles()
    maker.texts()
    maker.mirrors()
    return maker.world()


class _Maker:
    """A web in the making."""

    def __init__(self, corpus: Corpus, settings: WorldSettings, rng: np.random.Generator) -> None:
        self.corpus, self.settings, self.rng = corpus, settings, rng
        self.pages: list[WorldPage] = []
        self.networks: list[list[int]] = []
        self.hosts: list[list[list[int]]] = [[] for _ in corpus.topics]  # a host: its pages, home first
        self.general: list[int] = []
        self.cited: list[Counter[int]] = [Counter() for _ in corpus.topics]
        count = len(corpus.topics)
        self.topic_weights = _zipf(count, settings.topic_popularity)[rng.permutation(count)]
        self.spare = list(corpus.others)
        rng.shuffle(self.spare)
        # Hosts' names say nothing: equal scores are ordered by URL.
        self.names = iter(rng.permutation(10 * len(corpus.pages)).tolist())

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def host_name(self) -> str:
        return f"h{next(self.names):06}.example"

    def add(self, host: str, kind: str, path: str = "/", *, topic: int = -1, real: int = -1) -> int:
        url = canonical_url(f"http://{host}{path}") or f"http://{host}/{real}"
        self.pages.append(WorldPage(url, host, kind, topic, real))
        return len(self.pages) - 1

    def add_host(self, kind: str, reals: Sequence[int], topic: int, *, plain: bool) -> list[int]:
        """Add the pages of one host: the first is its home page, the others keep their paths."""
        host, used, made = self.host_name(), {"/"}, []
        for place, real in enumerate(reals):
            path = "/" if not place else self.corpus.pages[real].path
            if place and path in used:
                path = f"/page{real}.html"
            used.add(path)
            made.append(self.add(host, kind, path, topic=topic, real=real))
            self.pages[made[-1]].plain = plain
        return made

    def topical_hosts(self) -> None:
        """Share each topic's authorities among hosts; a host's pages are of one real site."""
        settings = self.settings
        for number, topic in enumerate(self.corpus.topics):
            sites: dict[str, list[int]] = {}
            for page in topic.pages[: _authorities(settings, len(topic.pages))]:
                sites.setdefault(self.corpus.pages[page].site, []).append(page)
            for pages in sites.values():
                self.rng.shuffle(pages)
                while pages:
                    size = min(int(self.rng.pareto(settings.host_exponent)) + 1, settings.host_pages)
                    chosen = [pages.pop() for _ in range(min(size, len(pages)))]
                    plain = len(chosen) == 1 or self.chance(settings.plain)
                    self.hosts[number].append(self.add_host(AUTHORITY, chosen, number, plain=plain))
            self.rng.shuffle(self.hosts[number])  # the order is that of popularity
        self.weights = [_zipf(len(hosts), settings.popularity) for hosts in self.hosts]

    def general_hosts(self) -> None:
        """Make hosts without a topic of pages without one, in the order of popularity."""
        sites: dict[str, list[int]] = {}
        for page in self.spare:
            sites.setdefault(self.corpus.pages[page].site, []).append(page)
        names = sorted(sites)
        taken: set[int] = set()
        for _ in range(self.settings.general_hosts):
            mine = sites[names[int(self.rng.integers(len(names)))]]
            size = int(self.rng.integers(1, self.settings.general_pages, endpoint=True))
            if chosen := [mine.pop() for _ in range(min(len(mine), size))]:
                taken.update(chosen)
                self.general.append(self.add_host(GENERAL, chosen, -1, plain=False)[0])
        self.spare = [page for page in self.spare if page not in taken]
        self.general_weights = _zipf(len(self.general), 1.0)

    def templates(self) -> None:
        """Give hosts with a template what their owners put there."""
        settings, rng = self.settings, self.rng
        dressed = [host for hosts in self.hosts for host in hosts if not self.pages[host[0]].plain]
        homes = [host[0] for host in dressed]
        order = rng.permutation(len(dressed)).tolist()
        sisters = order[: round(settings.networks * len(order))]
        owners = [[dressed[number]] for number in order[len(sisters) :]]
        while sisters:
            size = int(rng.integers(settings.network_hosts[0], settings.network_hosts[1], endpoint=True))
            different = {self.pages[homes[number]].topic: number for number in reversed(sisters)}
            chosen = [number for number in sisters if number in different.values()][:size]
            if len(chosen) < settings.network_hosts[0]:
                break
            sisters = [number for number in sisters if number not in chosen]
            owners.append(self.network([dressed[number] for number in chosen]))
        owners += [[dressed[number]] for number in sisters]  # too few for another network
        for owner in owners:
            everywhere: list[Block] = []
            if self.chance(settings.partners):
                everywhere.append(Block("partners", self.business(homes, int(rng.integers(3, 7)))))
            pool = self.business(homes, 6) if self.chance(settings.adverts) else ()
            for page in (page for host in owner for page in host):
                self.pages[page].blocks += everywhere
                if pool:
                    shown = sorted(rng.choice(len(pool), 3, replace=False).tolist())
                    self.pages[page].blocks.append(Block("adverts", tuple(pool[n] for n in shown)))

    def network(self, hosts: list[list[int]]) -> list[list[int]]:
        """Make hosts sisters: one bar on all of their pages, and a home for them all."""
        number = len(self.networks)
        portal = self.add(f"www.{self.host_name()}", PORTAL)
        links = tuple(Link(host[0], self.term(host[0])) for host in hosts)
        bar = Block("bar", (Link(portal, "Home"), *links), f"Network {number + 1}")
        self.pages[portal].blocks.append(bar)
        for page in (page for host in hosts for page in host):
            self.pages[page].blocks.append(bar)
        self.networks.append([host[0] for host in hosts])
        return [*hosts, [portal]]

    def business(self, homes: list[int], count: int) -> tuple[Link, ...]:
        """Draw pages that somebody links to for other reasons than their worth."""
        targets = [
            self.some_general() if self.chance(self.settings.general_aim) else int(self.rng.choice(homes))
            for _ in range(count)
        ]
        return tuple(Link(target) for target in dict.fromkeys(targets))

    def term(self, page: int) -> str:
        return self.corpus.topics[self.pages[page].topic].term

    def some_general(self) -> int:
        return self.general[int(self.rng.choice(len(self.general), p=self.general_weights))]

    def some_topic(self) -> int:
        return int(self.rng.choice(len(self.topic_weights), p=self.topic_weights))

    def authorities(self, topic: int, count: int) -> list[int]:
        """Draw different pages that are worth citing."""
        hosts, found = self.hosts[topic], []
        drawn = self.rng.choice(len(hosts), min(count, len(hosts)), replace=False, p=self.weights[topic])
        for host in (hosts[number] for number in drawn.tolist()):
            deep = len(host) > 1 and not self.chance(self.settings.home)
            found.append(host[int(self.rng.integers(1, len(host)))] if deep else host[0])
        return found

    def cite(self, source: int, topic: int, count: int) -> list[Link]:
        """Draw what an independent page cites, and take note of it."""
        links = []
        for target in self.authorities(topic, count):
            if self.pages[target].host == self.pages[source].host:
                continue
            self.cited[topic][target] += 1
            term = self.corpus.topics[topic].term if self.chance(self.settings.named) else ""
            links.append(Link(target, term, self.chance(self.settings.described)))
        return links

    def hubs(self) -> None:
        """Make pages of one or several lists of links."""
        settings, rng = self.settings, self.rng
        for _ in range(settings.hubs * len(self.hosts)):
            count = int(rng.integers(2, settings.mixed_topics + 1)) if self.chance(settings.mixed_hubs) else 1
            count = min(count, len(self.hosts))
            topics = rng.choice(len(self.hosts), count, replace=False, p=self.topic_weights).tolist()
            hub = self.add(self.host_name(), HUB, "/links.html", topic=topics[0] if count == 1 else -1)
            for topic in topics:
                wanted = int(rng.integers(settings.list_links[0], settings.list_links[1], endpoint=True))
                noise = int(rng.binomial(wanted, settings.list_noise))
                links = self.cite(hub, topic, wanted - noise)
                links += [Link(self.elsewhere(topic)) for _ in range(noise)]
                rng.shuffle(links)
                heading = self.corpus.topics[topic].term if self.chance(settings.headed) else ""
                block = Block("list", tuple(links), heading)
                self.pages[hub].blocks.append(block)
            if count > 1 and self.chance(settings.general_lists):
                wanted = int(rng.integers(settings.list_links[0], settings.list_links[1], endpoint=True))
                drawn = rng.choice(self.general, wanted, p=self.general_weights).tolist()
                links = [Link(page) for page in dict.fromkeys(drawn)]
                self.pages[hub].blocks.append(Block("list", tuple(links), "Favourites"))
            self.badge(hub)

    def elsewhere(self, topic: int) -> int:
        """Draw a page that is not on a topic."""
        other = self.some_topic()
        return self.some_general() if other == topic else self.authorities(other, 1)[0]

    def badge(self, page: int) -> None:
        if self.chance(self.settings.badges):
            self.pages[page].blocks.append(Block("badge", (Link(self.some_general()),)))

    def citation(self, page: int, topic: int) -> None:
        if self.chance(self.settings.stray):
            topic = self.some_topic()
        links = self.cite(page, topic, int(self.rng.integers(1, 4)))
        # In running text nobody describes what he cites.
        self.pages[page].blocks += [Block("citation", (link._replace(described=False),)) for link in links]

    def articles(self) -> None:
        """Make texts that cite: real pages about a topic, else pages that mention it."""
        used: set[int] = set()
        spare = set(self.spare)
        for number, topic in enumerate(self.corpus.topics):
            texts = list(topic.pages[_authorities(self.settings, len(topic.pages)) :])
            texts += [page for page in self.corpus.mentions[number] if page in spare]
            texts = [page for page in texts if page not in used][: self.settings.articles]
            used.update(texts)
            for real in texts:
                page = self.add(self.host_name(), ARTICLE, "/article.html", topic=number, real=real)
                self.pages[page].plain = True
                self.citation(page, number)
                self.badge(page)

    def texts(self) -> None:
        """Let authorities cite each other."""
        for page in [page for hosts in self.hosts for host in hosts for page in host]:
            if self.chance(self.settings.citing):
                self.citation(page, self.pages[page].topic)
            if self.pages[page].plain:
                self.badge(page)

    def mirrors(self) -> None:
        """Copy hosts whole."""
        for number, hosts in enumerate(self.hosts):
            for host in list(hosts):
                if self.chance(self.settings.mirrors):
                    name = self.host_name()
                    for page in host:
                        path = self.pages[page].url.partition("://")[2].partition("/")[2]
                        own = self.pages[page]
                        copy = self.add(name, AUTHORITY, f"/{path}", topic=number, real=own.real)
                        self.pages[copy].plain, self.pages[copy].blocks = own.plain, list(own.blocks)

    def world(self) -> World:
        relevant: list[set[int]] = [set() for _ in self.hosts]
        for place, page in enumerate(self.pages):
            if page.kind == AUTHORITY:
                relevant[page.topic].add(place)
        best = [
            sorted(its, key=lambda page, its=its: (-its[page], page))[:BEST]  # type: ignore[misc]
            for its in self.cited
        ]
        return World(self.pages, self.networks, [frozenset(its) for its in relevant], best)


def _authorities(settings: WorldSettings, pages: int) -> int:
    return max(1, int(settings.authority_share * pages))


def _zipf(count: int, exponent: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum())
