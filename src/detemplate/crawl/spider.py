"""The spider of ``detemplate crawl``: it asks for URLs, and gives the answers to the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

from detemplate.crawl.fetched import Fetched, status_line, written_head
from detemplate.crawl.session import PRIVATE, UNREACHABLE
from detemplate.page.urls import resolve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

    from detemplate.crawl.frontier import Entry
    from detemplate.crawl.session import Session

ENTRY: Final = "detemplate_entry"
"""Key in the meta of a request, of its entry in the frontier."""

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
        The reason for counters; empty: another request for the same URL is made.
    detail
        What exactly is the case.
    lost
        Whether a page may be lost by it.
    """

    def __init__(self, reason: str = "", detail: str = "", *, lost: bool = False) -> None:
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
    entries
        What is to be fetched first.
    full
        Is called when the session has enough pages.
    refused_hosts
        Names of hosts whose addresses are private ones.
    """

    name = "detemplate"

    def __init__(
        self, session: Session, entries: Iterable[Entry], full: Callable[[], None], refused_hosts: set[str]
    ) -> None:
        super().__init__()
        self.session = session
        self._entries = entries
        self._full = full
        self._refused_hosts = refused_hosts

    async def start(self) -> AsyncIterator[Any]:
        """Give the first requests."""
        for entry in self._entries:
            yield self.request(entry)

    def request(self, entry: Entry) -> Request:
        """Make the request of an entry."""
        meta = {ENTRY: entry, "dont_redirect": True, "handle_httpstatus_all": True}
        return Request(
            entry.url,
            callback=self.parse,
            errback=self.lost,
            meta=meta,
            priority=entry.priority,
            dont_filter=True,
        )

    def parse(self, response: Response, **_: object) -> Iterator[Request]:
        """Give an answer to the session; ask for what follows from it."""
        entry: Entry = response.meta[ENTRY]
        found = self.session.take(fetched(response, entry, response.request))
        if self.session.ended:
            self._full()
            return
        yield from map(self.request, found)

    def lost(self, failure: Failure) -> None:
        """Tell the session that there is no answer."""
        error = failure.value
        entry: Entry = failure.request.meta[ENTRY]  # type: ignore[attr-defined]  # Scrapy sets it
        if self.session.ended:
            return
        if isinstance(error, Refused):
            if error.reason:
                self._lose(entry, error.reason, error.detail, rejected=error.lost)
            return
        reason = next((name for kind, name in _ERRORS if isinstance(error, kind)), "failed")
        self._lose(entry, reason, str(error) or type(error).__name__)

    def _lose(self, entry: Entry, reason: str, detail: str, *, rejected: bool = True) -> None:
        if reason == UNREACHABLE and host_name(entry.url) in self._refused_hosts:
            reason, detail = PRIVATE, "--allow-private lets it be fetched"
        self.session.lose(entry, reason, detail, rejected=rejected)

    def sitemaps(self, robots_url: str, named: Iterable[str]) -> list[Request]:
        """Give the requests for the sitemaps that a robots.txt names, else for the usual one."""
        if not self.session.options.sitemaps:
            return []
        urls = [resolve(robots_url, url) for url in named] or [resolve(robots_url, "/sitemap.xml")]
        found = (self.session.frontier.offer(url, 0) for url in urls if url is not None)
        return [self.request(entry) for entry in found if entry is not None]


def host_name(url: str) -> str:
    """Give the host of a URL, without its port."""
    return urlsplit(url).hostname or ""


def fetched(response: Response, entry: Entry, request: Request | None) -> Fetched:
    """Give an answer as it was received.

    Twisted reads headers: names come in their usual case, repeated ones together, and what belongs to the
    connection (``Transfer-Encoding``, ``Connection``) is gone.
    """
    protocol = response.protocol or "HTTP/1.1"
    first = status_line(protocol, response.status)
    headers = ((name, value) for name, values in response.headers.items() for value in values)
    asked = b""
    if request is not None:
        rest = request.url.partition("://")[2]
        host, slash, path = rest.partition("/")
        lines = ((name, value) for name, values in request.headers.items() for value in values)
        asked = written_head(
            f"{request.method} {slash}{path} HTTP/1.1", [(b"Host", host.encode("ascii", "replace")), *lines]
        )
    return Fetched(
        entry.url,
        written_head(first, headers),
        response.body,
        entry.depth,
        entry.redirects,
        address="" if response.ip_address is None else str(response.ip_address),
        cut="download_stopped" in response.flags,
        request=asked,
    )
