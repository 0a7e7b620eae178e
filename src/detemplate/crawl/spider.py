"""The spider of ``detemplate crawl``: it asks for URLs, archives and cleans the answers, and counts."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
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

from detemplate.crawl.frontier import without_session
from detemplate.errors import counted
from detemplate.io.record import Skip
from detemplate.page.urls import canonical_url
from detemplate.run.summary import Summary
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

    from detemplate.crawl.options import CrawlOptions
    from detemplate.crawl.visit import Visit, Visitor
    from detemplate.crawl.warcfile import WarcWriter, Written
    from detemplate.io.sinks.out import Sink
    from detemplate.run.limits import Rejects
    from detemplate.run.progress import Progress, Watch
    from detemplate.run.stopping import Stop
    from detemplate.sites.history import Histories


@dataclass(slots=True)
class CrawlSummary(Summary):
    """Counts of a crawl; those of :class:`~detemplate.run.summary.Summary` are of its pages.

    ``output``: name of the WARC file.
    ``responses``, ``size``: answers in the WARC file, those of robots.txt not counted, and its size in bytes.
    ``resumed``: answers that an earlier process of the crawl had fetched.
    ``refused``: number of links that were not followed, by reason. Links to known pages are not counted.
    ``waiting``: URLs that still wait.
    ``starts_lost``: given URLs that could not be fetched, each with the reason.
    ``cleaning``: whether pages were cleaned.
    """

    output: str = ""
    responses: int = 0
    size: int = 0
    resumed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    starts_lost: list[str] = field(default_factory=list)
    cleaning: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the counts as a JSON object."""
        shared = Summary.as_dict(self)
        if not self.cleaning:
            shared = {name: shared[name] for name in ("pages", "sites", "skipped", "rejected", "seconds")}
        return {
            "output": self.output,
            "responses": self.responses,
            "bytes": self.size,
            "resumed": self.resumed,
            **shared,
            "not_followed": dict(self.refused.most_common()),
            "waiting": self.waiting,
        }

    def lines(self) -> list[str]:
        """Return the summary as lines of text for a person."""
        rate = (self.responses - self.resumed) / self.seconds if self.seconds else 0.0
        lines = [
            f"{counted(self.pages, 'page')} of {counted(self.sites, 'site')} crawled, "
            f"{self.seconds:.1f} s ({rate:,.1f} answers/s); {counted(self.responses, 'answer')}, "
            f"{self.size:,} bytes in {self.output}"
        ]
        if self.resumed:
            lines.append(f"{self.resumed:,} of the answers were there before")
        lines += Summary.lines(self)[1 if self.cleaning else 2 :]
        if self.refused:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.refused.most_common())
            lines.append(f"links not followed: {reasons}")
        if self.waiting:
            lines.append(f"{counted(self.waiting, 'URL')} still waited")
        return lines


ROBOTS: Final = "robots.txt"
"""Reason of URLs that robots.txt forbids."""

UNREACHABLE: Final = "unreachable"
"""Reason of URLs whose server did not answer."""

PRIVATE: Final = "private address"
"""Reason of URLs whose host is in a private network."""

FAILURES: Final = frozenset({408, 429, 500, 502, 503, 504, 522, 524})
"""Statuses of servers that may answer otherwise later; a crawl that goes on asks again."""

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
    """A request must not be made; its arguments: a reason, a detail, and whether a page may be lost by it."""


class CrawlSpider(Spider):
    """Crawls; Scrapy's class takes the attributes as keyword arguments.

    ``starts``: the given URLs.
    ``stored``, ``whole``: answers that an earlier process has fetched, and whether these are all.
    ``sink``: takes the output records of cleaned pages; None: there is none.
    ``histories``: takes what a store keeps of the sites' histories; None: there is no store.
    ``progress``: shows how far the crawl has come, if anything does.
    ``error``: what has ended the crawl.
    ``delays``: seconds that robots.txt files ask for between two requests, by domain.
    """

    name = "detemplate"
    starts: list[str]
    stored: Iterable[tuple[Response, Written]]
    whole: bool
    options: CrawlOptions
    visitor: Visitor
    archive: WarcWriter
    rejects: Rejects
    watch: Watch
    stop: Stop
    summary: CrawlSummary
    sink: Sink | None
    histories: Histories | None
    progress: Progress | None

    def __init__(self, **parts: Any) -> None:  # noqa: ANN401
        super().__init__(**parts)
        self.error: BaseException | None = None
        self.delays: dict[str, float] = {}
        self._given = {*self.starts}  # and where redirects from them lead
        self._sites: set[int] = set()

    @property
    def ended(self) -> bool:
        """Whether it takes no more answers."""
        limit = self.options.max_pages
        full = limit is not None and self.summary.pages >= limit
        return full or self.error is not None or bool(self.stop.heard)

    async def start(self) -> AsyncIterator[Any]:
        """Take the stored answers, then give the first requests."""
        frontier: Any = self.crawler.engine.scheduler
        for response, written in self.stored:
            if self.ended:
                break
            if response.status not in FAILURES:
                self.summary.resumed += 1
                frontier.claim(response.url)
                for request in self._take(response, written):
                    frontier.enqueue_request(request)
        if self.whole:
            raise CloseSpider
        for url in self.starts:
            yield self.request(url)

    def request(self, url: str, depth: int = 0, priority: int | None = None, redirects: int = 0) -> Request:
        """Make the request of a canonical URL; without a priority, that of its depth counts."""
        return Request(
            url,
            errback=self.lost,
            meta={"dont_redirect": True, "depth": depth, "redirect_times": redirects},
            priority=self.options.priority(depth) if priority is None else priority,
        )

    def parse(self, response: Response, **_: object) -> Iterator[Request]:
        """Archive an answer; ask for what follows from it."""
        if not self.ended and response.request is not None:
            yield from self._take(response, self.archive.write(response, response.request))

    def _take(self, response: Response, written: Written) -> Iterator[Request]:
        """Take an answer that is in the WARC file; give what follows from it."""
        began = time.perf_counter()
        visit = self.visitor.visit(response, written)
        self.summary.responses += 1
        if (skip := visit.skip) is not None:
            self._skip(skip, lost=response.status >= 400 or skip.rejected)
        if visit.record is not None:
            self._page(visit)
        self.watch.page(response.url, time.perf_counter() - began)
        self._advance()
        depth = response.meta["depth"]
        for url, priority in visit.links:
            yield self.request(_stripped(url), depth + 1, priority)
        for url, priority, found_at in visit.raised:
            yield self.request(_stripped(url), found_at, priority)
        if visit.redirect is not None:
            redirects = response.meta["redirect_times"] + 1
            request = self.request(_stripped(visit.redirect), depth, redirects=redirects)
            if response.url in self._given:
                self._given.add(request.url)
            yield request

    def _page(self, visit: Visit) -> None:
        cleaned, record = visit.cleaned, visit.record
        assert record is not None
        if cleaned is None:
            self.summary.pages += 1
        else:
            self.summary.count(cleaned)
            if self.histories is not None and cleaned.page_summary is not None:
                self.histories.add(cleaned.site, cleaned.page_summary, record.date)
            if self.sink is not None:
                self.sink.write(cleaned.row, record)
        self._sites.add(hash(site_of(record.url)))
        self.summary.sites = len(self._sites)

    def lost(self, failure: Failure) -> None:
        """Note that there is no answer."""
        error: Any = failure.value
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy sets it
        if self.ended:
            return
        if isinstance(error, Refused):
            reason, detail, rejected = error.args
        elif isinstance(error, IgnoreRequest):  # of Scrapy's own middleware
            reason, detail, rejected = ROBOTS, "", False
        else:
            reason = next((name for kind, name in _ERRORS if isinstance(error, kind)), "failed")
            detail, rejected = str(error) or type(error).__name__, True
        self._skip(Skip(url, reason, detail, rejected=rejected), lost=True)
        self._advance()

    def _skip(self, skip: Skip, *, lost: bool) -> None:
        self.summary.skip(skip)
        self.rejects.write(skip)
        if lost and skip.url in self._given:
            told = f"{skip.reason}: {skip.detail}" if skip.detail else skip.reason
            self.summary.starts_lost.append(f"{skip.url} ({told})")

    def _advance(self) -> None:
        pages, sites = self.summary.pages, self.summary.sites
        if self.progress is not None:
            self.progress.advance(pages, sites, pages)
        self.watch.advance(pages, sites, self.summary.skipped)


def _stripped(url: str) -> str:
    return canonical_url(without_session(url)) or url
