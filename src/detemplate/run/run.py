"""Cleaning a source into a sink, in one pass or two, with workers or without; or learning it into a store."""

from __future__ import annotations

import gc
import heapq
import time
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import xxhash

from detemplate.detectors.registry import detector_class
from detemplate.errors import DetemplateError, PageError, Stopped, UserError, counted
from detemplate.files.atomic import kept_if_stopped, kept_name
from detemplate.io.record import Record, Skip
from detemplate.output.choice import unused
from detemplate.output.result import carry
from detemplate.page.address import shortened
from detemplate.run.limits import Rejects
from detemplate.run.pagework import RowOf
from detemplate.run.progress import Meter, Watch
from detemplate.run.reader import record_in
from detemplate.run.stopping import Stop
from detemplate.run.summary import LearningSummary, Summary
from detemplate.sites.history import PageSummary
from detemplate.sites.storefile import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sinks.out import Sink
    from detemplate.io.sources.base import Source
    from detemplate.run.checkpoint import Checkpoint
    from detemplate.run.job import Job
    from detemplate.run.pagework import Cleaned
    from detemplate.run.passes import Way
    from detemplate.run.progress import Progress


class _Run:
    """One run over one source: its cleaner, its reader and its summary."""

    def __init__(  # noqa: PLR0917  # what one run is made of
        self,
        source: Source,
        sink: Sink,
        job: Job,
        store: StoreWriter | None,
        checkpoint: Checkpoint | None,
        rejects: Rejects,
        stop: Stop,
        meter: Meter,
        watch: Watch,
    ) -> None:
        self.streaming = job.streaming(source)
        self.cleaner = job.cleaner(streaming=self.streaming)
        self.two_passes = not (self.streaming or job.frozen)
        self.sink, self.store, self.rejects = sink, store, rejects
        self.stop, self.meter, self.watch = stop, meter, watch
        self.reader = job.reader(source, meter)
        self.passes = self.cleaner.passes(
            record_in,
            RowOf(
                removed=job.show > 0,
                peers=detector_class(self.cleaner.method).needs == "site",
                histories=store is not None,
            ),
            job.limits,
            ahead=source.rereadable,
            live=not source.rereadable,
            keep=self.two_passes,
        )
        self.passes.saves = checkpoint
        self.summary = Summary(
            self.cleaner.method, 2 if self.two_passes else 1, site_by=self.cleaner.site_by, show=job.show
        )
        self._sites: dict[int, int] = {}
        self._stranger = ""
        self._met = not self.cleaner.knows_sites
        self._used: set[str] = set()

    def go(self) -> None:
        """Do all passes that are still to be done."""
        with self.passes:
            if self.two_passes and not self.passes.restore():
                self._learn()
            self._clean()

    def _learn(self) -> None:
        """Do the first of two passes. Its skips come again in the second, which tells them."""
        pages = 0
        for item, skip, _ in self._outcomes("learn", "learning"):
            if skip is None and isinstance(item, Record):
                pages += 1
                self._tell(pages, self.cleaner.used_sites)
        with self.stop.later():
            self.passes.keep()

    def _clean(self) -> None:
        """Do the second of two passes, or the only one."""
        for item, skip, outcome in self._outcomes("stream" if self.streaming else "clean", "cleaning"):
            with self.stop.later():
                if skip is not None:
                    self.summary.skip(skip)
                    self.rejects.write(skip)
                elif isinstance(item, Record):
                    self._write(item, outcome)
            self._tell(self.summary.pages, self.summary.sites)

    def conclude(self) -> None:
        """Tell in the summary what may have gone wrong unseen."""
        if not self._met and self._sites:
            self.summary.notes.append(self.cleaner.unknown(self._stranger, len(self._sites)))
        if self.summary.pages:
            self.summary.notes += unused(self.cleaner.work.choice, self._used, "any page")
        if not self.cleaner.knows_sites and detector_class(self.cleaner.method).needs == "site":
            single = sum(pages == 1 for pages in self._sites.values())
            self.summary.peerless = max(self.summary.peerless, single)

    def _outcomes(self, way: Way, doing: str) -> Iterator[tuple[Any, Skip | None, Any]]:
        """Begin a pass."""
        self.meter.begin(doing)
        self.watch.begin(doing)
        return self.reader.through(partial(self.passes.each, way))

    def _tell(self, pages: int, sites: int) -> None:
        self.meter.advance(pages, sites)
        self.watch.advance(pages, sites, self.summary.skipped)

    def _write(self, record: Record, page: Cleaned) -> None:
        """Write a page, and count it."""
        try:
            row = dict(page.row)
            carry(row, record.carried)
            self.sink.write(row, record)
        except DetemplateError:
            raise
        except Exception as error:
            # The sink may hold pages that it has not written yet: its error does not cost one page alone.
            raise UserError(
                f"the output failed at the page {shortened(record.url)}: {type(error).__name__}: {error}"
            ) from error
        self.summary.count(page)
        self.watch.page(record.url, page.seconds)
        self.summary.nameless += record.nameless
        self._used.update(page.rules)
        site = hash(page.site)
        if not self._met and site not in self._sites:
            self._stranger = self._stranger or page.site
            self._met = self.cleaner.knows(page.site)
        self._sites[site] = self._sites.get(site, 0) + 1
        self.summary.sites = len(self._sites)
        if self.store is not None and page.page_summary is not None:
            self.store.histories.add(page.site, page.page_summary, record.date)


def finished(source: Source, job: Job) -> Summary | None:
    """Return the summary of a run that has a checkpoint, and has written all before; else None.

    Raises UserError if the checkpoint is another run's, or cannot be used.
    """
    saved = job.opened_checkpoint(source)
    if saved is None:
        return None
    with saved:
        done = saved.done(None if job.frozen else job.store)
        if done is None or not Path(job.output).exists():
            return None
        saved.finish()
        return Summary.of_state(done)


def run(
    source: Source,
    sink: Sink,
    job: Job,
    *,
    rejects: str | None = None,
    progress: Progress | None = None,
    lines: bool = False,
) -> Summary:
    """Clean every page of a source into a sink, which is closed at the end.

    ``source``, ``sink``, ``job``: what to clean, where to, and how. An error leaves nothing of the sink.
    ``rejects``, ``progress``, ``lines``: file for the pages that were lost, as JSON Lines; what shows how
        far the run has come; whether lines on standard error do so now and then.
    Raises UserError: for an unknown method or option, a store that cannot be used or that another run
        writes, or an output that cannot be written.
    """
    start = time.perf_counter()
    work: _Run | None = None
    keeping = kept_if_stopped() if job.checkpoint is None else nullcontext()
    try:
        with keeping, ExitStack() as first:
            stop = first.enter_context(Stop())
            # The store is written last: if another output fails, the pages are not learned.
            with ExitStack() as last, ExitStack() as stack:
                stack.enter_context(sink)
                saved = job.opened_checkpoint(source)
                if saved is not None:
                    first.enter_context(saved)
                log = stack.enter_context(Rejects(rejects, every=job.every_skip))
                store = last.enter_context(StoreWriter(job.store)) if job.store and not job.frozen else None
                meter = stack.enter_context(Meter(progress, source))
                watch = stack.enter_context(Watch(job.log, job.metrics, lines=lines))
                work = _Run(source, sink, job, store, saved, log, stop, meter, watch)
                stack.callback(work.cleaner.close)
                gc.freeze()  # who looks for garbage need not look at all that is loaded
                stack.callback(gc.unfreeze)
                try:
                    work.go()
                finally:
                    watch.end(work.summary.skipped)
                work.conclude()
                if store is not None:
                    work.cleaner.write_sites(store)
                work.summary.seconds = time.perf_counter() - start
                if saved is not None:
                    saved.closing(work.summary.state, store.generation if store is not None else None)
                stop.close()
            if saved is not None:
                saved.finish()
    except Stopped as stopped:
        stopped.advice = _advice(job, work.summary.pages if work is not None else 0)
        raise
    work.summary.seconds = time.perf_counter() - start
    return work.summary


def _advice(job: Job, pages: int) -> str:
    """Tell what a stopped run leaves, and how to go on."""
    if job.checkpoint is not None:
        return f"run the same command again to go on from {job.checkpoint}"
    if pages and not job.output:
        return f"what was cleaned until then is written: {counted(pages, 'page')}"
    if not pages or not Path(kept_name(job.output)).exists():
        return "no output was written"
    return f"the {pages:,} pages that were cleaned are in {kept_name(job.output)}"


_SAMPLE: Final = 128  # pages of which one is scored, for the history of its site
_SAMPLE_BYTES: Final = 1 << 27  # most markup that is kept to be scored; beyond, the sample gets thinner


class Sample:
    """Some of the pages of a run, chosen by their URLs, in bounded memory."""

    def __init__(self, most: int = _SAMPLE_BYTES) -> None:
        self._most = most
        self._bytes = 0
        self._heap: list[tuple[int, int, Record]] = []

    def add(self, record: Record, number: int) -> None:
        """Keep a record if its URL chooses it; ``number`` is that of its page."""
        name = record.url or str(number)
        place = xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass"))
        if place >= 2**64 // _SAMPLE:
            return
        heapq.heappush(self._heap, (-place, number, replace(record, carried={})))
        self._bytes += len(record.html)
        while self._bytes > self._most:
            _, _, dropped = heapq.heappop(self._heap)
            self._bytes -= len(dropped.html)

    def records(self) -> list[Record]:
        """Return the records that are kept, in their order."""
        return [record for _, _, record in sorted(self._heap, key=lambda kept: kept[1])]


def learn(
    source: Source, job: Job, *, rejects: str | None = None, progress: Progress | None = None
) -> LearningSummary:
    """Learn every page of a source into the store of a job.

    After that a sample of the pages is scored, for the histories of their sites; by methods that clean no
    stream, none is. Pages that were lost are written to ``rejects`` as JSON Lines. Raises UserError for an
    unknown method or option, or a store that cannot be used or that another run writes.
    """
    if job.store is None:
        raise UserError("nothing is kept of what is learned: name a store with --store FILE")
    start = time.perf_counter()
    with ExitStack() as last, ExitStack() as stack:
        log = stack.enter_context(Rejects(rejects))
        store = last.enter_context(StoreWriter(job.store))
        cleaner = stack.enter_context(job.cleaner(streaming=False))
        meter = stack.enter_context(Meter(progress, source))
        reader = job.reader(source, meter)
        summary, sample = LearningSummary(cleaner.method, passes=1), Sample()
        meter.begin("learning")
        passes = cleaner.passes(
            record_in,
            lambda result: (result.site, PageSummary.of(result.page, result.verdict)),
            job.limits,
            ahead=source.rereadable,
        )
        for item, skip, _ in reader.through(passes.learn):
            if skip is not None:
                summary.skip(skip)
                log.write(skip)
            elif isinstance(item, Record):
                summary.pages += 1
                summary.nameless += item.nameless
                sample.add(item, summary.pages)
            meter.advance(summary.pages, cleaner.used_sites)
        summary.sites = cleaner.used_sites
        records = sample.records() if detector_class(cleaner.method).streams else []
        passes.lost.clear()  # the pieces are others
        for record, found in passes.clean(records) if records else ():
            if not isinstance(found, PageError):
                site, page_summary = found
                store.histories.add(site, page_summary, record.date)
                summary.looks += 1
        cleaner.write_sites(store)
    summary.seconds = time.perf_counter() - start
    return summary
