"""Going over pages: learning them, cleaning them, or both in one pass; in this process or with workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from detemplate.engines.limits import Clock, failure
from detemplate.engines.workers.flow import Flow
from detemplate.errors import PageError, UserError
from detemplate.page.address import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.detectors.base import Detector
    from detemplate.detectors.verdict import Verdict
    from detemplate.engines.pagework import PageWork
    from detemplate.engines.workers.process import PageLimits
    from detemplate.io.record import Record
    from detemplate.page.page import Page
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
    """

    def __init__(
        self,
        sites: SiteStore,
        work: PageWork[Any],
        given: Callable[[Any], Record | Page | None],
        seconds: float | None = None,
    ) -> None:
        self._sites = sites
        self._work = work
        self._given = given
        self.lost: dict[int, PageError] = {}
        self._guarded = seconds is not None
        self._clock = Clock(seconds if seconds is not None else float("inf"))

    def go_on(self, pages: int, lost: dict[int, PageError]) -> None:  # noqa: ARG002  # pages are not numbered
        """Keep what an earlier process, which had workers, has lost."""
        self.lost = lost

    def learn(self, items: Iterable[Item]) -> Iterator[tuple[Item, PageError | None]]:
        """Learn the items' pages."""
        return self._each(items, self._learn)

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives."""
        return self._each(items, self._stream)

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt."""
        return self._each(items, self._clean)

    def _each(self, items: Iterable[Item], do: Callable[[Record | Page], Any]) -> Iterator[tuple[Item, Any]]:
        for item in items:
            given = self._given(item)
            yield item, None if given is None else self._attempt(given, do)

    def _attempt(self, given: Record | Page, do: Callable[[Record | Page], Any]) -> Any:  # noqa: ANN401
        self._clock.start()
        try:
            return do(given)
        except PageError as error:
            return error
        except UserError:
            raise
        except Exception as error:
            if not self._guarded:
                error.add_note(f"raised by detemplate at the page {shortened(str(given.url))}")
                raise
            return failure(error, given.url)

    def _learn(self, given: Record | Page) -> None:
        page = self._work.page(given, keep_document=False)
        self._clock.check()
        detector = self._sites[page.site]
        query = detector.ask(page).query
        detector.take(query)
        self._sites.took(page.site, query)

    def _stream(self, given: Record | Page) -> Any:  # noqa: ANN401
        return self._judge(given, self._learnt_and_scored)

    def _learnt_and_scored(self, detector: Detector, page: Page) -> Verdict:
        asked = detector.ask(page)
        answer = detector.take_and_answer(asked.query)
        self._sites.took(page.site, asked.query)
        return detector.judge(page, asked, answer)

    def _clean(self, given: Record | Page) -> Any:  # noqa: ANN401
        return self._judge(given, self._scored)

    def _scored(self, detector: Detector, page: Page) -> Verdict:
        verdict = detector.score(page)
        self._sites.used(page.site)
        return verdict

    def _judge(self, given: Record | Page, judge: Callable[[Detector, Page], Verdict]) -> Any:  # noqa: ANN401
        page = self._work.page(given)
        self._clock.check()
        verdict = judge(self._sites[page.site], page)
        self._clock.check()
        return self._work.done(page, verdict, self._clock)


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
