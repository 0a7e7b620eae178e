"""Going over pages: learning them, cleaning them, or both in one pass; in this process or with workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from detemplate.errors import PageError, UserError
from detemplate.page.address import shortened
from detemplate.run.batches import batches
from detemplate.run.limits import failure
from detemplate.run.steps import Begun, PageSteps
from detemplate.run.workers.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.detectors.base import Asked
    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.pagework import PageWork
    from detemplate.run.workers.process import PageLimits
    from detemplate.sites.store import SiteStore

Item = TypeVar("Item")


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


class Here:
    """Goes over items in this process.

    A page is worked on in steps: it is parsed, asks, is learnt or answered, is judged and rendered. Where
    items need not be given back as they come, each step is done on several pages before the next: a processor
    that does the same again has its instructions at hand, and takes up to a sixth less time.

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
        Whether several items (:mod:`detemplate.run.batches`) may be taken before the first of them is
        given back.
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
        self._steps = PageSteps(work, float("inf") if seconds is None else seconds)
        self._given = given
        self._ahead = ahead
        self._guarded = seconds is not None
        self.lost: dict[int, PageError] = {}

    def go_on(self, pages: int, lost: dict[int, PageError]) -> None:  # noqa: ARG002  # pages are not numbered
        """Keep what an earlier process, which had workers, has lost."""
        self.lost = lost

    def learn(self, items: Iterable[Item]) -> Iterator[tuple[Item, PageError | None]]:
        """Learn the items' pages."""
        return self._each(items, self._steps.parse_to_learn, self._steps.query, self._take)

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives."""
        return self._cleaned(items, self._steps.ask, self._sites.take_and_answer)

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt."""
        return self._cleaned(items, self._steps.ask_only, self._sites.answer)

    def _cleaned(
        self, items: Iterable[Item], ask: Callable[[Page], Any], answer: Callable[[str, Any], Any]
    ) -> Iterator[tuple[Item, Any]]:
        def answered(read: tuple[Page, Asked]) -> tuple[Page, Asked, Any]:
            page, asked = read
            return page, asked, answer(page.site, asked.query)

        steps = self._steps
        return self._each(items, steps.parse, ask, answered, steps.judge, steps.render)

    def _each(self, items: Iterable[Item], *steps: Callable[[Any], Any]) -> Iterator[tuple[Item, Any]]:
        started = map(self._begun, items)
        for begun in batches(started) if self._ahead else ([each] for each in started):
            for step in steps:
                for each in begun:
                    self._steps.go_on(each, step)
            for each in begun:
                yield each.item, self._outcome(each)

    def _begun(self, item: Any) -> Begun:  # noqa: ANN401
        try:
            given = self._given(item)
        except Exception as error:  # noqa: BLE001  # it is raised when the item is given back
            return Begun(item, None, error)
        return Begun(item, given, given)

    def _outcome(self, begun: Begun) -> Any:  # noqa: ANN401
        made, begun.made = begun.made, None  # a batch does not keep what it has given back
        if not isinstance(made, Exception) or (begun.given is not None and isinstance(made, PageError)):
            return made
        if begun.given is None or isinstance(made, UserError):
            raise made
        if self._guarded:
            return failure(made, begun.given.url)
        made.add_note(f"raised by detemplate at the page {shortened(str(begun.given.url))}")
        raise made

    def _take(self, asked: tuple[str, Any]) -> None:
        self._sites.take(*asked)


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
        return self.flow.learn(items, self._sites.take)

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives."""
        return self.flow.stream(items, self._sites.take_and_answer)

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt; the workers have it in memory, or read it themselves."""
        with self._sites.frozen() as sites:
            yield from self.flow.clean(items, sites)
