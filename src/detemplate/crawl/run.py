"""Crawling sites into a WARC file, and cleaning their pages as they arrive."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from detemplate.crawl.checkpoint import GrowingFile, KeptFile
from detemplate.crawl.frontier import Frontier
from detemplate.crawl.session import CrawlSummary, Session
from detemplate.crawl.visit import Visitor
from detemplate.crawl.warcfile import SUFFIXES, Place, WarcWriter, repair, stored
from detemplate.errors import MissingExtra, Stopped, UserError
from detemplate.files.atomic import kept_if_stopped, kept_name, writing
from detemplate.io.sources.base import ChainedSource
from detemplate.page.urls import canonical_url
from detemplate.run.job import with_metadata
from detemplate.run.pagework import RowOf
from detemplate.run.rejects import Rejects
from detemplate.run.stopping import Stop
from detemplate.run.watching import Watch
from detemplate.sites.naming import domain
from detemplate.sites.storefile import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.crawl.focus import Topic
    from detemplate.crawl.frontier import Entry
    from detemplate.crawl.options import CrawlOptions
    from detemplate.io.sinks.out import Sink
    from detemplate.run.job import Job
    from detemplate.run.progress import Progress

GRACE: Final = 2.0
"""Seconds that answers under way have when a crawl ends before its time."""

_LOOK: Final = 0.1
"""Seconds from one look for signals to the next."""

_MAY_CHANGE: Final = {"max_pages", "delay", "retries", "max_fetch_seconds", "contact", "proxy"}
"""Options that may change when a crawl goes on."""

CRAWLING: Final = "crawling"
"""The name of what a crawl does, for progress bars and logs."""


def start_urls(given: Iterable[str]) -> list[str]:
    """Give the canonical URLs of what a user wants crawled; without a scheme, it is ``https``.

    Raises
    ------
    UserError
        Something is no URL of a page, or there is none.
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

    Parameters
    ----------
    starts
        The URLs to begin with (:func:`start_urls`).
    output
        The WARC file: ``.warc`` or ``.warc.gz``.
    options
        What is fetched, and how politely.
    job
        How pages are cleaned; its checkpoint, store and log are the crawl's.
    sink
        Takes cleaned pages, each as it arrives. None: they are not written.
    topic
        What a focused crawl looks for; None: it goes breadth-first.
    judging
        Judge each page for its links' priorities, also without a sink.
    rejects
        File for the URLs that were lost, as JSON Lines.
    progress
        Shows how far the crawl has come.
    lines
        Print a line on standard error now and then.

    Returns
    -------
    CrawlSummary
        The counts of the crawl.

    Raises
    ------
    MissingExtra
        Scrapy is not installed.
    UserError
        An output, the store or the checkpoint cannot be used; or this process has crawled before.
    Stopped
        A signal has ended it.
    """
    try:
        import scrapy  # noqa: F401
    except ImportError:
        raise MissingExtra("crawling", "crawl") from None
    if not output.endswith(SUFFIXES):
        raise UserError(f"a crawl writes {' or '.join(SUFFIXES)}, not {output}: name such a file with -o")
    began = time.perf_counter()
    keeping = kept_if_stopped() if job.checkpoint is None else nullcontext()
    summary = CrawlSummary("", 1, output=output, cleaning=sink is not None)
    place = _opened(starts, output, options, job, topic)
    if isinstance(place, KeptFile) and (done := place.done(job.store)) is not None:
        place.close()
        return _written(done, sink)
    with keeping, ExitStack() as last, ExitStack() as stack:
        last.enter_context(place)
        if sink is not None:
            stack.enter_context(sink)
        stop = last.enter_context(Stop())
        log = stack.enter_context(Rejects(rejects, every=job.every_skip))
        store = last.enter_context(StoreWriter(job.store)) if job.store else None
        watch = stack.enter_context(Watch(job.log, job.metrics, lines=lines))
        cleaner = row = None
        if sink is not None or store is not None or judging:
            cleaner = stack.enter_context(job.cleaner(ChainedSource([]), streaming=True))
            summary.method = cleaner.method
        if sink is not None or store is not None:
            row = RowOf(job.formats, metadata=with_metadata(job.metadata), glance=store is not None)
        frontier = Frontier(starts, options)
        visitor = Visitor(
            options, frontier, cleaner=cleaner, row=row, topic=topic, seconds=job.max_page_seconds
        )
        payloads: dict[str, Place] = {}
        found = _found(place)
        archive = WarcWriter(place.file, output, fields=_about(options), payloads=payloads)
        histories = store.histories if store is not None else None
        session = Session(options, frontier, visitor, archive, sink, log, watch, summary, progress, histories)
        if progress is not None:
            progress.begin(CRAWLING, options.max_pages)
            stack.callback(progress.end)
        watch.begin(CRAWLING)
        try:
            entries = session.replay(stored(place.path, payloads)) if found else frontier.starts
            if not session.ended:
                with stop.later():
                    _fetch(session, entries, stop)
        except Stopped as stopped:
            stopped.advice = _advice(job, summary, output)
            raise
        finally:
            session.end()
            watch.end(summary)
        if store is not None and cleaner is not None:
            cleaner.write_sites(store)
        if isinstance(place, KeptFile):
            summary.seconds = time.perf_counter() - began
            place.closing(summary.state, store.generation if store is not None else None)
        stop.close()
    summary.seconds = time.perf_counter() - began
    return summary


def _written(summary: dict[str, Any], sink: Sink | None) -> CrawlSummary:
    """End a crawl that an earlier process has written: give its counts."""
    if sink is not None:
        sink.abort()  # what the crawl has written stands
    return CrawlSummary.of_state(summary)


def _found(place: GrowingFile | KeptFile) -> bool:
    """Open a kept file; tell whether it has records of an earlier process."""
    if isinstance(place, GrowingFile):
        return False
    there = place.path.exists()
    if there:
        with writing(str(place.path)):
            repair(place.path)
    place.open()
    return there


def _opened(
    starts: Sequence[str], output: str, options: CrawlOptions, job: Job, topic: Topic | None
) -> GrowingFile | KeptFile:
    """Open the WARC file, in the directory of the checkpoint if there is one."""
    if job.checkpoint is None:
        return GrowingFile(output)
    kept = {name: value for name, value in asdict(options).items() if name not in _MAY_CHANGE}
    names = ("method", "options", "site_by", "store", "formats", "metadata")
    cleaning = {name: getattr(job, name) for name in names}
    identity = {"starts": list(starts), **kept, **cleaning, **job.identity}
    identity["topic"] = None if topic is None else topic.text
    return KeptFile(job.checkpoint, output, identity)


def _about(options: CrawlOptions) -> dict[str, str]:
    """Give the fields of the ``warcinfo`` record on how the crawl behaves."""
    about = {"http-header-user-agent": options.agent, "robots": "obey" if options.robots else "ignore"}
    return about | ({"operator": options.contact} if options.contact else {})


def _advice(job: Job, summary: CrawlSummary, output: str) -> str:
    """Tell what a stopped crawl leaves, and how to go on."""
    if job.checkpoint is not None:
        return (
            f"{summary.pages:,} pages are fetched; run the same command again to go on from {job.checkpoint}"
        )
    names = [kept_name(name) for name in (output, job.output) if name]
    return f"the {summary.pages:,} pages so far are in {' and '.join(names)}"


def _fetch(session: Session, entries: list[Entry], stop: Stop) -> None:
    """Let Scrapy fetch what a session wants; UserError if this process has crawled before."""
    import asyncio

    from scrapy import signals
    from scrapy.crawler import AsyncCrawlerProcess

    from detemplate.crawl.settings import scrapy_settings
    from detemplate.crawl.spider import CrawlSpider

    for name in ("scrapy", "twisted", "asyncio", "py.warnings"):
        logging.getLogger(name).addHandler(logging.NullHandler())  # else Python prints their warnings
    refused: set[str] = set()
    domains = len({domain(entry.url) for entry in session.frontier.starts})
    process = AsyncCrawlerProcess(scrapy_settings(session.options, domains, refused))
    crawler = process.create_crawler(CrawlSpider)
    failures: list[BaseException] = []

    from twisted.internet import reactor
    from twisted.internet.error import ReactorNotRestartable, ReactorNotRunning

    loop: Any = reactor

    def halt() -> None:
        with suppress(ReactorNotRunning):
            loop.stop()

    def end() -> None:
        """End it soon, whatever is under way."""
        session.ended = True
        loop.callLater(GRACE, halt)
        tasks.append(asyncio.ensure_future(crawler.stop_async()))

    def fail(failure: Any, **_: Any) -> None:  # noqa: ANN401
        if not failures:
            failures.append(failure.value)
            end()

    async def listen() -> None:
        while not stop.heard:
            await asyncio.sleep(_LOOK)
        end()

    tasks: list[Any] = []
    crawler.signals.connect(fail, signals.spider_error)
    loop.callWhenRunning(lambda: tasks.append(asyncio.ensure_future(listen())))
    process.crawl(crawler, session=session, entries=entries, full=end, refused_hosts=refused)
    try:
        process.start(install_signal_handlers=False)
    except ReactorNotRestartable:
        raise UserError("this process has crawled before: start another one") from None
    if failures:
        raise failures[0]
