"""From records to pages: what cannot be a page is recorded and left out, and the run goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import xxhash

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import PageError
from detemplate.io.record import Record, Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.engines.cleaner import Cleaner
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page

Made = TypeVar("Made")

SEEN_URLS: Final = 2**22
"""A URL is known to be a duplicate among this many records: 36 bytes each at most."""


class Clock:
    """The time that one page may take, checked after each step of its processing.

    Every step is linear in the page's size, which is limited, too, so a check between steps comes
    soon enough; a step itself is not interrupted.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._start = 0.0

    def start(self) -> None:
        """Begin with another page."""
        self._start = time.perf_counter()

    def check(self) -> None:
        """Raise :class:`~detemplate.errors.PageError` ``too slow`` if the page's time is over."""
        taken = time.perf_counter() - self._start
        if taken > self._seconds:
            raise PageError("too slow", f"{taken:.1f} s, allowed are {self._seconds:g} s")


class Intake:
    """Gives the pages of a source, and skips for everything else, in the source's order.

    Parameters
    ----------
    source
        Where the records come from.
    cleaner
        Names the pages' sites.
    max_page_bytes
        Larger pages are rejected.
    clock
        Is started for each page.
    """

    def __init__(self, source: Source, cleaner: Cleaner, *, max_page_bytes: int, clock: Clock) -> None:
        self._source = source
        self._cleaner = cleaner
        self._limit = max_page_bytes
        self._clock = clock

    def __iter__(self) -> Iterator[tuple[Record, Page] | Skip]:
        """Go through the source once; each pass makes the same choices."""
        for item in first_of_each(self._source):
            yield item if isinstance(item, Skip) else self._page(item)

    def _page(self, record: Record) -> tuple[Record, Page] | Skip:
        def parse() -> tuple[Record, Page]:
            page = self._cleaner.page(
                record.url, record.html, site=record.site, charset=record.charset, keep_document=True
            )
            return record, page

        return attempted(record, parse, max_page_bytes=self._limit, clock=self._clock)


def first_of_each(source: Iterable[Record | Skip]) -> Iterator[Record | Skip]:
    """Give a source's items; of records with the same URL, those after the first as skips."""
    # A URL is a segment that occurs on one page: seen again within its lifetime, it is a duplicate.
    seen = recurrence_table([SEEN_URLS], SEEN_URLS)
    for item in source:
        if isinstance(item, Record) and item.url:
            key = xxhash.xxh64_intdigest(item.url.encode("utf-8", "surrogatepass"))
            if seen.observe(np.array([key], np.uint64))[0] > 1:
                yield Skip(item.url, "duplicate url", source=item.source)
                continue
        yield item


def attempted(record: Record, work: Callable[[], Made], *, max_page_bytes: int, clock: Clock) -> Made | Skip:
    """Do something with a record's page within its limits; say why the page was lost if it cannot be done.

    Parameters
    ----------
    record
        The record.
    work
        What to do.
    max_page_bytes
        Larger pages are rejected.
    clock
        Is started first and checked afterwards.
    """
    clock.start()
    try:
        if len(record.html) > max_page_bytes:
            raise PageError("too large", f"{len(record.html):,} bytes, allowed are {max_page_bytes:,}")
        made = work()
        clock.check()
    except PageError as error:
        return rejection(record, error)
    except (ValueError, MemoryError, RecursionError) as error:
        # What no page is known to cause, but one hostile page must not end the run.
        return rejection(record, PageError("unparsable", f"{type(error).__name__}: {error}"))
    return made


def rejection(record: Record, error: PageError) -> Skip:
    """Say that a record's page was lost, and why."""
    return Skip(record.url, error.reason, error.detail, record.source, rejected=True)
