"""Build the tables of a crawl in one pass over its pages."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.io.record import Skip, skipped_lines
from detemplate.page.fingerprints import SKETCH, WIDTH
from detemplate.page.pagelets import LINKS
from detemplate.page.urls import page_key
from detemplate.relations.extract import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.relations.write import TableWriter

    Item = tuple[Record, Page] | Skip
    """What an intake yields."""

SEEN_PAGES: Final = 2**22
"""Number of pages among which duplicates are recognised; each takes at most 36 bytes of memory."""


@dataclass(slots=True)
class TableSummary:
    """What a build wrote.

    Attributes
    ----------
    pages, pagelets, links
        Number of rows of each table.
    known_links
        Number of links to pages that are in the tables.
    skipped
        Number of skips by reason.
    seconds
        Wall-clock time of the build.
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
            f"{self.pages:,} pages, {self.pagelets:,} pagelets, {self.links:,} links ({self.known_links:,} "
            f"to pages that are there), {self.seconds:.1f} s ({rate:,.0f} pages/s)"
        ]
        return lines + skipped_lines(self.skipped)


def build(
    items: Iterable[Item],
    writer: TableWriter,
    *,
    k: int = LINKS,
    width: int = WIDTH,
    sketch: int = SKETCH,
    on_skip: Callable[[Skip], None] | None = None,
    on_page: Callable[[int, Page], None] | None = None,
) -> TableSummary:
    """Write the tables of a crawl.

    Parameters
    ----------
    items
        Pages with their records, and skips, as an intake yields them.
    writer
        The output; it is not closed.
    k, width, sketch
        Parameters of :func:`~detemplate.relations.extract.extract`.
    on_skip
        Called with each skip: those of the intake, and ``duplicate page`` for a page whose key an earlier
        page has (their URLs differ only in spelling).
    on_page
        Called with the number of pages so far and each page.

    Returns
    -------
    TableSummary
        What was written.

    Raises
    ------
    UserError
        A setting is out of range, or the output cannot be written.
    """
    for name, value, most in (("k", k, 10_000), ("width", width, 100), ("sketch", sketch, 100)):
        if not 1 <= value <= most:
            raise UserError(f"{name} must be a number from 1 to {most:,}, not {value}")
    start = time.perf_counter()
    writer.describe({"k": k, "width": width, "sketch": sketch})
    summary = TableSummary()
    seen = recurrence_table([SEEN_PAGES], SEEN_PAGES)

    def count_skip(skip: Skip) -> None:
        summary.skipped[skip.reason] += 1
        if on_skip is not None:
            on_skip(skip)

    def pages() -> Iterator[Page]:
        for item in items:
            if isinstance(item, Skip):
                count_skip(item)
                continue
            record, page = item
            key = page_key(page.url)
            if seen.observe(np.array([key], np.int64).view(np.uint64))[0] > 1:
                count_skip(Skip(page.url, "duplicate page", f"key {key}", record.source))
                continue
            summary.pages += 1
            if on_page is not None:
                on_page(summary.pages, page)
            yield page

    for tables in extract(pages(), k=k, width=width, sketch=sketch):
        summary.pagelets += tables.pagelets.num_rows
        summary.links += tables.links.num_rows
        writer.write(tables)
    summary.known_links = writer.known_links()
    summary.seconds = time.perf_counter() - start
    return summary
