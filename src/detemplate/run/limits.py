"""What one page may take: its limits, and the clock that keeps the time limit."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from detemplate.errors import PageError, UserError
from detemplate.io.record import Record, Skip

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")

DEFAULT_MAX_PAGE_SECONDS: Final = 20.0
"""Seconds that a page may take by default."""

DEFAULT_MAX_PAGE_MEMORY: Final = 2 << 30
"""Bytes of memory that a page may take in a worker by default."""

LEAST_PAGE_MEMORY: Final = 64 << 20
"""Smallest limit of a page's memory, in bytes."""

TOO_MUCH_MEMORY: Final = "too much memory"
"""Reason of pages that need more memory than a page may take."""


class PageLimits(NamedTuple):
    """What one page may take.

    ``seconds``: processor time, checked after each step. A worker is killed in a step that goes on for a
        second longer.
    ``memory``: memory in bytes, beyond what a worker has before the page.
    """

    seconds: float = DEFAULT_MAX_PAGE_SECONDS
    memory: int = DEFAULT_MAX_PAGE_MEMORY


class Clock:
    """The processor time that one page may take, checked after each step; UserError for a limit not above 0.

    A step is not interrupted: each is linear in the page's size, which is limited, too. Time in which the
    thread is stopped, or gets no processor, does not count.
    """

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {seconds:g}")
        self._seconds = seconds
        self._start = 0.0

    def start(self, spent: float = 0.0) -> None:
        """Begin another page, or go on with one that has taken so many seconds."""
        self._start = time.thread_time() - spent

    @property
    def seconds(self) -> float:
        """Seconds that the page has taken so far."""
        return time.thread_time() - self._start

    def check(self) -> None:
        """Raise :class:`~detemplate.errors.PageError` ``too slow`` if the page's time is over."""
        seconds = self.seconds
        if seconds > self._seconds:
            raise PageError("too slow", f"{seconds:.1f} s, allowed are {self._seconds:g} s")


def attempted(record: Record, work: Callable[[], Made], *, max_page_bytes: int, clock: Clock) -> Made | Skip:
    """Process a record's page within its limits; give what the work gives, or a skip that says why not.

    Larger pages than ``max_page_bytes`` are lost. The work may raise :class:`~detemplate.errors.PageError`.
    The clock is started before it and checked after it.
    """
    clock.start()
    try:
        if (error := too_large(record, max_page_bytes)) is not None:
            return rejection(record, error)
        made = work()
        clock.check()
    except PageError as error:
        return rejection(record, error)
    except (ValueError, MemoryError, RecursionError) as error:
        # No page is known to cause these, but one hostile page must not end the run.
        return rejection(record, PageError("unparsable", f"{type(error).__name__}: {error}"))
    return made


def too_large(record: Record, most: int) -> PageError | None:
    """Return the error of a page of more than so many bytes or characters; None for any other."""
    size = record.size
    return PageError("too large", f"{size:,} bytes, allowed are {most:,}") if size > most else None


def rejection(record: Record, error: PageError) -> Skip:
    """Give the skip of a record whose page was lost by an error."""
    return Skip(record.url, error.reason, error.detail, record.source, rejected=True)


def failure(error: Exception, url: str = "") -> PageError:
    """Give the error of a page on which some step failed."""
    if isinstance(error, MemoryError):
        return PageError(TOO_MUCH_MEMORY, "the memory that a page may take is over", url)
    return PageError("failed", f"{type(error).__name__}: {error}", url)
