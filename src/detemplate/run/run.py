"""Cleaning a source into a sink, in one pass or two, with workers or without."""

from __future__ import annotations

import gc
import time
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from detemplate.errors import DetemplateError, Stopped, UserError
from detemplate.files.atomic import kept_if_stopped, kept_name
from detemplate.io.record import Record, Skip
from detemplate.io.sinks.out import EncodedRow, EncodingSink
from detemplate.output.result import carry
from detemplate.page.address import shortened
from detemplate.run.intake import record_in, record_intake
from detemplate.run.job import with_metadata
from detemplate.run.limits import PageLimits
from detemplate.run.pagework import RowOf
from detemplate.run.progress import Meter
from detemplate.run.rejects import Rejects
from detemplate.run.stopping import Stop
from detemplate.run.summary import Summary
from detemplate.run.watching import Watch
from detemplate.sites.storefile import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sinks.out import Sink
    from detemplate.io.sources.base import Source
    from detemplate.run.checkpoint import Checkpoint
    from detemplate.run.job import Job
    from detemplate.run.pieces import Piece
    from detemplate.run.progress import Progress


class _Run:
    """One run over one source: its cleaner, its intake and its summary."""

    def __init__(  # noqa: PLR0917  # what one run is made of
        self,
        source: Source,
        job: Job,
        meter: Meter,
        store: StoreWriter | None,
        checkpoint: Checkpoint | None,
        stop: Stop,
        watch: Watch,
        sink: Sink,
    ) -> None:
        self.cleaner = job.cleaner(source)
        self.checkpoint = checkpoint
        self.stop = stop
        self.watch = watch
        self.streaming = job.streaming(source)
        self.meter = meter
        self.store = store
        self.intake = record_intake(
            source,
            max_page_bytes=job.max_page_bytes,
            max_page_seconds=job.max_page_seconds,
            meter=meter,
        )
        # Asked once: it costs as much as a page's part in the owner's own work.
        self.encoding = sink if isinstance(sink, EncodingSink) else None
        self.two_passes = not (self.streaming or job.frozen)
        self.passes = self.cleaner.passes(
            record_in,
            RowOf(
                job.formats,
                explain=job.explain,
                metadata=with_metadata(job.metadata),
                removed=job.show > 0,
                glance=store is not None,
                encode=self.encoding.encode if self.encoding is not None else None,
            ),
            PageLimits(job.max_page_seconds, job.max_page_memory),
            ahead=source.rereadable,
            live=not source.rereadable,
            keep=self.two_passes,
        )
        self.passes.saves = checkpoint
        self.summary = Summary(self.cleaner.method, 2 if self.two_passes else 1, show=job.show)
        self._sites: set[int] = set()

    def go(self, sink: Sink, rejects: Rejects) -> None:
        """Do all passes that are still to be done."""
        with self.passes:
            if self.two_passes and self.checkpoint is not None and self.checkpoint.sites is not None:
                self.cleaner.restore(self.checkpoint.sites)
                self.passes.lost = self.checkpoint.lost()
            elif self.two_passes:
                self.learn()
            self.clean(sink, rejects)

    def learn(self) -> None:
        """Do the first of two passes. Its skips come again in the second, which tells them."""
        self.meter.begin("learning")
        self.watch.begin("learning")
        pages = 0
        for piece, outcomes in self.passes.go("learn", self._pieces(learning=True)):
            for item, error in zip(piece.items, outcomes, strict=True):
                skip = self.intake.losses.skip_of(item, error)
                if skip is not None or not isinstance(item, Record):
                    continue
                pages += 1
                self.meter.advance(pages, self.cleaner.used_sites)
                self.watch.advance(pages, self.cleaner.used_sites, self.summary)
        self.intake.losses.check()
        if self.checkpoint is not None:
            with self.stop.later():
                self.cleaner.keep_in(self.checkpoint, self.passes.lost)

    def clean(self, sink: Sink, rejects: Rejects) -> None:
        """Do the second of two passes, or the only one."""
        self.meter.begin("cleaning")
        self.watch.begin("cleaning")
        pieces = self._pieces(learning=False)
        for piece, outcomes in self.passes.go("stream" if self.streaming else "clean", pieces):
            for item, outcome in zip(piece.items, outcomes, strict=True):
                self._write(item, outcome, sink, rejects)
        self.intake.losses.check()

    def _write(self, item: Record | Skip, outcome: Any, sink: Sink, rejects: Rejects) -> None:  # noqa: ANN401
        """Write what became of an item, and count it."""
        skip = self.intake.losses.skip_of(item, outcome)
        with self.stop.later():
            if skip is not None:
                self.summary.skip(skip)
                rejects.write(skip)
            elif isinstance(item, Record):
                _write(sink, self.encoding, outcome.row, item)
                self.summary.count(outcome)
                self.watch.page(item.url, outcome.seconds)
                self._sites.add(hash(outcome.site))
                if self.store is not None and outcome.glance is not None:
                    date = item.source.date if item.source else None
                    self.store.histories.add(outcome.site, outcome.glance, date)
        self.summary.sites = len(self._sites)
        self.meter.advance(self.summary.pages, self.summary.sites)
        self.watch.advance(self.summary.pages, self.summary.sites, self.summary)

    def _pieces(self, *, learning: bool) -> Iterator[Piece]:
        """Give the pieces of a pass; those that are done have their part."""
        pieces = self.passes.cut(self.intake.items())
        return pieces if self.checkpoint is None else self.checkpoint.mark(pieces, learning=learning)


def finished(source: Source, job: Job) -> Summary | None:
    """Return the summary of a run that has a checkpoint, and has written all before; else None.

    Raises
    ------
    UserError
        The checkpoint is another run's, or cannot be used.
    """
    saved = job.opened_checkpoint(source)
    if saved is None:
        return None
    with saved:
        done = saved.done(None if job.frozen else job.store, job.output)
        if done is None:
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
    """Clean every page of a source into a sink.

    Parameters
    ----------
    source
        From :func:`~detemplate.io.sources.open.open_sources`.
    sink
        From :func:`~detemplate.io.sinks.open.open_sink`. It is closed at the end; an error leaves
        nothing of it behind.
    job
        How to clean.
    rejects
        File for the pages that were lost, as JSON Lines.
    progress
        Shows how far the run has come.
    lines
        Print a line on standard error now and then.

    Returns
    -------
    Summary
        The counts of the run.

    Raises
    ------
    UserError
        For an unknown method or option, a store that cannot be used or that another run writes, or an output
        that cannot be written.
    """
    start = time.perf_counter()
    work: _Run | None = None
    keeping = kept_if_stopped() if job.checkpoint is None else nullcontext()
    try:
        with keeping, ExitStack() as first:
            stop = first.enter_context(Stop())
            # The store is written last: if another output fails, the pages are not learnt.
            with ExitStack() as last, ExitStack() as stack:
                stack.enter_context(sink)
                saved = job.opened_checkpoint(source)
                if saved is not None:
                    first.enter_context(saved)
                log = stack.enter_context(Rejects(rejects, every=job.every_skip))
                store = last.enter_context(StoreWriter(job.store)) if job.store and not job.frozen else None
                meter = stack.enter_context(Meter(progress, source))
                watch = stack.enter_context(Watch(job.log, job.metrics, lines=lines))
                work = _Run(source, job, meter, store, saved, stop, watch, sink)
                stack.callback(work.cleaner.close)
                gc.freeze()  # who looks for garbage need not look at all that is loaded
                stack.callback(gc.unfreeze)
                try:
                    work.go(sink, log)
                finally:
                    watch.end(work.summary)
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


def _write(sink: Sink, encoding: EncodingSink | None, made: Any, record: Record) -> None:  # noqa: ANN401  # as of a cleaned page
    """Write a page. Whatever a sink raises ends the run with one line that names the page and the error.

    It may hold other pages that it has not written yet, so an error in it does not cost its page alone.
    """
    try:
        if isinstance(made, EncodedRow) and encoding is not None:
            carried: dict[str, object] = {}
            if record.carried:
                carried = dict.fromkeys(made.keys)
                carry(carried, record.carried)
                for key in made.keys:  # a field of the row
                    del carried[key]
            encoding.write_encoded(made, carried, record)
        else:
            row = dict(made)
            carry(row, record.carried)
            sink.write(row, record)
    except DetemplateError:
        raise
    except Exception as error:
        raise UserError(
            f"the output failed at the page {shortened(record.url)}: {type(error).__name__}: {error}"
        ) from error


def _advice(job: Job, pages: int) -> str:
    """Tell what a stopped run leaves, and how to go on."""
    if job.checkpoint is not None:
        return f"run the same command again to go on from {job.checkpoint}"
    if not pages or not job.output:
        return "no output was written"
    return f"the {pages:,} pages that were cleaned are in {kept_name(job.output)}"
