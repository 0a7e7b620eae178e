"""What a crawl makes of an answer: the links to follow, the cleaned page, or why it is no page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.crawl.focus import link_relevance
from detemplate.crawl.options import LEVEL
from detemplate.errors import PageError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.html_sniff import looks_like_html
from detemplate.io.sources.http_body import (
    HTML_TYPES,
    TooLargeError,
    UndecodableError,
    charset,
    decode_body,
)
from detemplate.links.focus import priorities, template_scores
from detemplate.page.links import page_links
from detemplate.page.urls import resolve
from detemplate.run.intake import record_page
from detemplate.run.limits import Clock, PageLimits, attempted, rejection

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.crawl.fetched import Fetched
    from detemplate.crawl.focus import Topic
    from detemplate.crawl.frontier import Frontier
    from detemplate.crawl.options import CrawlOptions
    from detemplate.crawl.warcfile import Written
    from detemplate.output.result import Result
    from detemplate.page.page import Page
    from detemplate.run.cleaner import Cleaner
    from detemplate.run.pagework import Cleaned, RowOf

_SITEMAP: Final = re.compile(rb"<(?:[\w-]+:)?(?:urlset|sitemapindex)[\s>]")
"""The root of a sitemap."""

_ROOT: Final = 4096
"""Bytes in which that root must begin."""

_GZIP: Final = b"\x1f\x8b"
"""First bytes of a file that is compressed with gzip, as sitemaps may be."""

_REFRESH: Final = re.compile(rb'http-equiv="refresh"', re.IGNORECASE)
"""The attribute of a page that sends its readers on."""

_HEAD: Final = 1 << 15
"""Bytes in which that attribute is looked for."""


class Follow(NamedTuple):
    """A link to follow.

    Attributes
    ----------
    url
        Canonical URL of its target.
    priority
        Its priority; None: by its depth.
    """

    url: str
    priority: int | None = None


@dataclass(slots=True)
class Visit:
    """What became of an answer.

    Attributes
    ----------
    links
        Links to follow.
    redirect
        Where the answer sends: a redirect, or a page's ``refresh``.
    cleaned
        The cleaned page, if pages are cleaned.
    record
        The page's record.
    skip
        Why it is no page, or one that was lost.
    is_page
        Whether it counts as a page.
    """

    links: list[Follow] = field(default_factory=list)
    redirect: str | None = None
    cleaned: Cleaned | None = None
    record: Record | None = None
    skip: Skip | None = None
    is_page: bool = False


class _Judged(NamedTuple):
    """A page with its verdict, and its output record."""

    result: Result
    cleaned: Cleaned | None


class Visitor:
    """Works on answers, one after another.

    Parameters
    ----------
    options
        Options of the crawl.
    frontier
        Gives priorities of links.
    cleaner
        Learns each page and judges it; None: templates play no role.
    row
        Makes output records; None: none are made.
    topic
        What a focused crawl looks for; None: it goes breadth-first.
    seconds
        Time that a page may take.
    """

    def __init__(
        self,
        options: CrawlOptions,
        frontier: Frontier,
        *,
        cleaner: Cleaner | None = None,
        row: RowOf | None = None,
        topic: Topic | None = None,
        seconds: float = 20.0,
    ) -> None:
        self._options = options
        self._frontier = frontier
        self._topic = topic
        self._clock = Clock(seconds)
        self._passes = None
        if cleaner is not None:
            finish: Callable[[Result], _Judged] = lambda result: _Judged(result, row(result) if row else None)  # noqa: E731
            self._passes = cleaner.passes(lambda given: given, finish, PageLimits(seconds))

    def visit(self, fetched: Fetched, written: Written) -> Visit:  # noqa: PLR0911  # a case each
        """Work on an answer."""
        http = fetched.http
        skip = Skip(fetched.url, "http status", str(fetched.status or "none"), written.source)
        if 300 <= fetched.status < 400:
            return Visit(skip=skip, redirect=resolve(fetched.url, http.headers.get("location", "")))
        if not fetched.is_page:
            return Visit(skip=skip)
        if fetched.cut:
            return Visit(skip=Skip(fetched.url, "not html", http.media_type, written.source))
        limit = self._options.max_page_bytes
        try:
            payload = fetched.payload(limit)
            sitemap = _sitemap(payload, limit)
        except TooLargeError:
            return _lost(fetched, written, "too large", f"more than {limit} bytes")
        except UndecodableError as error:
            return _lost(fetched, written, "undecodable", str(error))
        if sitemap is not None:
            skip = Skip(fetched.url, "sitemap", f"{len(sitemap):,} URLs", written.source)
            return Visit(links=[Follow(url) for url in sitemap], skip=skip)
        declared = http.media_type
        if declared not in HTML_TYPES and (declared or not looks_like_html(payload)):
            return Visit(skip=Skip(fetched.url, "not html", declared or "no content type", written.source))
        content_type = http.headers.get("content-type", "")
        record = Record(fetched.url, payload, charset(content_type), declared or None, source=written.source)
        if written.repeat:  # as readers of the WARC file have it
            page = self._parsed(record)
            skip = Skip(fetched.url, "revisit", "", written.source)
            return (
                Visit(skip=skip)
                if isinstance(page, Skip)
                else self._followed(page, None, Visit(skip=skip), fetched)
            )
        return self._page(record, fetched)

    def _page(self, record: Record, fetched: Fetched) -> Visit:
        if self._passes is None:
            page = self._parsed(record)
            if isinstance(page, Skip):
                return Visit(skip=page)
            return self._followed(page, None, Visit(record=record, is_page=True), fetched)
        _, judged = next(iter(self._passes.stream([record])))
        if isinstance(judged, PageError):
            return Visit(skip=rejection(record, judged))
        done = Visit(record=record, cleaned=judged.cleaned, is_page=True)
        return self._followed(judged.result.page, judged.result, done, fetched)

    def _parsed(self, record: Record) -> Page | Skip:
        limit = self._options.max_page_bytes
        return attempted(
            record,
            lambda: record_page(record, "host", keep_document=False),
            max_page_bytes=limit,
            clock=self._clock,
        )

    def _followed(self, page: Page, result: Result | None, visit: Visit, fetched: Fetched) -> Visit:
        """Add the links of a page to what became of it."""
        verdict = None if result is None else result.verdict
        refresh = _refresh(page)
        if refresh is not None:
            visit.links.append(Follow(refresh))
        if self._topic is not None:
            links, base, scores = link_relevance(page, verdict, self._topic)
            wanted = priorities(scores, base, penalty=self._options.penalty) * LEVEL
            given = wanted.round().astype(int).tolist()
            visit.links += map(Follow, links.urls, given)
            return visit
        links = page_links(page)
        if verdict is None or not self._options.penalty:
            visit.links += map(Follow, links.urls)
        else:
            depth = fetched.depth + 1
            for url, score in zip(
                links.urls, template_scores(page, verdict, links.rows).tolist(), strict=True
            ):
                visit.links.append(Follow(url, self._frontier.priority(depth, score)))
        return visit


def _lost(fetched: Fetched, written: Written, reason: str, detail: str) -> Visit:
    return Visit(skip=Skip(fetched.url, reason, detail, written.source, rejected=True))


def _sitemap(payload: bytes, limit: int) -> list[str] | None:
    """Return the URLs of a sitemap or of an index of sitemaps; None if it is neither."""
    if payload.startswith(_GZIP):
        payload = decode_body(payload, ["gzip"], limit)
    if not _SITEMAP.search(payload, 0, _ROOT):
        return None
    from scrapy.utils.sitemap import Sitemap

    found = (resolve("", str(item.get("loc", ""))) for item in Sitemap(payload.lstrip()))
    return [url for url in found if url is not None]


def _refresh(page: Page) -> str | None:
    """Give the address that a page's ``refresh`` names, if it has one."""
    if not _REFRESH.search(page.canonical, 0, _HEAD):
        return None
    from w3lib.html import get_meta_refresh

    _, target = get_meta_refresh(page.canonical[:_HEAD].decode("utf-8", "ignore"), page.url)
    return None if target is None else resolve("", target)
