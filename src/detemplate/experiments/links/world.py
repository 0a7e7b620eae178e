"""A made web of real pages: hosts, topics and links of known kinds, and which pages are relevant.

Bar-Yossef & Rajagopalan 2002, section 5, rank pages of the web of 2001, which nobody has any more. What
their sections 1 and 5 describe is made here: sister sites with a shared bar, links to partners and to
downloads in templates, advertisements, bookmark pages of mixed topics, mirrors, and independent pages
that cite authorities. The pages' contents and their own templates are real
(:mod:`detemplate.experiments.links.corpus`); hosts, links and relevance are made
(:mod:`detemplate.experiments.links.plan`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

AUTHORITY, PORTAL, GENERAL, HUB, ARTICLE = "authority", "portal", "general", "hub", "article"
"""What a page is: of a host with a topic; a network's own home; of a host without a topic (search engines,
download pages, advertisers, anything); a list of links; a text that cites."""

BEST: Final = 50
"""Pages that are known as a topic's best."""


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """What the made web is like. The values were chosen before anything was measured, but for three.

    ``general_lists`` was added after a first run (``docs/experiments/links.md`` has the figures without it):
    the paper's section 1.2 names general pages that are ranked high whatever the query, and the first web
    had hardly any links to such pages outside of templates. ``least_pages`` and ``authority_share`` were
    67 and 0.75, which gives 36 topics.

    Attributes
    ----------
    topics
        Topics at most: the paper's 37 queries.
    least_pages, most_pages
        Real pages about a topic.
    authority_share
        Of these, the share that are authorities: at least 50, so that precision@50 can be 1. The
        others are the texts of articles.
    host_exponent, host_pages
        Pages a host: a power law with this exponent, cut off.
    plain
        Share of the hosts of several pages that have no template, as hosts of one page never have: plain
        home-made pages. Meant to give base sets about the paper's 43 % of pages with a template pagelet.
    networks
        Share of the hosts with a template that are sister sites (the paper's ITtoolbox case).
    network_hosts
        Least and most sisters in a network, all of different topics. Its bar, on every page, links to all, by
        their topics' terms.
    partners, adverts
        Share of the hosts with a template (or networks) whose pages all carry links to partners
        ("powered by", downloads); and advertisements, which change from page to page.
    general_hosts, general_pages
        Hosts without a topic, and most pages of each.
    general_aim
        Share of the links of partners and adverts that lead to them; the others lead to home pages of
        hosts with a template, whatever their topic.
    hubs
        Pages of links, for each topic (of all hubs, mixed ones included).
    mixed_hubs, mixed_topics
        Share of them with several topics (bookmarks), and how many these have at most.
    general_lists
        Share of the hubs with several topics that have a list of pages without a topic, too (search
        engines, news).
    list_links
        Least and most links of a list.
    list_noise
        Share of a list's links that lead elsewhere.
    headed, named, described
        Chance that a list has its term as heading, that an anchor is the term (else it is the title
        of the page it leads to), that the first words of that page follow.
    articles
        Independent texts for each topic that cite 1 to 3 authorities.
    citing
        Share of the authorities' pages that do.
    stray
        Share of such citations that lead to another topic.
    badges
        Share of hubs, articles and plain hosts' pages with a link to a download.
    popularity, topic_popularity
        Exponents of Zipf's law: how much more often a topic's favourite hosts, and favourite topics,
        are cited.
    home
        Share of citations that lead to a host's home page.
    mirrors
        Share of the hosts that are copied whole to another host.
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
    """A made link: the number of the page it leads to, and what stands there."""

    target: int
    term: str = ""
    """The anchor; empty: the title of the target."""
    described: bool = False


class Block(NamedTuple):
    """Made links that stand together."""

    kind: str
    """``bar``, ``partners``, ``adverts``, ``badge``, ``list`` or ``citation``."""
    links: tuple[Link, ...]
    heading: str = ""


@dataclass(slots=True)
class WorldPage:
    """A page of the made web.

    Attributes
    ----------
    url, host
        Its address, canonical, and its host.
    kind
        One of the module's five.
    topic
        Number of its topic; -1: none, or several.
    real
        Number of the real page in the corpus; -1 for hubs and portals.
    plain
        Whether only the real page's text is shown, without its template.
    blocks
        The made links on it.
    """

    url: str
    host: str
    kind: str
    topic: int = -1
    real: int = -1
    plain: bool = False
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class World:
    """A made web.

    Attributes
    ----------
    pages
        All pages.
    networks
        For each network its sisters' home pages, by number.
    relevant
        For each topic its relevant pages, by number: the authorities, home pages and others, and mirrors.
    best
        For each topic, the :data:`BEST` relevant pages with most independent citations (in lists, articles
        and texts; not by mistake, and not in templates), best first.
    """

    pages: list[WorldPage]
    networks: list[list[int]]
    relevant: list[frozenset[int]]
    best: list[list[int]]
