"""The URLs of a crawl: which are worth a request, and each once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from scrapy.core.scheduler import Scheduler

from detemplate.crawl.options import ANYWHERE
from detemplate.crawl.urls import refusal, shape
from detemplate.page.urls import signed_key
from detemplate.sites.naming import domain, site_of

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.internet.defer import Deferred

MOST_WAITING: Final = 1_000_000
"""URLs that wait at most; further ones are dropped and counted."""

MOST_REDIRECTS: Final = 10
"""Redirects in a row that are followed."""

_MOST_SHAPES: Final = 200_000  # shapes of URLs that are counted; beyond, the rarer half is forgotten


class Frontier(Scheduler):
    """Scrapy's scheduler, which refuses what is not worth a request, and counts why.

    Its dupefilter would keep the priority that a URL had first. Here, a URL that waits is taken again where
    its new priority is greater.
    """

    def open(self, spider: Any) -> Deferred[None] | None:  # noqa: ANN401  # a CrawlSpider
        """Begin; the given URLs' sites are the scope of the crawl."""
        self._crawl = spider
        self._options = spider.options
        self._starts = frozenset(spider.starts)
        self._domains = {domain(url) for url in self._starts}
        self._scope = {self._site(url) for url in self._starts}
        self._waiting: dict[int, int] = {}
        self._claimed: set[int] = set()
        self._shapes: Counter[str] = Counter()
        return super().open(spider)

    def enqueue_request(self, request: Request) -> bool:
        """Take a request, unless its URL is known or not to be fetched."""
        if "retry_times" not in request.meta:
            key = signed_key(request.url)
            if key in self._claimed:
                return False
            waits = self._waiting.get(key)
            if waits is None and (reason := self._refusal(request)) is not None:
                self._crawl.summary.refused[reason] += 1
                return False
            if waits is not None and request.priority <= waits:
                return False
            self._waiting[key] = request.priority
            self._crawl.summary.waiting = len(self._waiting)
        return super().enqueue_request(request)

    def next_request(self) -> Request | None:
        """Return the best request whose URL was not asked for."""
        while not self._crawl.ended and (request := super().next_request()) is not None:
            if "retry_times" in request.meta or self.claim(request.url):
                return request
        return None

    def claim(self, url: str) -> bool:
        """Tell whether a URL was not asked for; from now on, it was."""
        key = signed_key(url)
        new = key not in self._claimed
        self._claimed.add(key)
        self._waiting.pop(key, None)
        self._crawl.summary.waiting = len(self._waiting)
        return new

    def _site(self, url: str) -> str:
        return "" if self._options.scope == ANYWHERE else site_of(url, self._options.scope)

    def _in_scope(self, url: str) -> bool:
        site = self._site(url)
        if self._options.scope == "directory":
            return site.startswith(tuple(self._scope))
        return site in self._scope

    def _refusal(self, request: Request) -> str | None:  # noqa: PLR0911  # a reason each
        """Tell why a URL is not to be fetched, if so."""
        url, depth = request.url, request.meta["depth"]
        redirects = request.meta["redirect_times"]
        if url in self._starts:
            return None
        # A site that is given as http://example.org may be served at https://www.example.org.
        if redirects and depth == 0 and domain(url) in self._domains:
            self._scope.add(self._site(url))
        if not url.startswith(("http://", "https://")):
            return "no web address"
        if not self._in_scope(url):
            return "other site"
        if depth > self._options.depth:
            return "too deep"
        if redirects > MOST_REDIRECTS:
            return "redirects"
        if (reason := refusal(url)) is not None:
            return reason
        if len(self._waiting) >= MOST_WAITING:
            return "too many waiting"
        alike = shape(url)
        if self._shapes[alike] >= self._options.max_alike:
            return "too many alike"
        self._shapes[alike] += 1
        if len(self._shapes) > _MOST_SHAPES:
            self._shapes = Counter(dict(self._shapes.most_common(_MOST_SHAPES // 2)))
        return None
