"""Cleaning a source into a sink in this process, in one pass or two."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detemplate.engines.cleaner import Cleaner
from detemplate.engines.intake import Intake, page_parser
from detemplate.engines.limits import DEFAULT_MAX_PAGE_SECONDS, Clock, rejection
from detemplate.engines.loop import run_pass
from detemplate.engines.progress import Meter
from detemplate.engines.rejects import Rejects
from detemplate.engines.summary import Summary
from detemplate.errors import PageError, UserError
from detemplate.io.record import Skip
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.output.options import CHOICES
from detemplate.sites.glance import Glance
from detemplate.sites.storefile import is_store
from detemplate.sites.storewriter import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.engines.progress import Progress
    from detemplate.io.record import Record
    from detemplate.io.sinks.base import Sink
    from detemplate.io.sources.base import Source
    from detemplate.output.options import Images, Links, Tables
    from detemplate.page.page import Page

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
        if self.store is not None and (self.frozen or is_store(self.store)):
            return Cleaner.load(self.store, **given)
        return Cleaner(**given)


class _Run:
    """One run over one source: its cleaner, its intake and its summary."""

    def __init__(self, source: Source, job: Job, meter: Meter, store: StoreWriter | None) -> None:
        self.cleaner = job.cleaner(source)
        self.streaming = job.streaming(source)
        self.job = job
        self.meter = meter
        self.store = store
        self.intake = Intake(
            source,
            page_parser(self.cleaner.site_by),
            max_page_bytes=job.max_page_bytes,
            max_page_seconds=job.max_page_seconds,
        )
        self.two_passes = not (self.streaming or job.frozen)
        self.summary = Summary(self.cleaner.method, 2 if self.two_passes else 1, show=job.show)

    def learn(self) -> None:
        """Do the first of two passes. Its skips come again in the second, which tells them."""
        self.meter.begin("learning")
        pages = 0
        for item in self.intake:
            if isinstance(item, Skip):
                continue
            self.cleaner.learn(item[1])
            pages += 1
            self.meter.advance(pages, self.cleaner.used_sites)

    def clean(self, sink: Sink, rejects: Rejects) -> None:
        """Do the second of two passes, or the only one."""
        self.meter.begin("cleaning")

        def work(item: tuple[Record, Page]) -> Skip | None:
            skip = self._clean(*item, sink)
            self.summary.sites = self.cleaner.used_sites
            return skip

        run_pass(self.intake, work, summary=self.summary, rejects=rejects, meter=self.meter)
        self.summary.sites = self.cleaner.used_sites

    def _clean(self, record: Record, page: Page, sink: Sink) -> Skip | None:
        """Clean a page and write it; give a skip if it is lost."""
        clock = self.intake.clock
        try:
            result = self.cleaner.learn_and_clean(page) if self.streaming else self.cleaner.clean(page)
            clock.check()
            row = result.row(
                self.job.formats,
                record.carried,
                explain=self.job.explain,
                metadata=self.job.metadata == "basic",
            )
            clock.check()
        except PageError as error:
            return rejection(record, error)
        sink.write(row, record)
        self.summary.count(result)
        if self.store is not None:
            date = record.source.date if record.source else None
            self.store.histories.add(page.site, Glance.of(page, result.verdict), date)
        return None


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
