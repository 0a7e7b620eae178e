"""Writing a source's pages, pagelets and links as tables, in one pass."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError, counted
from detemplate.io.record import Skip, skipped_lines
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES, SelectedSource
from detemplate.links.tables import TableWriter, extract
from detemplate.page.pagelets import LINKS, SKETCH, WIDTH
from detemplate.page.urls import page_key
from detemplate.run.limits import DEFAULT_MAX_PAGE_SECONDS, Rejects
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader, page_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page
    from detemplate.run.progress import Progress

SEEN_PAGES: Final = 2**22
"""Number of pages among which duplicates are recognised; each takes at most 36 bytes of memory."""


@dataclass(slots=True)
class TableSummary:
    """What a build wrote.

    ``pages``, ``pagelets``, ``links``: number of rows of each table.
    ``known_links``: number of links to pages that are in the tables.
    ``skipped``: number of skips by reason.
    ``seconds``: wall-clock time of the build.
    """

    pages: int = 0
    pagelets: int = 0
    links: int = 0
    known_links: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """Return the counts as lines of text for people."""
        rate = self.pages / self.seconds if self.seconds else 0.0
        lines = [
            f"{counted(self.pages, 'page')}, {counted(self.pagelets, 'pagelet')}, "
            f"{counted(self.links, 'link')} ({self.known_links:,} to pages that are there), "
            f"{self.seconds:.1f} s ({rate:,.0f} pages/s)"
        ]
        return lines + skipped_lines(self.skipped)


def tabulate(
    source: Source,
    output: str,
    *,
    k: int = LINKS,
    width: int = WIDTH,
    sketch: int = SKETCH,
    site_by: str = "host",
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES,
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS,
    overwrite: bool = False,
    rejects: str | None = None,
    progress: Progress | None = None,
) -> TableSummary:
    """Write the tables of a source. Of pages whose URLs differ only in spelling, the first counts.

    ``output``: a directory (ending in ``/``) for Parquet files.
    ``k``, ``width``, ``sketch``: as for :func:`~detemplate.links.tables.extract`.
    ``site_by``, ``max_page_bytes``, ``max_page_seconds``: as for :class:`~detemplate.run.job.Job`.
    ``overwrite``: replace an output directory that is not empty.
    ``rejects``: file for the pages that were lost, as JSON Lines.
    ``progress``: shows how far the run has come.
    Raises UserError: a setting is out of range, all versions of pages are wanted, or the output cannot be
        written.
    """
    if isinstance(source, SelectedSource) and source.versions == "keep":
        raise UserError("tables hold one version of each page: choose --versions first or last")
    for name, value, most in (("k", k, 10_000), ("width", width, 100), ("sketch", sketch, 100)):
        if not 1 <= value <= most:
            raise UserError(f"{name} must be a number from 1 to {most:,}, not {value}")
    start = time.perf_counter()
    summary = TableSummary()
    sites: set[str] = set()
    seen = recurrence_table([SEEN_PAGES], SEEN_PAGES)
    with ExitStack() as stack:
        log = stack.enter_context(Rejects(rejects))
        writer = stack.enter_context(TableWriter(output, overwrite=overwrite))
        meter = stack.enter_context(Meter(progress, source))
        reader = Reader(
            source,
            page_parser(site_by),
            max_page_bytes=max_page_bytes,
            max_page_seconds=max_page_seconds,
            meter=meter,
        )

        def pages() -> Iterator[Page]:
            for item in reader:
                skip = item if isinstance(item, Skip) else None
                if not isinstance(item, Skip):
                    record, page = item
                    key = page_key(page.url)
                    if seen.observe(np.array([key], np.int64).view(np.uint64))[0] > 1:
                        skip = Skip(page.url, "duplicate page", f"key {key}", record.source)
                if skip is not None:
                    summary.skipped[skip.reason] += 1
                    log.write(skip)
                    continue
                summary.pages += 1
                sites.add(page.site)
                meter.advance(summary.pages, len(sites))
                yield page

        meter.begin("tabulating")
        writer.describe({"k": k, "width": width, "sketch": sketch})
        for tables in extract(pages(), k=k, width=width, sketch=sketch):
            summary.pagelets += tables.pagelets.num_rows
            summary.links += tables.links.num_rows
            writer.write(tables)
        summary.known_links = writer.known_links()
    summary.seconds = time.perf_counter() - start
    return summary
