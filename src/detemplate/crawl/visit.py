"""What a crawl makes of an answer: the links to follow, the cleaned page, or why it is no page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from scrapy.utils.sitemap import Sitemap
from w3lib.html import get_meta_refresh

from detemplate.crawl.focus import link_relevance
from detemplate.crawl.options import LEVEL
from detemplate.crawl.warcfile import CUT
from detemplate.errors import PageError, counted
from detemplate.io.record import Record, Skip
from detemplate.io.sources.http_body import (
    HTML_TYPES,
    TooLargeError,
    UndecodableError,
    charset,
    codings_of,
    decode_body,
    looks_like_html,
    media_type,
)
from detemplate.links.focus import Distiller, priorities, template_scores
from detemplate.page.links import page_links
from detemplate.page.pagelets import pagelet_of, pagelets
from detemplate.page.urls import resolve
from detemplate.run.limits import Clock, PageLimits, attempted, rejection
from detemplate.run.reader import record_page

if TYPE_CHECKING:
    from scrapy.http import Response

    from detemplate.crawl.focus import Topic
    from detemplate.crawl.options import CrawlOptions
    from detemplate.crawl.warcfile import Written
    from detemplate.detectors.verdict import Verdict
    from detemplate.output.result import Result
    from detemplate.page.page import Page
    from detemplate.run.cleaner import Engine
    from detemplate.run.pagework import Cleaned, RowOf

_SITEMAP: Final = re.compile(rb"<(?:[\w-]+:)?(?:urlset|sitemapindex)[\s>]")  # the root of a sitemap
_ROOT: Final = 4096  # bytes in which that root must begin
_GZIP: Final = b"\x1f\x8b"  # first bytes of a file that is compressed with gzip, as sitemaps may be

_REFRESH: Final = re.compile(rb'http-equiv="refresh"', re.IGNORECASE)
"""The attribute of a page that sends its readers on."""

_HEAD: Final = 1 << 15  # bytes in which that attribute is looked for


@dataclass(slots=True)
class Visit:
    """What became of an answer.

    ``links``: links to follow: canonical URLs of their targets, and their priorities.
    ``raised``: other pages that wait, whose priority is greater now: URL, priority and depth.
    ``redirect``: where the answer sends.
    ``record``: the record of a page; None: it is none, or counts as none.
    ``cleaned``: the cleaned page, if pages are cleaned.
    ``skip``: why it is no page, or one that was lost.
    """

    links: list[tuple[str, int]] = field(default_factory=list)
    raised: list[tuple[str, int, int]] = field(default_factory=list)
    redirect: str | None = None
    record: Record | None = None
    cleaned: Cleaned | None = None
    skip: Skip | None = None


class Visitor:
    """Works on answers, one after another.

    ``options``: options of the crawl.
    ``cleaner``: learns each page and judges it; None: templates play no role.
    ``row``: makes output records; None: none are made.
    ``topic``: what a focused crawl looks for; None: it goes breadth-first.
    ``seconds``: time that a page may take.
    """

    def __init__(
        self,
        options: CrawlOptions,
        *,
        cleaner: Engine | None = None,
        row: RowOf | None = None,
        topic: Topic | None = None,
        seconds: float = 20.0,
    ) -> None:
        self._options = options
        self._topic = topic
        self._distiller = Distiller() if options.distill else None
        self._clock = Clock(seconds)
        self._passes = None
        if cleaner is not None:

            def finish(result: Result) -> tuple[Result, Cleaned | None]:
                return result, row(result) if row else None

            self._passes = cleaner.passes(lambda given: given, finish, PageLimits(seconds))

    def visit(self, response: Response, written: Written) -> Visit:  # noqa: PLR0911  # a case each
        """Work on an answer."""
        url, status = response.url, response.status
        declared = media_type(_header(response, b"Content-Type"))

        def skipped(reason: str, detail: str, *, rejected: bool = False) -> Visit:
            return Visit(skip=Skip(url, reason, detail, written.source, rejected=rejected))

        if not 200 <= status < 300:
            visit = skipped("http status", str(status))
            if 300 <= status < 400:
                visit.redirect = resolve(url, _header(response, b"Location"))
            return visit
        if CUT in response.flags:
            return skipped("not html", declared)
        limit = self._options.max_page_bytes
        try:
            body = payload(response, limit)
            sitemap = _sitemap(body, limit)
        except TooLargeError:
            return skipped("too large", f"more than {limit} bytes", rejected=True)
        except UndecodableError as error:
            return skipped("undecodable", str(error), rejected=True)
        depth = response.meta["depth"] + 1
        if sitemap is not None:
            visit = skipped("sitemap", counted(len(sitemap), "URL"))
            visit.links = [(each, self._options.priority(depth)) for each in sitemap]
            return visit
        if declared not in HTML_TYPES and (declared or not looks_like_html(body)):
            return skipped("not html", declared or "no content type")
        given = charset(_header(response, b"Content-Type"))
        record = Record(url, body, given, declared or None, source=written.source)
        if written.repeat:  # as readers of the WARC file have it
            return self._unjudged(record, depth, skipped("revisit", ""))
        if self._passes is None:
            return self._unjudged(record, depth, Visit(record=record))
        _, judged = next(iter(self._passes.stream([record])))
        if isinstance(judged, PageError):
            return Visit(skip=rejection(record, judged))
        result, cleaned = judged
        links = self._links(result.page, result.verdict, depth)
        return Visit(links, self._raised(), record=record, cleaned=cleaned)

    def _unjudged(self, record: Record, depth: int, visit: Visit) -> Visit:
        """Add the links of a page that is not judged to what became of it."""
        page = attempted(
            record,
            lambda: record_page(record, "host", keep_document=False),
            max_page_bytes=self._options.max_page_bytes,
            clock=self._clock,
        )
        if isinstance(page, Skip):
            return visit if visit.skip is not None else Visit(skip=page)
        visit.links = self._links(page, None, depth)
        visit.raised = self._raised()
        return visit

    def _links(self, page: Page, verdict: Verdict | None, depth: int) -> list[tuple[str, int]]:
        """Return the links of a page, with their priorities."""
        options = self._options
        refresh = _refresh(page)
        found = [] if refresh is None else [(refresh, options.priority(depth))]
        if self._topic is not None:
            links, base, scores = link_relevance(page, verdict, self._topic)
            wanted = priorities(scores, base, penalty=options.penalty)
            if self._distiller is not None:
                # Without a verdict pages are the hubs, as in FOCUS; with one, pagelets.
                none = np.zeros(len(links), np.int64)
                hubs = none if verdict is None else pagelet_of(page, pagelets(page), links.rows)
                self._distiller.add(
                    page.url, links, pagelets=hubs, relevance=base, template=scores, priorities=wanted,
                    depth=depth,
                )  # fmt: skip
            wanted = (wanted * LEVEL).round().astype(int)
            return found + list(zip(links.urls, wanted.tolist(), strict=True))
        links = page_links(page)
        if verdict is None or not options.penalty:
            return found + [(url, options.priority(depth)) for url in links.urls]
        given = map(
            options.priority, [depth] * len(links), template_scores(page, verdict, links.rows).tolist()
        )
        return found + list(zip(links.urls, given, strict=True))

    def _raised(self) -> list[tuple[str, int, int]]:
        """Run the distiller if it is due; return the pages that it raises."""
        if self._distiller is None or not self._distiller.due:
            return []
        return [(page.url, round(page.priority * LEVEL), page.depth) for page in self._distiller.distil()]


def _header(response: Response, name: bytes) -> str:
    return (response.headers.get(name) or b"").decode("latin-1")


def payload(response: Response, limit: int) -> bytes:
    """Undo the content codings of a body.

    Raises TooLargeError: it has more than ``limit`` bytes.
    Raises UndecodableError: a coding is unknown, or the data is corrupt.
    """
    listed = b",".join(response.headers.getlist(b"Content-Encoding")).decode("latin-1")
    return decode_body(response.body, codings_of(listed), limit)


def _sitemap(body: bytes, limit: int) -> list[str] | None:
    """Return the URLs of a sitemap or of an index of sitemaps; None if it is neither."""
    if body.startswith(_GZIP):
        body = decode_body(body, ["gzip"], limit)
    if not _SITEMAP.search(body, 0, _ROOT):
        return None
    found = (resolve("", str(item.get("loc", ""))) for item in Sitemap(body.lstrip()))
    return [url for url in found if url is not None]


def _refresh(page: Page) -> str | None:
    """Return the address that a page's ``refresh`` names, if it has one."""
    if not _REFRESH.search(page.canonical, 0, _HEAD):
        return None
    _, target = get_meta_refresh(page.canonical[:_HEAD].decode("utf-8", "ignore"), page.url)
    return None if target is None else resolve("", target)
