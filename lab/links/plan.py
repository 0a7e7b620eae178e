"""The plan of a made web: which host has which pages, and which page links to which, drawn at random."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from detemplate.page.urls import canonical_url
from lab.links.world import ARTICLE, AUTHORITY, BEST, GENERAL, HUB, PORTAL, Link, LinkBlock, World, WorldPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.links.corpus import Corpus
    from lab.links.world import WorldSettings


def plan_world(corpus: Corpus, settings: WorldSettings, seed: int) -> World:
    """Plan a web of real pages. Equal settings and seeds give equal webs."""
    planner = _Planner(corpus, settings, np.random.default_rng(seed))
    planner.topical_hosts()
    planner.general_hosts()
    planner.templates()
    planner.hubs()
    planner.articles()
    planner.texts()
    planner.mirrors()
    return planner.world()


class _Planner:
    """Draws the plan of a web, step by step. Pages are numbered in the order in which they are added."""

    def __init__(self, corpus: Corpus, settings: WorldSettings, rng: np.random.Generator) -> None:
        self.corpus, self.settings, self.rng = corpus, settings, rng
        self.pages: list[WorldPage] = []
        self.networks: list[list[int]] = []
        # For each topic its hosts, most popular first; a host is a list of pages, its home page first.
        self.hosts: list[list[list[int]]] = [[] for _ in corpus.topics]
        self.general: list[int] = []  # home pages of the hosts without a topic, most popular first
        # For each topic the number of independent citations of each page.
        self.cited: list[Counter[int]] = [Counter() for _ in corpus.topics]
        count = len(corpus.topics)
        self.topic_weights = _zipf(count, settings.topic_popularity)[rng.permutation(count)]
        self.spare = list(corpus.others)  # real pages without a topic that are not used yet
        rng.shuffle(self.spare)
        # Names of hosts are random: pages with equal scores are ranked by URL.
        self.names = iter(rng.permutation(10 * len(corpus.pages)).tolist())

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def host_name(self) -> str:
        return f"h{next(self.names):06}.example"

    def add(self, host: str, kind: str, path: str, topic: int, real: int = -1, *, plain: bool = False) -> int:
        url = canonical_url(f"http://{host}{path}") or f"http://{host}/{real}"
        self.pages.append(WorldPage(url, host, kind, topic, real, plain))
        return len(self.pages) - 1

    def add_host(self, kind: str, reals: Sequence[int], topic: int, *, plain: bool) -> list[int]:
        """Add the pages of one host. The first is its home page; the others keep their paths."""
        host, used, added = self.host_name(), {"/"}, []
        for place, real in enumerate(reals):
            path = "/" if not place else self.corpus.pages[real].path
            if place and path in used:
                path = f"/page{real}.html"
            used.add(path)
            added.append(self.add(host, kind, path, topic, real, plain=plain))
        return added

    def topical_hosts(self) -> None:
        """Distribute each topic's authorities over hosts. The pages of a host are from one real site."""
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
            self.rng.shuffle(self.hosts[number])
        self.weights = [_zipf(len(hosts), settings.popularity) for hosts in self.hosts]

    def general_hosts(self) -> None:
        """Make hosts without a topic, from pages without a topic."""
        sites: dict[str, list[int]] = {}
        for page in self.spare:
            sites.setdefault(self.corpus.pages[page].site, []).append(page)
        names = sorted(sites)
        taken: set[int] = set()
        for _ in range(self.settings.general_hosts):
            pages = sites[names[int(self.rng.integers(len(names)))]]
            size = int(self.rng.integers(1, self.settings.general_pages, endpoint=True))
            if chosen := [pages.pop() for _ in range(min(len(pages), size))]:
                taken.update(chosen)
                self.general.append(self.add_host(GENERAL, chosen, -1, plain=False)[0])
        self.spare = [page for page in self.spare if page not in taken]
        self.general_weights = _zipf(len(self.general), 1.0)

    def templates(self) -> None:
        """Put bars, links to partners and advertisements on the hosts with a template."""
        settings, rng = self.settings, self.rng
        hosts = [host for of_topic in self.hosts for host in of_topic if not self.pages[host[0]].plain]
        homes = [host[0] for host in hosts]
        order = rng.permutation(len(hosts)).tolist()
        sisters = order[: round(settings.networks * len(order))]
        owners = [[hosts[number]] for number in order[len(sisters) :]]  # an owner: one host or a network
        while sisters:
            size = int(rng.integers(settings.network_hosts[0], settings.network_hosts[1], endpoint=True))
            by_topic = {self.pages[homes[number]].topic: number for number in reversed(sisters)}
            chosen = [number for number in sisters if number in by_topic.values()][:size]
            if len(chosen) < settings.network_hosts[0]:
                break
            sisters = [number for number in sisters if number not in chosen]
            owners.append(self.network([hosts[number] for number in chosen]))
        owners += [[hosts[number]] for number in sisters]  # too few for another network
        for owner in owners:
            on_all: list[LinkBlock] = []
            if self.chance(settings.partners):
                on_all.append(LinkBlock("partners", self.commercial_links(homes, int(rng.integers(3, 7)))))
            pool = self.commercial_links(homes, 6) if self.chance(settings.adverts) else ()
            for page in (page for host in owner for page in host):
                self.pages[page].blocks += on_all
                if pool:
                    shown = sorted(rng.choice(len(pool), 3, replace=False).tolist())
                    self.pages[page].blocks.append(LinkBlock("adverts", tuple(pool[n] for n in shown)))

    def network(self, hosts: list[list[int]]) -> list[list[int]]:
        """Make hosts sister sites: one bar on all of their pages, and a portal."""
        number = len(self.networks)
        portal = self.add(f"www.{self.host_name()}", PORTAL, "/", -1)
        links = tuple(Link(host[0], self.term(host[0])) for host in hosts)
        bar = LinkBlock("bar", (Link(portal, "Home"), *links), f"Network {number + 1}")
        self.pages[portal].blocks.append(bar)
        for page in (page for host in hosts for page in host):
            self.pages[page].blocks.append(bar)
        self.networks.append([host[0] for host in hosts])
        return [*hosts, [portal]]

    def commercial_links(self, homes: list[int], count: int) -> tuple[Link, ...]:
        """Draw links to partners or advertisers, whatever their topic."""
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
        """Draw authorities of a topic, on different hosts."""
        hosts, pages = self.hosts[topic], []
        drawn = self.rng.choice(len(hosts), min(count, len(hosts)), replace=False, p=self.weights[topic])
        for host in (hosts[number] for number in drawn.tolist()):
            deep = len(host) > 1 and not self.chance(self.settings.home)
            pages.append(host[int(self.rng.integers(1, len(host)))] if deep else host[0])
        return pages

    def cite(self, source: int, topic: int, count: int) -> list[Link]:
        """Draw the links of an independent page to authorities, and count them as citations."""
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
            hub = self.add(self.host_name(), HUB, "/links.html", topics[0] if count == 1 else -1)
            for topic in topics:
                size = int(rng.integers(settings.list_links[0], settings.list_links[1], endpoint=True))
                noise = int(rng.binomial(size, settings.list_noise))
                links = self.cite(hub, topic, size - noise)
                links += [Link(self.elsewhere(topic)) for _ in range(noise)]
                rng.shuffle(links)
                heading = self.corpus.topics[topic].term if self.chance(settings.headed) else ""
                self.pages[hub].blocks.append(LinkBlock("list", tuple(links), heading))
            if count > 1 and self.chance(settings.general_lists):
                size = int(rng.integers(settings.list_links[0], settings.list_links[1], endpoint=True))
                drawn = rng.choice(self.general, size, p=self.general_weights).tolist()
                links = [Link(page) for page in dict.fromkeys(drawn)]
                self.pages[hub].blocks.append(LinkBlock("list", tuple(links), "Favourites"))
            self.badge(hub)

    def elsewhere(self, topic: int) -> int:
        """Draw a page on another topic or on none."""
        other = self.some_topic()
        return self.some_general() if other == topic else self.authorities(other, 1)[0]

    def badge(self, page: int) -> None:
        """Perhaps add a link to a download."""
        if self.chance(self.settings.badges):
            self.pages[page].blocks.append(LinkBlock("badge", (Link(self.some_general()),)))

    def citation(self, page: int, topic: int) -> None:
        """Add one to three citations, without descriptions as in running text."""
        if self.chance(self.settings.stray):
            topic = self.some_topic()
        for link in self.cite(page, topic, int(self.rng.integers(1, 4))):
            self.pages[page].blocks.append(LinkBlock("citation", (link._replace(described=False),)))

    def articles(self) -> None:
        """Make texts that cite, from real pages about a topic, else from pages that mention it."""
        used: set[int] = set()
        spare = set(self.spare)
        for number, topic in enumerate(self.corpus.topics):
            texts = list(topic.pages[_authorities(self.settings, len(topic.pages)) :])
            texts += [page for page in self.corpus.mentions[number] if page in spare]
            texts = [page for page in texts if page not in used][: self.settings.articles]
            used.update(texts)
            for real in texts:
                page = self.add(self.host_name(), ARTICLE, "/article.html", number, real, plain=True)
                self.citation(page, number)
                self.badge(page)

    def texts(self) -> None:
        """Add citations to the authorities' own texts."""
        for page in [page for hosts in self.hosts for host in hosts for page in host]:
            if self.chance(self.settings.citing):
                self.citation(page, self.pages[page].topic)
            if self.pages[page].plain:
                self.badge(page)

    def mirrors(self) -> None:
        """Copy some hosts completely."""
        for topic, hosts in enumerate(self.hosts):
            for host in hosts:
                if self.chance(self.settings.mirrors):
                    name = self.host_name()
                    for original in (self.pages[page] for page in host):
                        path = original.url.partition("://")[2].partition("/")[2]
                        copy = self.add(
                            name, AUTHORITY, f"/{path}", topic, original.real, plain=original.plain
                        )
                        self.pages[copy].blocks = list(original.blocks)

    def world(self) -> World:
        """Return the plan."""
        relevant: list[set[int]] = [set() for _ in self.hosts]
        for place, page in enumerate(self.pages):
            if page.kind == AUTHORITY:
                relevant[page.topic].add(place)
        best = [
            sorted(cited, key=lambda page, cited=cited: (-cited[page], page))[:BEST]  # type: ignore[misc]
            for cited in self.cited
        ]
        return World(self.pages, self.networks, [frozenset(its) for its in relevant], best)


def _authorities(settings: WorldSettings, pages: int) -> int:
    """Return how many of a topic's pages are authorities."""
    return max(1, int(settings.authority_share * pages))


def _zipf(count: int, exponent: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the probabilities of Zipf's law, falling."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum())
