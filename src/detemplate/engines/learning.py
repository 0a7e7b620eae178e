"""Learning the pages of a source into a store; nothing is cleaned."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detemplate.detectors.registry import detector_class
from detemplate.engines.intake import Intake, page_parser
from detemplate.engines.loop import run_pass
from detemplate.engines.progress import Meter
from detemplate.engines.rejects import Rejects
from detemplate.engines.summary import Summary
from detemplate.errors import UserError
from detemplate.sites.glance import Glance
from detemplate.sites.storewriter import StoreWriter

if TYPE_CHECKING:
    from detemplate.engines.progress import Progress
    from detemplate.engines.run import Job
    from detemplate.io.record import Record
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page


@dataclass(slots=True)
class LearningSummary(Summary):
    """Counts of a run that only learns: those of :class:`Summary` that it has, and one more.

    Attributes
    ----------
    looks
        Pages that were also scored, for the histories of their sites.
    """

    looks: int = 0

    def as_dict(self) -> dict[str, object]:
        """Give the counts as a JSON object."""
        every = Summary.as_dict(self)
        names = ("method", "pages", "sites", "looks", "skipped", "rejected", "broken", "seconds")
        return {name: every.get(name, self.looks) for name in names}

    def lines(self) -> list[str]:
        """Give the counts as lines of text for a person."""
        rate = self.pages / self.seconds if self.seconds else 0.0
        told = (
            f"{self.pages:,} pages of {self.sites:,} {'site' if self.sites == 1 else 'sites'} learnt by "
            f"{self.method}, {self.seconds:.1f} s ({rate:,.0f} pages/s)"
        )
        return [told, *self.skip_lines()]


def learn(
    source: Source, job: Job, *, rejects: str | None = None, progress: Progress | None = None
) -> LearningSummary:
    """Learn every page of a source into the store of a job.

    A few pages are also scored when they are learnt, for the histories of their sites (see
    :meth:`~detemplate.sites.histories.Histories.wants`); by methods that clean no stream, none is.

    Parameters
    ----------
    source
        From :func:`~detemplate.io.sources.open.open_sources`.
    job
        Names the store, the method and its options, and the limits of a page.
    rejects
        File for the pages that were lost, as JSON Lines.
    progress
        Shows how far the run has come.

    Raises
    ------
    UserError
        For an unknown method or option, or a store that cannot be used or that another run writes.
    """
    if job.store is None:
        raise UserError("nothing is kept of what is learnt: name a store with --store FILE")
    start = time.perf_counter()
    with ExitStack() as last, ExitStack() as stack:
        log = stack.enter_context(Rejects(rejects))
        store = last.enter_context(StoreWriter(job.store))
        cleaner = stack.enter_context(job.cleaner(source, streaming=False))
        meter = stack.enter_context(Meter(progress, source))
        intake = Intake(
            source,
            page_parser(cleaner.site_by),
            max_page_bytes=job.max_page_bytes,
            max_page_seconds=job.max_page_seconds,
        )
        summary = LearningSummary(cleaner.method, passes=1)

        def work(item: tuple[Record, Page]) -> None:
            record, page = item
            cleaner.learn(page)
            if looks and store.histories.wants(cleaner.detector(page.site).pages):
                date = record.source.date if record.source else None
                store.histories.add(page.site, Glance.of(page, cleaner.clean(page).verdict), date)
                summary.looks += 1
            summary.pages += 1
            summary.sites = cleaner.used_sites

        looks = detector_class(cleaner.method).streams
        meter.begin("learning")
        run_pass(intake, work, summary=summary, rejects=log, meter=meter)
        cleaner.write_sites(store)
    summary.seconds = time.perf_counter() - start
    return summary
