"""Crawling sites into a WARC file, and cleaning their pages as they arrive."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, signals
from scrapy.crawler import AsyncCrawlerProcess

from detemplate.crawl.politeness import scrapy_settings
from detemplate.crawl.spider import CrawlSpider, CrawlSummary
from detemplate.crawl.visit import Visitor
from detemplate.crawl.warcfile import SUFFIXES, Checkpoint, Original, WarcWriter
from detemplate.errors import Stopped, UserError, counted
from detemplate.files.atomic import AtomicFile, kept_if_stopped, kept_name
from detemplate.output.choice import Choice
from detemplate.page.urls import canonical_url
from detemplate.run.limits import Rejects
from detemplate.run.pagework import RowOf
from detemplate.run.progress import Watch
from detemplate.run.stopping import Stop
from detemplate.sites.storefile import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.crawl.focus import Topic
    from detemplate.crawl.options import CrawlOptions
    from detemplate.io.sinks.out import Sink
    from detemplate.run.job import Job
    from detemplate.run.progress import Progress

GRACE: Final = 2.0
"""Seconds that answers under way have when a crawl ends before its time."""

_LOOK: Final = 0.1  # seconds from one look whether the crawl has ended to the next

_MAY_CHANGE: Final = {"max_pages", "delay", "retries", "max_fetch_seconds", "contact", "proxy"}
"""Options that may change when a crawl goes on."""

CRAWLING: Final = "crawling"
"""The name of what a crawl does, for progress bars and logs."""


def start_urls(given: Iterable[str]) -> list[str]:
    """Return the canonical URLs of what a user wants crawled; without a scheme, it is ``https``.

    Raises UserError: something is no URL of a page, or there is none.
    """
    found = []
    for text in given:
        url = canonical_url(text if "://" in text else f"https://{text}")
        if url is None or not url.startswith(("http://", "https://")):
            raise UserError(f"{text!r} is no address of a page: write it like https://example.org/")
        found.append(url)
    if not found:
        raise UserError("name at least one URL to crawl")
    return found


def crawl(  # noqa: PLR0915  # one thing after another
    starts: Sequence[str],
    output: str,
    options: CrawlOptions,
    job: Job,
    *,
    sink: Sink | None = None,
    topic: Topic | None = None,
    judging: bool = False,
    rejects: str | None = None,
    progress: Progress | None = None,
    lines: bool = False,
) -> CrawlSummary:
    """Crawl sites. A process can do so once: Twisted's reactor cannot be started again.

    ``starts``: the URLs to begin with (:func:`start_urls`).
    ``output``: the WARC file: ``.warc`` or ``.warc.gz``.
    ``options``: what is fetched, and how politely.
    ``job``: how pages are cleaned; its checkpoint, store and log are the crawl's.
    ``sink``: takes cleaned pages, each as it arrives. None: they are not written.
    ``topic``: what a focused crawl looks for; None: it goes breadth-first.
    ``judging``: judge each page for its links' priorities, also without a sink.
    ``rejects``: file for the URLs that were lost, as JSON Lines.
    ``progress``: shows how far the crawl has come.
    ``lines``: print a line on standard error now and then.
    Returns: the counts of the crawl.
    Raises UserError: an output, the store or the checkpoint cannot be used; or this process has crawled
        before.
    Raises Stopped: a signal has ended it.
    """
    if not output.endswith(SUFFIXES):
        raise UserError(f"a crawl writes {' or '.join(SUFFIXES)}, not {output}: name such a file with -o")
    began = time.perf_counter()
    keeping = kept_if_stopped() if job.checkpoint is None else nullcontext()
    summary = CrawlSummary("", 1, output=output, cleaning=sink is not None)
    # The store is written last: if another output fails, the pages are not learned, and can be crawled again.
    with keeping, ExitStack() as first, ExitStack() as last, ExitStack() as stack:
        if sink is not None:
            stack.enter_context(sink)
        saved = _saved(starts, output, options, job, topic)
        if saved is not None:
            first.enter_context(saved)
        if saved is not None and (done := saved.done(job.store)) is not None:
            stack.pop_all()
            if sink is not None:
                sink.abort()  # what the crawl has written stands
            return CrawlSummary.of_state(done)
        stop = last.enter_context(Stop())
        log = stack.enter_context(Rejects(rejects, every=job.every_skip))
        store = last.enter_context(StoreWriter(job.store)) if job.store else None
        watch = stack.enter_context(Watch(job.log, job.metrics, lines=lines))
        cleaner = row = None
        if sink is not None or store is not None or judging:
            cleaner = stack.enter_context(job.cleaner(streaming=True))
            summary.method = cleaner.method
        if sink is not None or store is not None:
            row = RowOf(histories=store is not None)
        payloads: dict[str, Original] = {}
        kept, answers = (saved.file, saved.answers(payloads)) if saved is not None else (None, iter(()))
        archive = WarcWriter(output, fields=_about(options), kept=kept, payloads=payloads)
        stack.enter_context(archive)
        spider = {
            "starts": list(dict.fromkeys(Request(url).url for url in starts)),
            "stored": answers,
            "whole": saved is not None and saved.whole,
            "options": options,
            "visitor": Visitor(options, cleaner=cleaner, row=row, topic=topic, seconds=job.max_page_seconds),
            "archive": archive,
            "rejects": log,
            "watch": watch,
            "stop": stop,
            "summary": summary,
            "sink": sink,
            "histories": store.histories if store is not None else None,
            "progress": progress,
        }
        if progress is not None:
            progress.begin(CRAWLING, options.max_pages)
            stack.callback(progress.end)
        watch.begin(CRAWLING)
        try:
            with stop.later():
                _fetch(options, spider)
        except Stopped as stopped:
            stopped.advice = _advice(job, summary, output)
            raise
        finally:
            summary.size = archive.size
            watch.end(summary.skipped)
        if store is not None and cleaner is not None:
            cleaner.write_sites(store)
        summary.seconds = time.perf_counter() - began
        if saved is not None:
            saved.closing(summary.state, store.generation if store is not None else None)
        stop.close()
    summary.seconds = time.perf_counter() - began
    return summary


def _saved(
    starts: Sequence[str], output: str, options: CrawlOptions, job: Job, topic: Topic | None
) -> Checkpoint | None:
    """Open the checkpoint, if there is to be one."""
    if job.checkpoint is None:
        return None
    AtomicFile(output).abort()  # an output that cannot be written is told before the directory is made
    kept = {name: value for name, value in asdict(options).items() if name not in _MAY_CHANGE}
    names = ("method", "options", "site_by", "threshold", "store")
    cleaning = {name: getattr(job, name) for name in names} | asdict(Choice.of(job.keep, job.drop))
    identity = {"starts": list(starts), **kept, **cleaning, **asdict(job.rendering), **job.identity}
    identity["topic"] = None if topic is None else topic.text
    return Checkpoint(job.checkpoint, output, identity)


def _about(options: CrawlOptions) -> dict[str, str]:
    """Return the fields of the ``warcinfo`` record on how the crawl behaves."""
    about = {"http-header-user-agent": options.agent, "robots": "obey" if options.robots else "ignore"}
    return about | ({"operator": options.contact} if options.contact else {})


def _advice(job: Job, summary: CrawlSummary, output: str) -> str:
    """Tell what a stopped crawl leaves, and how to go on."""
    if job.checkpoint is not None:
        fetched = counted(summary.pages, "page")
        return f"{fetched} fetched; run the same command again to go on from {job.checkpoint}"
    names = [kept_name(name) for name in (output, job.output) if name]
    return f"{counted(summary.pages, 'page')} so far, in {' and '.join(names)}"


def _fetch(options: CrawlOptions, parts: dict[str, Any]) -> None:
    """Let Scrapy fetch what a spider wants; UserError if this process has crawled before."""
    for name in ("scrapy", "twisted", "asyncio", "py.warnings"):
        logging.getLogger(name).addHandler(logging.NullHandler())  # else Python prints their warnings
    process = AsyncCrawlerProcess(scrapy_settings(options, parts["starts"]))
    crawler = process.create_crawler(CrawlSpider)

    from twisted.internet import reactor
    from twisted.internet.error import ReactorNotRestartable, ReactorNotRunning

    loop: Any = reactor

    def halt() -> None:
        with suppress(ReactorNotRunning):
            loop.stop()

    def fail(failure: Any, spider: CrawlSpider) -> None:  # noqa: ANN401
        spider.error = spider.error or failure.value

    async def end_early(spider: CrawlSpider) -> None:
        """End it soon, whatever is under way, when no more answers are taken."""
        while not spider.ended:
            await asyncio.sleep(_LOOK)
        loop.callLater(GRACE, halt)
        await crawler.stop_async()

    def begin(spider: CrawlSpider) -> None:
        tasks.append(asyncio.ensure_future(end_early(spider)))

    tasks: list[Any] = []
    crawler.signals.connect(fail, signals.spider_error)
    crawler.signals.connect(begin, signals.spider_opened)
    process.crawl(crawler, **parts)
    try:
        process.start(install_signal_handlers=False)
    except ReactorNotRestartable:
        raise UserError("this process has crawled before: start another one") from None
    if isinstance(crawler.spider, CrawlSpider) and crawler.spider.error is not None:
        raise crawler.spider.error
