"""The spider of ``detemplate crawl``: it asks for URLs, and gives the answers to the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    CloseSpider,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

from detemplate.crawl.addresses import is_private
from detemplate.crawl.session import FAILURES, PRIVATE, ROBOTS, UNREACHABLE
from detemplate.crawl.urls import without_session
from detemplate.page.urls import canonical_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

    from detemplate.crawl.session import Session
    from detemplate.crawl.warcfile import Written

_ERRORS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (DownloadTimeoutError, "too slow"),
    (DownloadCancelledError, "too large"),
    (ResponseDataLossError, "cut off"),
    (CannotResolveHostError, UNREACHABLE),
    (DownloadConnectionRefusedError, UNREACHABLE),
    (DownloadFailedError, UNREACHABLE),
)
"""Reasons of rejects, by the exceptions of downloads."""


class Refused(IgnoreRequest):  # named as Scrapy names such exceptions
    """A request must not be made.

    Parameters
    ----------
    reason
        The reason for counters.
    detail
        What exactly is the case.
    lost
        Whether a page may be lost by it.
    """

    def __init__(self, reason: str = ROBOTS, detail: str = "", *, lost: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.lost = lost


class CrawlSpider(Spider):
    """Crawls for a session.

    Parameters
    ----------
    session
        What takes the answers.
    stored
        Answers that an earlier process has fetched.
    whole
        Whether these are all.
    """

    name = "detemplate"

    def __init__(
        self, session: Session, stored: Iterable[tuple[Response, Written]], *, whole: bool = False
    ) -> None:
        super().__init__()
        self.session = session
        self._stored = stored
        self._whole = whole

    async def start(self) -> AsyncIterator[Any]:
        """Take the stored answers, then give the first requests."""
        frontier: Any = self.crawler.engine.scheduler  # type: ignore[union-attr]  # it runs
        for response, written in self._stored:
            if self.session.ended:
                break
            if response.status not in FAILURES:
                self.session.summary.resumed += 1
                frontier.claim(response.url)
                for request in self._follow(response, written):
                    frontier.enqueue_request(request)
        if self._whole:
            raise CloseSpider
        for url in self.session.starts:
            yield self.request(url)

    def request(self, url: str, depth: int = 0, priority: int | None = None, redirects: int = 0) -> Request:
        """Make the request of a canonical URL."""
        return Request(
            url,
            errback=self.lost,
            meta={"dont_redirect": True, "depth": depth, "redirect_times": redirects},
            priority=self.session.options.priority(depth) if priority is None else priority,
        )

    def parse(self, response: Response, **_: object) -> Iterator[Request]:
        """Archive an answer; ask for what follows from it."""
        if not self.session.ended:
            assert response.request is not None
            yield from self._follow(response, self.session.archive.write(response, response.request))

    def _follow(self, response: Response, written: Written) -> Iterator[Request]:
        visit, depth = self.session.take(response, written), response.meta["depth"]
        for url, priority in visit.links:
            yield self.request(_stripped(url), depth + 1, priority)
        if visit.redirect is not None:
            redirects = response.meta["redirect_times"] + 1
            request = self.request(_stripped(visit.redirect), depth, redirects=redirects)
            if response.url in self.session.given:
                self.session.given.add(request.url)
            yield request

    def lost(self, failure: Failure) -> None:
        """Tell the session that there is no answer."""
        error: Any = failure.value
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy sets it
        if self.session.ended:
            return
        if isinstance(error, Refused):
            reason, detail, rejected = error.reason, error.detail, error.lost
        elif isinstance(error, IgnoreRequest):
            reason, detail, rejected = ROBOTS, "", False
        else:
            reason = next((name for kind, name in _ERRORS if isinstance(error, kind)), "failed")
            detail, rejected = str(error) or type(error).__name__, True
        if reason == UNREACHABLE and not self.session.options.allow_private and is_private(url):
            reason, detail = PRIVATE, "--allow-private lets it be fetched"
        self.session.lose(url, reason, detail, rejected=rejected)


def _stripped(url: str) -> str:
    return canonical_url(without_session(url)) or url
