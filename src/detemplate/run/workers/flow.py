"""The owner of a run with workers: gives records out, learns and answers in their order, hands over in order.

Three ways through: *learning* (workers ask, the owner learns), *one pass* (workers ask, the owner learns and
answers, the worker that keeps the page judges and renders it), *cleaning* (workers have all sites as they
were learnt; the owner only hands over). Whatever the number of workers, the owner sees the pages in
the input's order: the results are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.run.workers.leg import Leg
from detemplate.run.workers.pool import Pool
from detemplate.run.workers.tasks import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.errors import PageError
    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.pagework import PageWork
    from detemplate.run.workers.process import PageLimits
    from detemplate.sites.store import FrozenSites


class Flow:
    """Pages on their way through the workers.

    Parameters
    ----------
    workers
        Number of workers, at least 1.
    work
        The work on a page.
    limits
        What one page may take.
    given
        Gives the record or page of an item; None for an item that is only handed over.

    Attributes
    ----------
    replaced
        Number of workers that were lost, and replaced.
    lost
        Errors of pages that cost their worker while they were learnt, by their number in the pass. They are
        not tried again when pages are cleaned.
    before
        Pages before the first one of the next pass: an earlier process has done them.
    """

    def __init__(
        self,
        workers: int,
        work: PageWork[Any],
        limits: PageLimits,
        given: Callable[[Any], Record | Page | None],
    ) -> None:
        self._workers = workers
        self._work = work
        self._limits = limits
        self._given = given
        self.lost: dict[int, PageError] = {}
        self.before = 0
        self.replaced = 0

    def learn(
        self, items: Iterable[Any], learn: Callable[[str, Any], None]
    ) -> Iterator[tuple[Any, PageError | None]]:
        """Learn all items.

        Parameters
        ----------
        items
            The items.
        learn
            Called with each page's site and query, in the items' order.

        Yields
        ------
        tuple
            Each item, and its error if it could not be learnt.
        """
        return self._run(items, Kind.LEARN, None, learn)

    def stream(self, items: Iterable[Any], answer: Callable[[str, Any], Any]) -> Iterator[tuple[Any, Any]]:
        """Learn and clean all items in one pass.

        Parameters
        ----------
        items
            As for :meth:`learn`.
        answer
            Learns the page of a site and a query and answers it; called in the items' order.

        Yields
        ------
        tuple
            Each item, and what the work makes of it or its error.
        """
        return self._run(items, Kind.ASK, None, answer)

    def clean(self, items: Iterable[Any], sites: FrozenSites) -> Iterator[tuple[Any, Any]]:
        """Clean all items by what their sites have learnt.

        Parameters
        ----------
        items
            As for :meth:`learn`.
        sites
            The detectors of all sites.

        Yields
        ------
        tuple
            Each item, and what the work makes of it or its error.
        """
        return self._run(items, Kind.CLEAN, sites, None)

    def _run(
        self,
        items: Iterable[Any],
        kind: Kind,
        sites: FrozenSites | None,
        owner: Callable[[str, Any], Any] | None,
    ) -> Iterator[tuple[Any, Any]]:
        before, self.before = self.before, 0
        with Pool(self._workers, self._work, sites, self._limits) as pool:
            if kind == Kind.LEARN and not before:
                self.lost = {}
            leg = Leg(pool, items, self._given, kind, owner, self.lost, self._workers, before)
            try:
                yield from leg.outcomes()
            finally:
                self.replaced += pool.replaced
