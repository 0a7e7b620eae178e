"""What one page may take, and what a pass lost: how many pages, when these are too many, who names them."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from detemplate.errors import NoPages, PageError, UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.io.record import Record, Skip
from detemplate.io.sources.base import DEFAULT_MAX_BAD, STDIN, SelectedSource
from detemplate.io.sources.kinds import KINDS, file_and_table, kind_of_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.io.sources.base import Source


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


_ADVICE: Final = {
    "too large": "raise --max-page-bytes",
    "too slow": "raise --max-page-seconds",
    "truncated": "fetch the input again",
    "unreadable": "check the files and their permissions",
    "binary": "say what the input is with --input-format",
    "empty": "check how the pages were stored",
    "no layout": "lay the pages out anew with 'python -m lab.layouts'",
    "undecodable": "check how the pages were stored",
}
"""What a user can do, by the reason for which most records are bad."""

_OF_ROWS: Final = {  # the same, where pages are fields of rows
    "bad record": "name the columns or keys with --html-column and --url-column",
    "empty": "name the column or key that holds HTML with --html-column",
}
_ROWS: Final = ("jsonl", "csv", "parquet", "arrow", "sqlite")  # kinds of input whose pages these are


class Losses:
    """The pages and the bad records of a pass, which fails above a share of bad ones, in [0, 1].

    A record is bad if it should have been a page and is lost (:attr:`detemplate.io.record.Skip.rejected`).
    Duplicates, redirects and records of other media types are not bad, and not counted.

    ``pages``: pages that could be used.
    ``bad``: number of bad records by reason.
    """

    def __init__(self, max_bad: float) -> None:
        self.pages = 0
        self.bad: Counter[str] = Counter()
        self._max_bad = max_bad
        self._examples: dict[str, Skip] = {}

    @classmethod
    def of(cls, source: Source, max_bad: float | None = None) -> Losses:
        """Begin to count for a source: a selected one says how many may be bad, of others half may be."""
        own = source.max_bad if isinstance(source, SelectedSource) else DEFAULT_MAX_BAD
        return cls(own if max_bad is None else max_bad)

    def lose(self, skip: Skip) -> None:
        """Count a skip, if it is bad."""
        if skip.rejected:
            self.bad[skip.reason] += 1
            self._note(skip)

    def swap(self, skip: Skip, count: int = 1) -> None:
        """Count pages that were counted as usable as bad, for one reason."""
        self.pages -= count
        self.bad[skip.reason] += count
        self._note(skip)

    def _note(self, skip: Skip) -> None:
        """Note the first skip of each reason."""
        self._examples.setdefault(skip.reason, skip)

    def skip_of(self, item: object, outcome: object) -> Skip | None:
        """Return the skip that an item is, or that an error made of its record; count the latter as bad."""
        if isinstance(item, Skip):
            return item
        if not isinstance(item, Record) or not isinstance(outcome, PageError):
            return None
        skip = rejection(item, outcome)
        self.swap(skip)
        return skip

    def check(self) -> None:
        """Raise UserError at the end of a pass if too many records were bad; it says why most were.

        Raises NoPages if all were.
        """
        bad = self.bad.total()
        total = bad + self.pages
        if bad <= self._max_bad * total:
            return
        reason, count = self.bad.most_common(1)[0]
        first = self._examples[reason]
        example = f" ({first.detail})" if first.detail else ""
        most = "" if bad == 1 else f"{'all' if count == bad else f'{count:,}'} of them: "
        known = (_OF_ROWS if _is_row(first) else {}).get(reason) or _ADVICE.get(reason)
        if not self.pages:
            records = "the only record is" if bad == 1 else f"all {bad:,} records are"
            raise NoPages(
                f"no page could be read: {records} bad; {most}{reason}{example}; "
                f"{known or 'look at the input'} ('detemplate inspect' shows what it has)"
            )
        advice = f"{known}, or " if known else ""
        raise UserError(
            f"{bad:,} of {total:,} records are bad, more than {100 * self._max_bad:.4g} %; {most}{reason}"
            f"{example}; {advice}go on without them with --max-bad 100 ('clean --rejects FILE' lists them, "
            "'inspect' counts them)"
        )


def _is_row(skip: Skip) -> bool:
    """Tell whether a bad record was a row of named fields."""
    path = skip.source.path if skip.source is not None else STDIN
    if path == STDIN:
        return skip.source is None or skip.source.position > 0
    return kind_of_name(file_and_table(path)[0], KINDS) in _ROWS


class Rejects(Closing):
    """Writes lost pages as JSON Lines: ``url``, ``reason``, ``detail``, ``source``, ``position``.

    Without a path, nothing is written. With ``every``, all skips are: also duplicates, redirects and records
    of other media types. The file takes its name when the block ends without an error.
    """

    def __init__(self, path: str | None, *, every: bool = False) -> None:
        self._every = every
        self._out = AtomicFile(path) if path is not None else None

    def write(self, skip: Skip) -> None:
        """Write a skip if a page was lost, or if every one is written; all are counted elsewhere."""
        if self._out is None or not (skip.rejected or self._every):
            return
        with writing(self._out.output):
            self._out.file.write(json.dumps(skip.as_row()).encode() + b"\n")
            self._out.file.flush()  # what costs the run its life is named before

    def close(self) -> None:
        """Give the file its name."""
        if self._out is not None:
            self._out.close()

    def abort(self) -> None:
        """Remove the file."""
        if self._out is not None:
            self._out.abort()
