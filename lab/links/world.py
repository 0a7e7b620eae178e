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

    ``general_lists`` was added after the first run. The paper's section 1.2 names general pages that rank
    high for every query; the first web had links to such pages in templates only. The figures without it are
    in ``docs/experiments/links.md``. ``least_pages`` and ``authority_share`` were 67 and 0.75, which give 36
    topics.

    Attributes
    ----------
    topics
        Most topics: the paper has 37 queries.
    least_pages, most_pages
        Least and most real pages about a topic.
    authority_share
        Share of a topic's pages that are authorities: at least 50 pages, so that precision@50 can be 1. The
        others are texts of articles.
    host_exponent, host_pages
        Exponent of the power law for the number of pages of a host, and its greatest value.
    plain
        Share of the hosts of several pages that have no template; hosts of one page never have one. Chosen so
        that about as many pages of the base sets hold a template pagelet as in the paper (43 %).
    networks
        Share of the hosts with a template that are sister sites (the paper's ITtoolbox case).
    network_hosts
        Least and most sister sites of a network. All have different topics. The network's bar is on every
        page and links to all sisters by the terms of their topics.
    partners
        Share of the hosts with a template (a network counts as one) whose pages all link to partners
        ("powered by", downloads).
    adverts
        Share of the same hosts whose pages have advertisements, which differ from page to page.
    general_hosts, general_pages
        Number of hosts without a topic, and most pages of each.
    general_aim
        Share of the links to partners and of advertisements that lead to hosts without a topic. The others
        lead to home pages of hosts with a template, whatever their topic.
    hubs
        Number of pages of links, per topic.
    mixed_hubs, mixed_topics
        Share of the hubs that have several topics (bookmarks), and their most topics.
    general_lists
        Share of the hubs with several topics that also list pages without a topic (search engines, news).
    list_links
        Least and most links of a list.
    list_noise
        Share of a list's links that lead to another topic or to none.
    headed
        Probability that the heading of a list is its topic's term.
    named
        Probability that an anchor is the term; else it is the title of the target.
    described
        Probability that the first words of the target follow its link.
    articles
        Number of independent texts per topic that cite 1 to 3 authorities.
    citing
        Share of the authorities that cite 1 to 3 authorities.
    stray
        Share of such citations that lead to another topic.
    badges
        Share of hubs, articles and pages of plain hosts that have a link to a download.
    popularity, topic_popularity
        Exponents of Zipf's law for how often a topic's hosts, and the topics, are cited.
    home
        Share of citations that lead to a host's home page.
    mirrors
        Share of the hosts that are copied completely to another host.
    """

    topics: int = 37
    least_pages: int = 60
    most_pages: int = 100
    authority_share: float = 0.84
    host_exponent: float = 1.5
    host_pages: int = 12
    plain: float = 0.4
    networks: float = 0.4
    network_hosts: tuple[int, int] = (6, 14)
    partners: float = 0.6
    adverts: float = 0.5
    general_hosts: int = 60
    general_pages: int = 4
    general_aim: float = 0.5
    hubs: int = 12
    mixed_hubs: float = 0.6
    mixed_topics: int = 6
    general_lists: float = 0.5
    list_links: tuple[int, int] = (4, 15)
    list_noise: float = 0.1
    headed: float = 0.8
    named: float = 0.3
    described: float = 0.5
    articles: int = 15
    citing: float = 0.3
    stray: float = 0.15
    badges: float = 0.2
    popularity: float = 0.8
    topic_popularity: float = 0.5
    home: float = 0.7
    mirrors: float = 0.03


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
    """For each topic the numbers of the :data:`BEST` relevant pages with most independent citations, best
    first. Citations are links in lists, articles and texts on the same topic; links in templates and list
    noise do not count."""
