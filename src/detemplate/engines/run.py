"""Cleaning a source into a sink, in one pass or two, with workers or without."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detemplate.engines.cleaner import Cleaner
from detemplate.engines.intake import Intake
from detemplate.engines.limits import (
    DEFAULT_MAX_PAGE_MEMORY,
    DEFAULT_MAX_PAGE_SECONDS,
    LEAST_PAGE_MEMORY,
    Clock,
    rejection,
)
from detemplate.engines.pagework import RowOf
from detemplate.engines.progress import Meter
from detemplate.engines.rejects import Rejects
from detemplate.engines.summary import Summary
from detemplate.engines.workers.ahead import Ahead
from detemplate.engines.workers.process import PageLimits
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.output.options import CHOICES
from detemplate.output.result import carry
from detemplate.sites.storefile import is_store
from detemplate.sites.storewriter import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from detemplate.engines.progress import Progress
    from detemplate.io.sinks.base import Sink
    from detemplate.io.sources.base import Source
    from detemplate.output.options import Images, Links, Tables

_METADATA: Final = ("basic", "none")
"""What metadata an output record may have."""


@dataclass(frozen=True, slots=True)
class Job:
    """How a run cleans.

    Attributes
    ----------
    method, site_by, threshold
        As for :class:`~detemplate.engines.cleaner.Cleaner`; None: as in the store, else the default.
    options
        Options of the method.
    store
        The store that the run goes on with, if it exists, and that is written at its end.
    frozen
        Learn nothing: clean each page by what is in the store, in one pass, and leave the store alone.
    formats
        ``"text"``, ``"html"`` and ``"markdown"``: those that a row has of each page.
    keep_scripts
        Whether cleaned HTML keeps scripts, style sheets and event handlers.
    links, images, tables
        How text and Markdown are written; None: the default of each format.
    stream
        Clean each page as it arrives, in one pass. A source that cannot be read twice always is.
    explain
        List in each output record what was removed, and why.
    show
        Number of texts, those removed most often, that the summary lists.
    metadata
        ``"basic"``: each output record has the page's metadata; ``"none"``: it does not.
    max_page_bytes, max_page_seconds
        Limits of a page; larger and slower ones are rejected.
    workers
        Processes that work on pages beside this one; 0: all is done in this process.
    max_page_memory
        Bytes of memory that a page may take in a worker; pages that need more are rejected.
    """

    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    site_by: str | None = None
    threshold: float | None = None
    store: str | None = None
    frozen: bool = False
    formats: tuple[str, ...] = ("text",)
    keep_scripts: bool = False
    links: Links | None = None
    images: Images | None = None
    tables: Tables | None = None
    stream: bool = False
    explain: bool = False
    show: int = 0
    metadata: str = "basic"
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS
    workers: int = 0
    max_page_memory: int = DEFAULT_MAX_PAGE_MEMORY

    def __post_init__(self) -> None:
        if self.frozen and self.store is None:
            raise UserError("a frozen run learns nothing: name what is known already with --store FILE")
        if self.metadata not in _METADATA:
            raise UserError(f"unknown metadata {self.metadata!r} (choose from {', '.join(_METADATA)})")
        if self.keep_scripts and "html" not in self.formats:
            raise UserError("only HTML has scripts to keep: add --format html, or leave --keep-scripts out")
        if self.show < 0:
            raise UserError(f"the number of texts to show must not be negative: {self.show}")
        Clock(self.max_page_seconds)  # refuses what is not above 0
        if self.max_page_memory < LEAST_PAGE_MEMORY:
            raise UserError(f"the memory for a page must be at least {LEAST_PAGE_MEMORY:,} bytes")

    def streaming(self, source: Source) -> bool:
        """Tell whether the pages of a source are cleaned as they arrive, and learnt."""
        return not self.frozen and (self.stream or not source.rereadable)

    def cleaner(self, source: Source, *, streaming: bool | None = None) -> Cleaner:
        """Make the cleaner for a source; one that goes on with the store, if there is one."""
        streaming = self.streaming(source) if streaming is None else streaming
        names = ("method", "site_by", "threshold", *CHOICES)
        named = {name: getattr(self, name) for name in names}
        given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        given |= {"streaming": streaming, "keep_scripts": self.keep_scripts, **self.options}
        given["workers"] = self.workers
        if self.store is not None and (self.frozen or is_store(self.store)):
            return Cleaner.load(self.store, **given)
        return Cleaner(**given)


class _Run:
    """One run over one source: its cleaner, its intake and its summary."""

    def __init__(self, source: Source, job: Job, meter: Meter, store: StoreWriter | None) -> None:
        self.cleaner = job.cleaner(source)
        self.streaming = job.streaming(source)
        self.meter = meter
        self.store = store
        self.intake: Intake[Record] = Intake(
            source,
            lambda record: record,
            max_page_bytes=job.max_page_bytes,
            max_page_seconds=job.max_page_seconds,
        )
        self.live = not source.rereadable and job.workers > 0
        self.passes = self.cleaner.passes(
            _record,
            RowOf(
                job.formats,
                explain=job.explain,
                metadata=job.metadata == "basic",
                removed=job.show > 0,
                glance=store is not None,
            ),
            PageLimits(job.max_page_seconds, job.max_page_memory),
        )
        self.two_passes = not (self.streaming or job.frozen)
        self.summary = Summary(self.cleaner.method, 2 if self.two_passes else 1, show=job.show)
        self._sites: set[int] = set()

    def learn(self) -> None:
        """Do the first of two passes. Its skips come again in the second, which tells them."""
        self.meter.begin("learning")
        pages = 0
        for item, error in self.passes.learn(self.intake.items()):
            if isinstance(item, Skip):
                continue
            if error is not None:
                self.intake.losses.swap(rejection(item, error))
                continue
            pages += 1
            self.meter.advance(pages, self.cleaner.used_sites)
        self.intake.losses.check()

    def clean(self, sink: Sink, rejects: Rejects) -> None:
        """Do the second of two passes, or the only one."""
        self.meter.begin("cleaning")
        items: Iterable[Record | Skip] = Ahead(self.intake.items()) if self.live else self.intake.items()
        summary, go = self.summary, self.passes.stream if self.streaming else self.passes.clean
        for item, outcome in go(items):
            skip = item if isinstance(item, Skip) else None
            if isinstance(item, Record) and isinstance(outcome, PageError):
                skip = rejection(item, outcome)
                self.intake.losses.swap(skip)
            if skip is not None:
                summary.skip(skip)
                rejects.write(skip)
            elif isinstance(item, Record):
                carry(outcome.row, item.carried)
                sink.write(outcome.row, item)
                summary.count(outcome)
                self._sites.add(hash(outcome.site))
                if self.store is not None and outcome.glance is not None:
                    date = item.source.date if item.source else None
                    self.store.histories.add(outcome.site, outcome.glance, date)
            summary.sites = len(self._sites)
            self.meter.advance(summary.pages, summary.sites)
        self.intake.losses.check()


def _record(item: Record | Skip) -> Record | None:
    return item if isinstance(item, Record) else None


def run(
    source: Source,
    sink: Sink,
    job: Job,
    *,
    rejects: str | None = None,
    progress: Progress | None = None,
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
    # The store is written last: if another output fails, the pages are not learnt, and can be run again.
    with ExitStack() as last, ExitStack() as stack:
        stack.enter_context(sink)
        log = stack.enter_context(Rejects(rejects))
        store = last.enter_context(StoreWriter(job.store)) if job.store and not job.frozen else None
        work = _Run(source, job, stack.enter_context(Meter(progress, source)), store)
        stack.callback(work.cleaner.close)
        if work.two_passes:
            work.learn()
        work.clean(sink, log)
        if store is not None:
            work.cleaner.write_sites(store)
    work.summary.seconds = time.perf_counter() - start
    return work.summary
