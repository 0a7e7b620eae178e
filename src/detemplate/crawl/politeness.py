"""Politeness beyond Scrapy's settings: robots.txt as RFC 9309 says, and longer waits after failures."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from time import monotonic
from typing import TYPE_CHECKING, Final

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.sitemap import sitemap_urls_from_robots

from detemplate.crawl.addresses import is_private
from detemplate.crawl.options import MAX_DELAY
from detemplate.crawl.spider import FAILURES, PRIVATE, ROBOTS, UNREACHABLE, Refused
from detemplate.crawl.visit import payload
from detemplate.io.sources.http_body import TooLargeError, UndecodableError, media_type
from detemplate.page.urls import resolve
from detemplate.sites.naming import domain

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from scrapy.robotstxt import RobotParser

    from detemplate.crawl.spider import CrawlSpider

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
