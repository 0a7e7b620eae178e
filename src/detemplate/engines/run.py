"""Cleaning a source into a sink, in this process: one pass or two."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from detemplate.detectors.registry import DEFAULT_METHOD
from detemplate.engines.cleaner import Cleaner
from detemplate.engines.intake import Clock, Intake, rejection
from detemplate.engines.summary import Summary
from detemplate.errors import PageError, UserError
from detemplate.files.atomic import AtomicFile, writing
from detemplate.io.record import Skip
from detemplate.io.sinks.base import FORMATS
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from detemplate.io.record import Record
    from detemplate.io.sinks.base import Sink
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page

DEFAULT_MAX_PAGE_SECONDS = 20.0


class Progress(Protocol):
    """Is told how far a run has come."""

    def begin(self, doing: str, total_bytes: int | None) -> None:
        """Tell that a pass begins."""

    def advance(self, pages: int, sites: int, bytes_read: int) -> None:
        """Tell how many pages of how many sites are done in this pass."""

    def end(self) -> None:
        """Tell that the run is over."""


@dataclass(frozen=True, slots=True)
class Job:
    """How a run cleans.

    Attributes
    ----------
    method, options, site_by, threshold
        As for :class:`~detemplate.engines.cleaner.Cleaner`.
    text_format
        ``"text"``, ``"html"`` or ``"markdown"``.
    stream
        Clean each page as it arrives, in one pass. A source that cannot be read twice is always
        cleaned so.
    explain
        Write what was removed from each page, and why.
    show
        How many of the texts removed most often the summary tells.
    max_page_bytes, max_page_seconds
        Pages beyond are rejected.
    """

    method: str = DEFAULT_METHOD
    options: Mapping[str, Any] = field(default_factory=dict)
    site_by: str = "host"
    threshold: float | None = None
    text_format: str = "text"
    stream: bool = False
    explain: bool = False
    show: int = 0
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS

    def __post_init__(self) -> None:
        if self.text_format not in FORMATS:
            raise UserError(f"unknown format {self.text_format!r} (choose from {', '.join(FORMATS)})")
        if self.show < 0:
            raise UserError(f"the number of texts to show must not be negative: {self.show}")
        if not self.max_page_seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {self.max_page_seconds:g}")

    def streaming(self, source: Source) -> bool:
        """Tell whether a source is cleaned in one pass."""
        return self.stream or not source.rereadable

    def cleaner(self, source: Source) -> Cleaner:
        """Make the cleaner for a source."""
        return Cleaner(
            self.method,
            site_by=self.site_by,
            threshold=self.threshold,
            streaming=self.streaming(source),
            **self.options,
        )


class Rejects:
    """Writes what was lost as JSON Lines: ``url``, ``reason``, ``detail``, ``source``, ``position``."""

    def __init__(self, path: str | None) -> None:
        self._out = AtomicFile(path) if path is not None else None

    def write(self, skip: Skip) -> None:
        """Record a page that was lost."""
        if self._out is None:
            return
        place = skip.source
        row = {
            "url": skip.url,
            "reason": skip.reason,
            "detail": skip.detail,
            "source": place.path if place else None,
            "position": place.position if place else None,
        }
        with writing(self._out.output):
            self._out.file.write(json.dumps(row).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._out is None:
            return
        if kind is None:
            self._out.commit()
        else:
            self._out.discard()


class _Run:
    """One run over one source."""

    def __init__(self, source: Source, job: Job, progress: Progress | None) -> None:
        self.cleaner = job.cleaner(source)
        self.streaming = job.streaming(source)
        self.source = source
        self.job = job
        self.progress = progress
        self.clock = Clock(job.max_page_seconds)
        self.intake = Intake(source, self.cleaner, max_page_bytes=job.max_page_bytes, clock=self.clock)
        self.summary = Summary(job.method, 1 if self.streaming else 2, show=job.show)

    def _begin(self, doing: str) -> None:
        if self.progress is not None:
            self.progress.begin(doing, self.source.total_bytes)

    def _advance(self, pages: int) -> None:
        if self.progress is not None and pages % 16 == 0:
            self.progress.advance(pages, self.cleaner.sites, self.source.bytes_read)

    def learn(self) -> None:
        """Do the first of two passes; what is skipped here is told in the second."""
        self._begin("learning")
        pages = 0
        for item in self.intake:
            if isinstance(item, Skip):
                continue
            self.cleaner.learn(item[1])
            pages += 1
            self._advance(pages)

    def clean(self, sink: Sink, rejects: Rejects) -> None:
        """Do the second of two passes, or the only one."""
        self._begin("cleaning")
        summary = self.summary
        for item in self.intake:
            skip = item if isinstance(item, Skip) else self._clean(*item, sink)
            if skip is not None:
                summary.skip(skip)
                if skip.rejected:
                    rejects.write(skip)
            summary.sites = self.cleaner.sites
            self._advance(summary.pages)

    def _clean(self, record: Record, page: Page, sink: Sink) -> Skip | None:
        try:
            result = self.cleaner.learn_and_clean(page) if self.streaming else self.cleaner.clean(page)
            self.clock.check()
            row = result.row(self.job.text_format, record.carried, explain=self.job.explain)
            self.clock.check()
        except PageError as error:
            return rejection(record, error)
        sink.write(row, record)
        self.summary.count(result)
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
        What :func:`detemplate.io.sources.open.open_sources` gave.
    sink
        What :func:`detemplate.io.sinks.open.open_sink` gave. It is closed when all is well; else nothing
        of it is left behind.
    job
        How to clean.
    rejects
        File for the pages that were lost, as JSON Lines.
    progress
        Is told how far the run has come.

    Returns
    -------
    Summary
        What was done.

    Raises
    ------
    UserError
        For an unknown method or option, or an output that cannot be written.
    """
    start = time.perf_counter()
    with ExitStack() as stack:
        stack.enter_context(sink)
        log = stack.enter_context(Rejects(rejects))
        if progress is not None:
            stack.callback(progress.end)
        work = _Run(source, job, progress)
        stack.callback(work.cleaner.close)
        if not work.streaming:
            work.learn()
        work.clean(sink, log)
    work.summary.seconds = time.perf_counter() - start
    return work.summary
