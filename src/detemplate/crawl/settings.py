"""Scrapy's settings for ``detemplate crawl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy.resolver import CachingHostnameResolver

from detemplate.crawl.addresses import PublicResolver
from detemplate.crawl.frontier import Frontier
from detemplate.crawl.options import ANYWHERE, MAX_DELAY
from detemplate.crawl.politeness import Pace, Robots
from detemplate.crawl.spider import FAILURES
from detemplate.sites.naming import domain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.crawl.options import CrawlOptions

_MOST_AT_ONCE: Final = 16  # most requests under way, to all domains together

_LEAST_DELAY: Final = 0.001
"""Least delay in seconds: without any, Scrapy 2.19 makes several requests at once, whatever their limit."""


def scrapy_settings(options: CrawlOptions, starts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a crawl.

    ``options``: what is fetched, and how politely.
    ``starts``: the given URLs.
    Returns: values by the names of Scrapy's settings.
    """
    delay = max(options.delay, _LEAST_DELAY)
    domains = _MOST_AT_ONCE if options.scope == ANYWHERE else len(set(map(domain, starts)))
    return {
        "USER_AGENT": options.agent,
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Language": "*",
            "Accept-Encoding": "gzip, deflate, br, zstd",
            **({"From": options.contact} if options.contact and "@" in options.contact else {}),
        },
        # One request at a time to a domain, so many seconds apart; slow servers are asked less often.
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": delay,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": delay,
        "AUTOTHROTTLE_MAX_DELAY": max(MAX_DELAY, delay),
        # A request that waits in the downloader comes before all later ones, whatever their priorities.
        "CONCURRENT_REQUESTS": min(domains, _MOST_AT_ONCE),
        "SCHEDULER": Frontier,
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_START_MEMORY_QUEUE": None,
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "DOWNLOAD_TIMEOUT": options.max_fetch_seconds,
        "DOWNLOAD_MAXSIZE": options.max_page_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "RETRY_TIMES": options.retries,
        "RETRY_HTTP_CODES": sorted(FAILURES),
        "COOKIES_ENABLED": False,
        "COMPRESSION_ENABLED": False,  # bodies are archived as received
        "TWISTED_DNS_RESOLVER": CachingHostnameResolver  # knows IPv6, too
        if options.allow_private or options.proxy is not None
        else PublicResolver,
        "HTTPPROXY_ENABLED": options.proxy is not None,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "LOGSTATS_INTERVAL": 0,
        "MEMUSAGE_ENABLED": False,
        "ROBOTSTXT_OBEY": options.robots,
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            Robots: 100,
            Pace: 560,  # behind retries, before the proxy
        },
        "HTTPERROR_ALLOW_ALL": True,
        "REFERER_ENABLED": False,
        "URLLENGTH_LIMIT": 0,  # the frontier has limits, and counts what they refuse
        "SPIDER_MIDDLEWARES": {"scrapy.spidermiddlewares.depth.DepthMiddleware": None},
    }
