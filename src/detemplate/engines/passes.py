"""Going over pages: learning them, cleaning them, or both in one pass; in this process or with workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

from detemplate.engines.limits import Clock, failure
from detemplate.engines.workers.flow import Flow
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.page.address import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.detectors.base import Asked
    from detemplate.engines.pagework import PageWork
    from detemplate.engines.workers.process import PageLimits
    from detemplate.page.page import Page
    from detemplate.sites.store import SiteStore

Item = TypeVar("Item")

BATCH: Final = 4
"""Pages that are worked on together in this process."""

BATCH_SIZE: Final = 1 << 20
"""Length of their markup from which no further page is taken."""


class Passes(Protocol):
    """Goes over items; each is given back, in order, with what became of it."""

    @property
    def lost(self) -> dict[int, PageError]:
        """Errors of pages that cost their worker while they were learnt, by their number in the pass."""

    def go_on(self, pages: int, lost: dict[int, PageError]) -> None:
        """Begin the next pass after so many pages, and know what an earlier process has lost."""

    def learn(self, items: Iterable[Item]) -> Iterator[tuple[Item, PageError | None]]:
        """Learn the items' pages; give the error of a page that could not be learnt."""

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives; give what the work makes of it, or its error."""

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt; give what the work makes of each, or its error."""


class _Begun(NamedTuple):
    """An item after the first of two steps.

    Attributes
    ----------
    item, given
        The item, and its record or page; None for an item that is only handed over.
    made
        What the step has made, or the error with which it ended.
    seconds
        Time that it took.
    """

    item: Any
    given: Record | Page | None
    made: Any
    seconds: float


class Here:
    """Goes over items in this process.

    A page is worked on in two steps: by itself, then by what its site has learnt. Where items need not be
    given back as they come, the first step is done on several pages before the second: a processor that does
    the same again has its instructions at hand, and takes up to a tenth less time.

    Parameters
    ----------
    sites
        The detectors of all sites.
    work
        The work on a page.
    given
        Gives the record or page of an item; None for an item that is only handed over, with None.
    seconds
        Time that a page may take; it is checked between steps, and any exception then costs only its page.
        None: there is no such limit, and exceptions other than PageError are raised.
    ahead
        Whether :meth:`learn` and :meth:`clean` may take several items (:func:`batches`) before they give
        back the first of them.
    """

    def __init__(
        self,
        sites: SiteStore,
        work: PageWork[Any],
        given: Callable[[Any], Record | Page | None],
        seconds: float | None = None,
        *,
        ahead: bool = False,
    ) -> None:
        self._sites = sites
        self._work = work
        self._blank = work.make()
        self._given = given
        self._ahead = ahead
        self.lost: dict[int, PageError] = {}
        self._guarded = seconds is not None
        self._clock = Clock(seconds if seconds is not None else float("inf"))

    def go_on(self, pages: int, lost: dict[int, PageError]) -> None:  # noqa: ARG002  # pages are not numbered
        """Keep what an earlier process, which had workers, has lost."""
        self.lost = lost

    def learn(self, items: Iterable[Item]) -> Iterator[tuple[Item, PageError | None]]:
        """Learn the items' pages."""
        return self._each(items, self._asked, self._take, ahead=self._ahead)

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives."""
        return self._each(items, self._read, self._take_and_judge, ahead=False)

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt."""
        return self._each(items, self._read, self._judge, ahead=self._ahead)

    def _each(
        self,
        items: Iterable[Item],
        begin: Callable[[Record | Page], Any],
        end: Callable[[Any], Any],
        *,
        ahead: bool,
    ) -> Iterator[tuple[Item, Any]]:
        for some in batches(items) if ahead else ([item] for item in items):
            for begun in [self._begun(item, begin) for item in some]:
                yield begun.item, self._ended(begun, end)

    def _begun(self, item: Any, begin: Callable[[Record | Page], Any]) -> _Begun:  # noqa: ANN401
        self._clock.start()
        given, made = None, None
        try:
            given = self._given(item)
            made = None if given is None else begin(given)
        except Exception as error:  # noqa: BLE001  # it is told, or raised, when the item is given back
            made = error
        return _Begun(item, given, made, self._clock.seconds)

    def _ended(self, begun: _Begun, end: Callable[[Any], Any]) -> Any:  # noqa: ANN401
        _, given, made, seconds = begun
        if given is None:
            if isinstance(made, Exception):
                raise made
            return None
        self._clock.start(seconds)
        try:
            if isinstance(made, Exception):
                raise made
            return end(made)
        except PageError as error:
            return error
        except UserError:
            raise
        except Exception as error:
            if not self._guarded:
                error.add_note(f"raised by detemplate at the page {shortened(str(given.url))}")
                raise
            return failure(error, given.url)

    def _asked(self, given: Record | Page) -> tuple[str, Any]:
        page = self._work.page(given, keep_document=False)
        self._clock.check()
        return page.site, self._blank.ask(page).query

    def _take(self, asked: tuple[str, Any]) -> None:
        site, query = asked
        self._sites[site].take(query)
        self._sites.took(site, query)

    def _read(self, given: Record | Page) -> tuple[Page, Asked]:
        page = self._work.page(given)
        self._clock.check()
        return page, self._blank.ask(page)

    def _take_and_judge(self, read: tuple[Page, Asked]) -> Any:  # noqa: ANN401
        page, asked = read
        detector = self._sites[page.site]
        answer = detector.take_and_answer(asked.query)
        self._sites.took(page.site, asked.query)
        return self._work.done(page, detector.judge(page, asked, answer), self._clock)

    def _judge(self, read: tuple[Page, Asked]) -> Any:  # noqa: ANN401
        page, asked = read
        detector = self._sites[page.site]
        verdict = detector.judge(page, asked, detector.answer(asked.query))
        self._sites.used(page.site)
        return self._work.done(page, verdict, self._clock)


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Give up to :data:`BATCH` items at a time, fewer where their markup has :data:`BATCH_SIZE` bytes.

    An error of the items is raised after the items before it.
    """
    left = iter(items)
    error: Exception | None = None
    while error is None:
        some: list[Item] = []
        size = 0
        try:
            for item in left:
                some.append(item)
                size += _size(item)
                if len(some) == BATCH or size >= BATCH_SIZE:
                    break
        except Exception as raised:  # noqa: BLE001  # raised below
            error = raised
        if some:
            yield some
        elif error is None:
            return
    raise error


def _size(item: object) -> int:
    """Give the length of an item's markup; 0 for a page, which is in memory anyway, and for no page."""
    if isinstance(item, Record):
        return item.size
    markup = item[1] if isinstance(item, tuple) and len(item) == 2 else None
    return len(markup) if isinstance(markup, str | bytes) else 0


class InWorkers:
    """Goes over items with worker processes; the results are the same.

    Parameters
    ----------
    sites, work, given
        As for :class:`Here`.
    workers
        Number of workers, at least 1.
    limits
        What one page may take.
    """

    def __init__(
        self,
        sites: SiteStore,
        work: PageWork[Any],
        given: Callable[[Any], Record | Page | None],
        workers: int,
        limits: PageLimits,
    ) -> None:
        self._sites = sites
        self.flow = Flow(workers, work, limits, given)

    @property
    def lost(self) -> dict[int, PageError]:
        """Errors of pages that cost their worker while they were learnt, by their number in the pass."""
        return self.flow.lost

    def go_on(self, pages: int, lost: dict[int, PageError]) -> None:
        """Begin the next pass after so many pages, and know what an earlier process has lost."""
        self.flow.before, self.flow.lost = pages, lost

    def learn(self, items: Iterable[Item]) -> Iterator[tuple[Item, PageError | None]]:
        """Learn the items' pages."""
        return self.flow.learn(items, self._take)

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives."""
        return self.flow.stream(items, self._answer)

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt; the workers have it in memory, or read it themselves."""
        with self._sites.frozen() as sites:
            yield from self.flow.clean(items, sites)

    def _take(self, site: str, query: Any) -> None:  # noqa: ANN401
        self._sites[site].take(query)
        self._sites.took(site, query)

    def _answer(self, site: str, query: Any) -> Any:  # noqa: ANN401
        answer = self._sites[site].take_and_answer(query)
        self._sites.took(site, query)
        return answer
