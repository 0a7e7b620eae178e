"""What a crawl fetches, and how politely; imports nothing of Scrapy."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

from detemplate._version import __version__
from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.sites.naming import WAYS

ANYWHERE: Final = "any"
"""The scope of a crawl that follows links to all sites."""

SCOPES: Final = (*WAYS, ANYWHERE)
"""What may be called the same site as a start URL's."""

MAX_DELAY: Final = 60.0
"""Longest wait between two requests that a slow or failing server causes, in seconds."""

LEVEL: Final = 100
"""Priority of one level of depth: Scrapy's priorities are whole numbers."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What a crawl fetches, and how politely.

    ``max_pages``: number of pages (HTML, status 2xx) after which it ends; None: when no link is left.
    ``depth``: longest way from a start URL, in links. Pages of sitemaps are one link away.
    ``delay``: least time from an answer to the next request to one registered domain, in seconds. It grows to
        the time that the server takes to answer.
    ``scope``: ``"host"``, ``"domain"`` or ``"directory"``: what a page must share with a start URL; or
        ``"any"``.
    ``robots``: obey robots.txt (RFC 9309), with its ``Crawl-delay``.
    ``sitemaps``: read the sitemaps that robots.txt names, else ``/sitemap.xml``.
    ``max_alike``: most URLs fetched of one shape: same directory and names of parameters, with all digits
        alike.
    ``max_page_bytes``: largest page, as received and decoded.
    ``max_fetch_seconds``: longest time of one answer.
    ``retries``: further tries after a failure of the network or of the server (5xx, 429); each waits twice as
        long.
    ``allow_private``: fetch from addresses of this machine and of private networks, too.
    ``user_agent``: the name under which it asks.
    ``contact``: address or URL of who crawls; it is added to the user agent.
    ``proxy``: URL of an HTTP proxy for all requests.
    ``penalty``: what a link in a template loses of its priority, in levels of depth; with a focus, of
        relevance.
    ``distill``: with a focus, raise what good hubs link to (:mod:`detemplate.links.focus`).
    """

    max_pages: int | None = None
    depth: int = 16
    delay: float = 1.0
    scope: str = "host"
    robots: bool = True
    sitemaps: bool = False
    max_alike: int = 5_000
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_fetch_seconds: float = 60.0
    retries: int = 5
    allow_private: bool = False
    user_agent: str = f"detemplate/{__version__}"
    contact: str | None = None
    proxy: str | None = None
    penalty: float = 0.0
    distill: bool = False

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise UserError(f"unknown scope {self.scope!r} (choose from {', '.join(SCOPES)})")
        for name, least in (
            ("max_pages", 1),
            ("max_alike", 1),
            ("max_page_bytes", 1),
            ("depth", 0),
            ("retries", 0),
        ):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UserError(f"--{name.replace('_', '-')} must be at least {least}, not {value}")
        for name in ("delay", "penalty"):
            if not 0 <= getattr(self, name) <= 1e6:
                raise UserError(f"the {name} must be 0 or more, not {getattr(self, name):g}")
        if not self.max_fetch_seconds > 0:
            raise UserError(f"the time of an answer must be above 0 seconds, not {self.max_fetch_seconds:g}")
        agent = self.agent
        if not (agent.isascii() and agent.isprintable() and agent.strip()):
            raise UserError("a user agent is one line of ASCII characters: change --user-agent or --contact")
        if self.proxy is not None and not self.proxy.startswith(("http://", "https://")):
            raise UserError(f"{self.proxy!r} is no URL of a proxy: write it like http://host:3128")

    def priority(self, depth: int, template: float = 0.0) -> int:
        """Return the priority of a link in a breadth-first crawl.

        ``template`` is the template score of the pagelet that holds it, in [0, 1]. The priority is that of
        ``links/focus.py``, with a base of minus the depth.
        """
        return round(-LEVEL * (depth + self.penalty * template))

    @property
    def agent(self) -> str:
        """The value of the header ``User-Agent``."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for IPv4 addresses (RFC 6052)."""


def is_public(address: str) -> bool:
    """Tell whether an IP address is a public one: not of this machine, nor of a private network."""
    found = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    if inner is None and isinstance(found, ipaddress.IPv6Address) and found in _TRANSLATED:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found.is_global and not found.is_multicast and (inner is None or is_public(str(inner)))
