"""Politeness: one request at a time to a registered domain, at least so many seconds apart, robots.txt."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final, Self

from protego import Protego
from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from detemplate.crawl.frontier import Entry
from detemplate.crawl.options import MAX_DELAY
from detemplate.crawl.publicaddress import is_public
from detemplate.crawl.session import FAILURES, PRIVATE, ROBOTS, UNREACHABLE
from detemplate.crawl.spider import ENTRY, CrawlSpider, Refused, fetched, host_name
from detemplate.io.sources.http_body import HTML_TYPES, TooLargeError, UndecodableError, media_type
from detemplate.sites.naming import domain

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_ROBOTS: Final = "detemplate_robots"
"""Key in the meta of requests for robots.txt."""

_MAX_ROBOTS: Final = 500 << 10
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5: at least so many)."""

_MAX_CRAWL_DELAY: Final = 300.0
"""Longest ``Crawl-delay`` that is kept, in seconds."""

_LEAST_BACKOFF: Final = 0.1
"""Shortest wait after a failure, in seconds."""

_CRAWL_DELAYS: Final = "detemplate_crawl_delays"
"""Name of the spider's attribute with the delays that robots.txt files ask for, by domain."""


class _Part:
    """A part of a crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def slot(self, request: Request) -> Slot | None:
        """Give the slot of a request's domain."""
        return self.crawler.engine.downloader.slots.get(request.meta.get("download_slot", ""))

    @property
    def spider(self) -> CrawlSpider:
        spider = self.crawler.spider
        assert isinstance(spider, CrawlSpider)
        return spider


class Claims(_Part):
    """Downloader middleware: only the first request for a URL is made; all for one domain share a slot."""

    def process_request(self, request: Request) -> None:
        """Claim the URL; name the slot and the proxy."""
        session = self.spider.session
        if session.ended:
            raise Refused
        request.meta["download_slot"] = domain(request.url)
        if session.options.proxy is not None:
            request.meta["proxy"] = session.options.proxy
            if not session.options.allow_private and _is_private(host_name(request.url)):
                raise Refused(PRIVATE, lost=True)
        entry: Entry | None = request.meta.get(ENTRY)
        # What is tried again was claimed before.
        if entry is not None and "retry_times" not in request.meta and not session.frontier.claim(entry):
            raise Refused


def _is_private(host: str) -> bool:
    """Tell whether a host is the address of a private network; what names mean is known to the proxy only."""
    try:
        return not is_public(host)
    except ValueError:
        return host == "localhost"


class Robots(_Part):
    """Downloader middleware: obeys robots.txt as RFC 9309 says, and archives it.

    Without an answer, or with one of a failing server, nothing may be fetched. With another status of 4xx,
    anything may be. ``Crawl-delay`` is kept, and sitemaps are told to the spider.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._rules: dict[str, asyncio.Task[Protego | Refused]] = {}

    async def process_request(self, request: Request) -> None:
        """Refuse what robots.txt forbids."""
        session = self.spider.session
        if _ROBOTS in request.meta or not session.options.robots:
            return
        parts = urlparse_cached(request)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            self._rules[origin] = asyncio.ensure_future(self._fetched(origin))
        rules = await asyncio.shield(self._rules[origin])
        if isinstance(rules, Refused):
            raise Refused(rules.reason, rules.detail, lost=True)
        if not rules.can_fetch(request.url, session.options.agent):
            raise Refused(ROBOTS)

    async def _fetched(self, origin: str) -> Protego | Refused:
        """Give the rules of a server; else why they cannot be had."""
        url = f"{origin}/robots.txt"
        request = Request(url, meta={_ROBOTS: True}, callback=NO_CALLBACK, priority=1 << 20)
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  # whatever it is, there are no rules
            return Refused(UNREACHABLE, f"{url}: {error or type(error).__name__}")
        spider = self.spider
        answer = fetched(response, Entry(url), response.request)
        spider.session.archive.write(answer, robots=True)
        if answer.status in FAILURES or answer.status >= 500:
            return Refused(ROBOTS, f"{url} has status {answer.status}")
        text = ""
        if answer.is_page:
            try:
                text = answer.payload(_MAX_ROBOTS).decode("utf-8", "replace")
            except TooLargeError:
                text = answer.body[:_MAX_ROBOTS].decode("utf-8", "replace")
            except UndecodableError as error:
                return Refused(ROBOTS, f"{url} cannot be decoded: {error}")
        rules = Protego.parse(text.removeprefix("\ufeff"))
        delay = rules.crawl_delay(spider.session.options.agent)
        if delay:
            delays: dict[str, float] = vars(spider).setdefault(_CRAWL_DELAYS, {})
            delays[domain(url)] = min(float(delay), _MAX_CRAWL_DELAY)
        for found in spider.sitemaps(url, rules.sitemaps):
            self.crawler.engine.crawl(found)
        return rules


class Backoff(_Part):
    """Downloader middleware: after a failure of the network, a domain is left alone for twice as long.

    AutoThrottle halves the wait after each answer.
    """

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Wait longer after a failure of the network."""
        slot = self.slot(request)
        if slot is not None and not isinstance(exception, (IgnoreRequest, DownloadCancelledError)):
            _back_off(slot)


def _back_off(slot: Slot, asked: float = 0.0) -> None:
    """Wait twice as long before the next request as before, at least as long as a server asked for."""
    doubled = min(max(2 * slot.delay, _LEAST_BACKOFF), MAX_DELAY)
    slot.delay = max(doubled, min(asked, _MAX_CRAWL_DELAY))
    slot.lastseen = time.monotonic()


class Throttle(_Part):
    """Extension, behind AutoThrottle: a domain's delay is never below what its robots.txt asks for.

    It doubles after an answer of a server that fails or has too much to do. Downloads of what is no page are
    ended when their headers are there.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self._keep_delay, signals.request_reached_downloader)
        crawler.signals.connect(self._keep_delay, signals.response_downloaded)
        crawler.signals.connect(self._begin_wait, signals.response_downloaded)
        crawler.signals.connect(self._stop_others, signals.headers_received)

    def _keep_delay(self, request: Request, **_: Any) -> None:  # noqa: ANN401
        slot, least = self.slot(request), self._least(request)
        if slot is not None:
            slot.delay = max(slot.delay, least)

    def _least(self, request: Request) -> float:
        delays: dict[str, float] = vars(self.spider).get(_CRAWL_DELAYS, {})
        given = self.crawler.settings.getfloat("DOWNLOAD_DELAY")
        return max(given, delays.get(request.meta.get("download_slot", ""), 0.0))

    def _begin_wait(self, request: Request, response: Response, **_: Any) -> None:  # noqa: ANN401
        """Count the minimum delay from the answer; what AutoThrottle adds counts from the request."""
        slot = self.slot(request)
        if slot is None:
            return
        if response.status in FAILURES:
            asked = response.headers.get(b"Retry-After", b"") or b""
            _back_off(slot, float(asked) if asked.isdigit() else 0.0)
        slot.lastseen = max(slot.lastseen, time.monotonic() + self._least(request) - slot.delay)

    def _stop_others(self, headers: Any, request: Request, **_: Any) -> None:  # noqa: ANN401
        declared = media_type((headers.get(b"Content-Type") or b"").decode("latin-1"))
        if ENTRY in request.meta and not _may_be_read(declared):
            raise StopDownload(fail=False)


def _may_be_read(declared: str) -> bool:
    """Tell whether a media type may be that of a page or a sitemap."""
    return (
        not declared
        or declared in HTML_TYPES
        or declared.startswith("text/")
        or "xml" in declared
        or "gzip" in declared
    )
