"""A made web of real pages: hosts, topics, links of known kinds, and which pages are relevant.

Bar-Yossef & Rajagopalan 2002, section 5, rank pages of the web of 2001, which is not available. The made web
has what their sections 1 and 5 describe. Contents and templates are real (:mod:`lab.links.corpus`); hosts,
links and relevance are made (:mod:`lab.links.plan`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

AUTHORITY: Final = "authority"  # on a host with a topic
PORTAL: Final = "portal"  # home page of a network of sister sites
GENERAL: Final = "general"  # no topic: a search engine, a download page, an advertiser
HUB: Final = "hub"  # lists of links
ARTICLE: Final = "article"  # a text that cites authorities
BEST: Final = 50  # number of pages that are known as a topic's best


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """Settings of a made web. All but three were chosen before the first run.

    ``general_lists`` was added after the first run: the paper's section 1.2 names general pages that rank
    high for every query, and the first web had links to them in templates only. The figures without it are in
    ``docs/experiments/links.md``. ``least_pages`` and ``authority_share`` were 67 and 0.75 (36 topics).
    """

    topics: int = 37  # maximum number of topics: the paper has 37 queries
    least_pages: int = 60  # minimum and maximum number of real pages about a topic
    most_pages: int = 100
    authority_share: float = 0.84  # of a topic's pages: at least 50, so that precision@50 can be 1
    host_exponent: float = 1.5  # of the power law for the number of pages of a host
    host_pages: int = 12  # maximum number of pages of a host
    plain: float = 0.4  # share of the hosts of several pages without a template; hosts of one page have none
    networks: float = 0.4  # share of the hosts with a template that are sister sites with one bar
    network_hosts: tuple[int, int] = (6, 14)  # sister sites of a network, all of different topics
    partners: float = 0.6  # share of the hosts with a template (or networks) that link to partners everywhere
    adverts: float = 0.5  # share of the same hosts with advertisements, which differ from page to page
    general_hosts: int = 60  # hosts without a topic
    general_pages: int = 4  # maximum number of pages of such a host
    general_aim: float = 0.5  # share of partners and advertisers without a topic; others have a template
    hubs: int = 12  # pages of links, per topic
    mixed_hubs: float = 0.6  # share of the hubs that have several topics (bookmarks)
    mixed_topics: int = 6  # maximum number of topics of a hub
    general_lists: float = 0.5  # share of the hubs with several topics that also list pages without a topic
    list_links: tuple[int, int] = (4, 15)  # links of a list
    list_noise: float = 0.1  # share of a list's links that lead to another topic or to none
    headed: float = 0.8  # probability that the heading of a list is its topic's term
    named: float = 0.3  # probability that an anchor is the term; else it is the title of the target
    described: float = 0.5  # probability that the first words of the target follow its link
    articles: int = 15  # independent texts per topic that cite 1 to 3 authorities
    citing: float = 0.3  # share of the authorities that cite 1 to 3 authorities
    stray: float = 0.15  # share of such citations that lead to another topic
    badges: float = 0.2  # share of hubs, articles and pages of plain hosts that link to a download
    popularity: float = 0.8  # exponent of Zipf's law for how often a topic's hosts are cited
    topic_popularity: float = 0.5  # the same for topics
    home: float = 0.7  # share of citations that lead to a host's home page
    mirrors: float = 0.03  # share of the hosts that are copied completely to another host


class Link(NamedTuple):
    """A made link."""

    target: int  # number of the page that it leads to
    term: str = ""  # text of the anchor; if empty, the title of the target
    described: bool = False  # whether the first words of the target follow


class LinkBlock(NamedTuple):
    """Made links that stand together: a bar, partners, adverts, badge, list or citation."""

    kind: str
    links: tuple[Link, ...]
    heading: str = ""  # heading of a bar or list; empty for none


@dataclass(slots=True)
class WorldPage:
    """A page of the made web, with its canonical address."""

    url: str
    host: str
    kind: str
    topic: int = -1  # number of the topic; -1 for none or several
    real: int = -1  # number of the real page in the corpus; -1 for hubs and portals
    plain: bool = False  # whether the page has only the real page's text, without its template
    blocks: list[LinkBlock] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class World:
    """A made web."""

    pages: list[WorldPage]
    networks: list[list[int]]  # for each network the numbers of the sister sites' home pages
    relevant: list[frozenset[int]]  # for each topic its authorities and their mirrors
    best: list[list[int]]
    """For each topic up to `BEST` relevant pages with most independent citations, best first. Citations are
    links in lists, articles and texts on the same topic; links in templates and list noise do not count."""
