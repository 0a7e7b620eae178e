"""What a crawl writes and counts."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Skip
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from scrapy.http import Response

    from detemplate.crawl.options import CrawlOptions
    from detemplate.crawl.summary import CrawlSummary
    from detemplate.crawl.visit import Visit, Visitor
    from detemplate.crawl.warcfile import WarcWriter, Written
    from detemplate.io.sinks.out import Sink
    from detemplate.run.progress import Progress
    from detemplate.run.rejects import Rejects
    from detemplate.run.stopping import Stop
    from detemplate.run.watching import Watch
    from detemplate.sites.history import Histories

ROBOTS: Final = "robots.txt"
"""Reason of URLs that robots.txt forbids."""

UNREACHABLE: Final = "unreachable"
"""Reason of URLs whose server did not answer."""

PRIVATE: Final = "private address"
"""Reason of URLs whose host is in a private network."""

FAILURES: Final = frozenset({408, 429, 500, 502, 503, 504, 522, 524})
"""Statuses of servers that may answer otherwise later; a crawl that goes on asks again."""


@dataclass
class Session:
    """What a crawl does with answers, from the network or from its WARC file.

    Attributes
    ----------
    starts
        The given URLs.
    given
        These, and where redirects from them lead.
    options, visitor, archive, rejects, watch, stop, summary
        Parts of the crawl.
    sink
        Takes the output records of cleaned pages; None: there is none.
    histories
        Takes what a store keeps of the sites' histories; None: there is no store.
    progress
        Shows how far the crawl has come.
    error
        What has ended the crawl.
    delays
        Seconds that robots.txt files ask for between two requests, by domain.
    """

    starts: list[str]
    options: CrawlOptions
    visitor: Visitor
    archive: WarcWriter
    rejects: Rejects
    watch: Watch
    stop: Stop
    summary: CrawlSummary
    sink: Sink | None = None
    histories: Histories | None = None
    progress: Progress | None = None
    error: BaseException | None = None
    delays: dict[str, float] = field(default_factory=dict)
    given: set[str] = field(init=False)
    _sites: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.given = {*self.starts}

    @property
    def ended(self) -> bool:
        """Whether it takes no more answers."""
        limit = self.options.max_pages
        full = limit is not None and self.summary.pages >= limit
        return full or self.error is not None or bool(self.stop.heard)

    def take(self, response: Response, written: Written) -> Visit:
        """Take an answer that is in the WARC file."""
        began = time.perf_counter()
        visit = self.visitor.visit(response, written)
        self.summary.responses += 1
        skip = visit.skip
        if skip is not None:
            self._skip(skip, lost=response.status >= 400 or skip.rejected)
        if visit.record is not None:
            self._page(visit)
        self.watch.page(response.url, time.perf_counter() - began)
        self._advance()
        return visit

    def _page(self, visit: Visit) -> None:
        cleaned, record = visit.cleaned, visit.record
        assert record is not None
        if cleaned is None:
            self.summary.pages += 1
        else:
            self.summary.count(cleaned)
            if self.histories is not None and cleaned.glance is not None:
                source = record.source
                self.histories.add(cleaned.site, cleaned.glance, source.date if source else None)
            if self.sink is not None:
                self.sink.write(cleaned.row, record)
        self._sites.add(hash(site_of(record.url)))
        self.summary.sites = len(self._sites)

    def lose(self, url: str, reason: str, detail: str, *, rejected: bool) -> None:
        """Note that a URL could not be fetched, or must not be."""
        self._skip(Skip(url, reason, detail, rejected=rejected), lost=True)
        self._advance()

    def _skip(self, skip: Skip, *, lost: bool) -> None:
        self.summary.skip(skip)
        self.rejects.write(skip)
        if lost and skip.url in self.given:
            self.summary.starts_lost.append(skip.url)

    def _advance(self) -> None:
        pages, sites = self.summary.pages, self.summary.sites
        if self.progress is not None:
            self.progress.advance(pages, sites, pages)
        self.watch.advance(pages, sites, self.summary)
