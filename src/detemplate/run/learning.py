"""Learning the pages of a source into a store; nothing is cleaned."""

from __future__ import annotations

import heapq
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import xxhash

from detemplate.detectors.registry import detector_class
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.run.limits import Rejects
from detemplate.run.progress import Meter
from detemplate.run.reader import record_in
from detemplate.run.summary import Summary
from detemplate.sites.history import PageSummary
from detemplate.sites.storefile import StoreWriter

if TYPE_CHECKING:
    from detemplate.io.sources.base import Source
    from detemplate.run.job import Job
    from detemplate.run.progress import Progress

_SAMPLE: Final = 128  # pages of which one is scored, for the history of its site
_SAMPLE_BYTES: Final = 1 << 27  # most markup that is kept to be scored; beyond, the sample gets thinner


@dataclass(slots=True)
class LearningSummary(Summary):
    """Counts of a run that only learns: those of :class:`Summary` that it has, and one more.

    ``looks`` are pages that were scored after all were learned, for the histories of their sites.
    """

    looks: int = 0

    def as_dict(self) -> dict[str, object]:
        """Give the counts as a JSON object."""
        every = Summary.as_dict(self) | {"looks": self.looks}
        names = ("method", "pages", "sites", "looks", "skipped", "rejected", "broken", "nameless", "seconds")
        return {name: every[name] for name in names}

    def lines(self) -> list[str]:
        """Give the counts as lines of text for a person."""
        return [self._told("learned"), *self._warnings(), *self.skip_lines()]


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
        cleaner = stack.enter_context(job.cleaner(source, streaming=False))
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
                date = record.source.date if record.source else None
                site, page_summary = found
                store.histories.add(site, page_summary, date)
                summary.looks += 1
        cleaner.write_sites(store)
    summary.seconds = time.perf_counter() - start
    return summary
