"""One pass over an input: from pages to the tables of a crawl."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.io.record import Skip
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

SEEN_PAGES: Final = 2**22
"""A page is known to be there already among this many: 36 bytes each at most."""


@dataclass(slots=True)
class Built:
    """What was put into the tables.

    Attributes
    ----------
    pages, pagelets, links
        Rows of each table.
    known_links
        Links to pages that are in the tables.
    skipped
        What is not in them, by reason.
    seconds
        Wall-clock time.
    """

    pages: int = 0
    pagelets: int = 0
    links: int = 0
    known_links: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """Give the counts as lines for a person."""
        rate = self.pages / self.seconds if self.seconds else 0.0
        told = [
            f"{self.pages:,} pages, {self.pagelets:,} pagelets, {self.links:,} links ({self.known_links:,} "
            f"to pages that are there), {self.seconds:.1f} s ({rate:,.0f} pages/s)"
        ]
        if self.skipped:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped.most_common())
            told.append(f"skipped {sum(self.skipped.values()):,}: {reasons}")
        return told


def build(
    items: Iterable[Item],
    writer: TableWriter,
    *,
    k: int = LINKS,
    width: int = WIDTH,
    sketch: int = SKETCH,
    on_skip: Callable[[Skip], None] | None = None,
    on_page: Callable[[int, Page], None] | None = None,
) -> Built:
    """Write the tables of an input.

    Parameters
    ----------
    items
        Pages with their records, and skips, as an intake gives them.
    writer
        Where the rows go; it is not closed.
    k, width, sketch
        As for :func:`~detemplate.relations.extract.extract`.
    on_skip
        Is told what was left out: the intake's skips, and ``duplicate page``: of pages of one key
        (URLs that differ in how they are written), the first counts.
    on_page
        Is told each page, with the number of pages so far.

    Returns
    -------
    Built
        What was done.

    Raises
    ------
    UserError
        A setting is out of range, or the output cannot be written.
    """
    for name, value, most in (("k", k, 10_000), ("width", width, 100), ("sketch", sketch, 100)):
        if not 1 <= value <= most:
            raise UserError(f"{name} must be a number from 1 to {most:,}, not {value}")
    begun = time.perf_counter()
    writer.describe({"k": k, "width": width, "sketch": sketch})
    built = Built()
    seen = recurrence_table([SEEN_PAGES], SEEN_PAGES)

    def skip(left_out: Skip) -> None:
        built.skipped[left_out.reason] += 1
        if on_skip is not None:
            on_skip(left_out)

    def pages() -> Iterator[Page]:
        for item in items:
            if isinstance(item, Skip):
                skip(item)
                continue
            record, page = item
            key = page_key(page.url)
            if seen.observe(np.array([key], np.int64).view(np.uint64))[0] > 1:
                skip(Skip(page.url, "duplicate page", f"key {key}", record.source))
                continue
            built.pages += 1
            if on_page is not None:
                on_page(built.pages, page)
            yield page

    for tables in extract(pages(), k=k, width=width, sketch=sketch):
        built.pagelets += tables.pagelets.num_rows
        built.links += tables.links.num_rows
        writer.write(tables)
    built.known_links = writer.known_links()
    built.seconds = time.perf_counter() - begun
    return built
