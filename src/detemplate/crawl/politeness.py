"""How Scrapy is set up for a polite crawl, and what goes beyond: robots.txt, waits, public addresses."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.resolver import CachingHostnameResolver, dnscache
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.sitemap import sitemap_urls_from_robots
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from detemplate.crawl.frontier import Frontier
from detemplate.crawl.options import ANYWHERE, MAX_DELAY, is_public
from detemplate.crawl.spider import FAILURES, PRIVATE, ROBOTS, UNREACHABLE, Refused
from detemplate.crawl.visit import payload
from detemplate.io.sources.http_body import TooLargeError, UndecodableError, media_type
from detemplate.page.urls import resolve
from detemplate.sites.naming import domain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from scrapy.robotstxt import RobotParser
    from twisted.internet.interfaces import IAddress, IHostResolution

    from detemplate.crawl.options import CrawlOptions
    from detemplate.crawl.spider import CrawlSpider

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


class PublicResolver(CachingHostnameResolver):
    """Scrapy's resolver without addresses that are not public.

    What was checked is what is connected to, whatever the name's server says next. Addresses that stand in
    URLs come here, too.
    """

    def resolveHostName(  # noqa: N802  # the interface's names
        self,
        resolutionReceiver: Any,  # noqa: ANN401, N803  # an IResolutionReceiver
        *args: Any,  # noqa: ANN401
        **given: Any,  # noqa: ANN401
    ) -> IHostResolution:
        """Resolve a name."""
        checking: Any = _PublicOnly(resolutionReceiver)
        return super().resolveHostName(checking, *args, **given)


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes public addresses on."""

    def __init__(self, receiver: Any) -> None:  # noqa: ANN401
        self._receiver = receiver
        self.resolutionBegan = receiver.resolutionBegan
        self.resolutionComplete = receiver.resolutionComplete

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public(str(address.host)):
            self._receiver.addressResolved(address)


def is_private(url: str) -> bool:
    """Tell whether a URL's host is known to have addresses, but no public one."""
    host = urlsplit(url).hostname or ""
    try:
        return not is_public(host)
    except ValueError:  # a name
        found = dnscache.get(host) or ()
        return host == "localhost" or (bool(found) and not any(is_public(str(one.host)) for one in found))


_MAX_ROBOTS: Final = 500 << 10
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5: at least so many)."""

_MAX_CRAWL_DELAY: Final = 300.0  # longest ``Crawl-delay`` or ``Retry-After`` that is kept, in seconds
_LEAST_BACKOFF: Final = 0.1  # shortest wait after a failure, in seconds
_PAGE_OR_SITEMAP: Final = re.compile("^text/|xml|gzip")  # what the media type of a page or a sitemap has
_SCRAPYS: Final = "dont_obey_robotstxt"  # key in the meta of Scrapy's requests for robots.txt


class Robots(RobotsTxtMiddleware):
    """Scrapy's middleware; but where there is no answer or a server fails, nothing may be fetched.

    With another status of 4xx, anything may be. Answers are archived, ``Crawl-delay`` is noted, sitemaps are
    asked for.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._errors: dict[str, Exception] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        crawler.signals.connect(self._note_delay, signals.robots_parsed)

    def _note_delay(self, robotparser: RobotParser, request: Request) -> None:
        delay = robotparser.crawl_delay(_spider(self).options.agent) or 0.0
        delays, name = _spider(self).delays, domain(request.url)
        delays[name] = max(delays.get(name, 0.0), min(delay, _MAX_CRAWL_DELAY))

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return a server's rules; None: there are none.

        Scrapy 2.19 gives them to the first two requests that wait for them, and None to the others.
        """
        async with self._locks[urlparse_cached(request).netloc]:
            return await super().robot_parser(request)

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Refuse what is forbidden, and all where there are no rules."""
        if rp is None:
            netloc = urlparse_cached(request).netloc
            error = self._errors.get(netloc)
            if isinstance(error, Refused):
                raise Refused(*error.args)
            raise Refused(UNREACHABLE, f"{netloc}/robots.txt: {error or type(error).__name__}", True)
        super().process_request_2(rp, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        self._errors[netloc] = exc
        super()._robots_error(exc, netloc)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return a robots.txt as its parser takes it."""
        if _SCRAPYS not in request.meta:
            return response
        _spider(self).archive.write(response, request, robots=True)
        url, status, body = response.url, response.status, b""
        if status in FAILURES or status >= 500:
            raise Refused(ROBOTS, f"{url} has status {status}", True)
        if 200 <= status < 300:
            try:
                body = payload(response, _MAX_ROBOTS)
            except TooLargeError:
                body = response.body[:_MAX_ROBOTS]
            except UndecodableError as error:
                raise Refused(ROBOTS, f"{url} cannot be decoded: {error}", True) from None
        if _spider(self).options.sitemaps:
            named = list(sitemap_urls_from_robots(body.decode("utf-8", "replace"), url))
            for found in named or ["/sitemap.xml"]:
                if (sitemap := resolve(url, found)) is not None:
                    self.crawler.engine.crawl(_spider(self).request(sitemap))
        return response.replace(body=body)


class Pace:
    """Downloader middleware: one slot a registered domain, whose waits begin when an answer is there.

    Behind AutoThrottle, it keeps ``Crawl-delay``, and doubles the wait where a server fails.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        crawler.signals.connect(self._keep_delay, signals.request_reached_downloader)
        crawler.signals.connect(self._begin_wait, signals.response_downloaded)
        crawler.signals.connect(self._stop_others, signals.headers_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Pace:
        """Make it, as Scrapy does."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Name the slot and the proxy; refuse private addresses, which a proxy would resolve."""
        options = _spider(self).options
        request.meta["download_slot"] = domain(request.url)
        if options.proxy is not None:
            request.meta["proxy"] = options.proxy
        self._refuse_private(request)

    def _refuse_private(self, request: Request) -> None:
        if not _spider(self).options.allow_private and is_private(request.url):
            raise Refused(PRIVATE, "--allow-private lets it be fetched", True)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Wait longer after a failure of the network; do not try again what is known to be private by now."""
        self._refuse_private(request)
        slot = self._slot(request)
        if slot is not None and not isinstance(exception, (IgnoreRequest, DownloadCancelledError)):
            _back_off(slot)

    def _slot(self, request: Request) -> Slot | None:
        return self.crawler.engine.downloader.slots.get(request.meta.get("download_slot", ""))

    def _keep_delay(self, request: Request) -> None:
        delays = _spider(self).delays
        if (slot := self._slot(request)) is not None:
            slot.delay = max(slot.delay, delays.get(request.meta["download_slot"], 0.0))

    def _begin_wait(self, request: Request, response: Response) -> None:
        if (slot := self._slot(request)) is None:
            return
        if response.status in FAILURES:
            asked = response.headers.get(b"Retry-After", b"") or b""
            _back_off(slot, float(asked) if asked.isdigit() else 0.0)
        self._keep_delay(request)
        slot.lastseen = monotonic()

    def _stop_others(self, headers: Headers, request: Request) -> None:
        """End the download of what is no page when its headers are there."""
        declared = media_type((headers.get(b"Content-Type") or b"").decode("latin-1"))
        if _SCRAPYS not in request.meta and declared and not _PAGE_OR_SITEMAP.search(declared):
            raise StopDownload(fail=False)


def _back_off(slot: Slot, asked: float = 0.0) -> None:
    """Wait twice as long before the next request as before, at least as long as a server asked for."""
    doubled = min(max(2 * slot.delay, _LEAST_BACKOFF), MAX_DELAY)
    slot.delay = max(doubled, min(asked, _MAX_CRAWL_DELAY))
    slot.lastseen = monotonic()


def _spider(part: Robots | Pace) -> CrawlSpider:
    return part.crawler.spider  # type: ignore[return-value]  # crawlers know spiders of any kind
