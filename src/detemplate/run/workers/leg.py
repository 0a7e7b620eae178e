"""One pass of a flow: items on their way through the workers, learnt and handed over in their order."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.run.limits import failure
from detemplate.run.workers.ahead import Ahead
from detemplate.run.workers.tasks import Kind, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.page.page import Page
    from detemplate.run.workers.pool import Pool


class Mark:
    """An item that is handed over in its turn, with nothing done.

    Parameters
    ----------
    pause
        Whether nothing behind it is begun before that.
    """

    def __init__(self, *, pause: bool = False) -> None:
        self.pause = pause

    def reached(self) -> None:
        """Be told that all pages before it are learnt, and none behind it; not where none is learnt."""


_PAGES_A_WORKER: Final = 96
"""Pages that may be under way, for each worker."""

_BYTES_A_WORKER: Final = 64 << 20
"""Bytes of records that may be under way for each worker; a page may be larger by itself."""


@dataclass(slots=True)
class _Flight:
    """An item that is under way.

    Attributes
    ----------
    item
        What the caller gave.
    given
        The record or page; None: nothing is to be done, or all is done.
    page
        Number of the pages that were begun, this one included.
    size
        Its bytes.
    asked
        The page's site and what it asks; None: not known yet, or answered.
    answer
        The answer, in a tuple; None: not answered yet.
    outcome
        What is handed over; valid if ``ready``.
    ready
        Whether the outcome is known.
    """

    item: Any
    given: Record | Page | None
    page: int
    size: int = 0
    asked: tuple[str, Any] | None = None
    answer: tuple[Any] | None = None
    outcome: Any = None
    ready: bool = False


class Leg:
    """One pass of a flow.

    Parameters
    ----------
    pool
        The workers.
    items, given
        As for :class:`~detemplate.run.workers.flow.Flow`.
    kind
        What is done with each page.
    owner
        Learns, or learns and answers, a page of a site; None: the workers need no answers.
    lost
        Errors of pages that cost their worker, by the number of the page. Those that are there are not tried
        again; where pages are learnt, new ones are added.
    workers
        Number of workers.
    before
        Number of pages before the first one.
    """

    def __init__(  # noqa: PLR0917  # what one pass is made of
        self,
        pool: Pool,
        items: Iterable[Any],
        given: Callable[[Any], Record | Page | None],
        kind: Kind,
        owner: Callable[[str, Any], Any] | None,
        lost: dict[int, PageError],
        workers: int,
        before: int = 0,
    ) -> None:
        self._pool = pool
        self._ahead = items if isinstance(items, Ahead) else None
        if self._ahead is not None:
            pool.watch(self._ahead)
        self._items = iter(items)
        self._given = given
        self._kind = kind
        self._owner = owner
        self._lost = lost
        self._most = workers * _PAGES_A_WORKER
        self._most_bytes = workers * _BYTES_A_WORKER
        self._flights: dict[int, _Flight] = {}
        self._order: deque[int] = deque()
        self._bytes = 0
        self._next = 0
        self._turn = 0
        self._more = True
        self._paused = False
        self._pages = before

    def outcomes(self) -> Iterator[tuple[Any, Any]]:
        """Give each item with its outcome, in order."""
        while True:
            self._fill()
            self._serve()
            while self._order and self._flights[self._order[0]].ready:
                flight = self._flights.pop(self._order.popleft())
                yield flight.item, flight.outcome
                if isinstance(flight.item, Mark):
                    self._paused = False
            if not self._order and not self._more:
                return
            # Also where no item is under way: a worker may still have to forget pages before it takes others.
            waiting = not (self._order and self._flights[self._order[0]].ready) and not self._can_fill()
            for answer in self._pool.answers(wait=waiting):
                self._receive(*answer)

    def _can_fill(self) -> bool:
        return (
            self._more
            and not self._paused
            and len(self._order) < self._most
            and self._bytes < self._most_bytes
            and self._pool.ready
            and (self._ahead is None or self._ahead.ready)
        )

    def _fill(self) -> None:
        """Give out records while there is room."""
        while self._can_fill():
            item = next(self._items, None)
            if item is None:
                self._more = False
                return
            number, self._next = self._next, self._next + 1
            self._order.append(number)
            self._paused = isinstance(item, Mark) and item.pause
            given = self._given(item)
            self._pages += given is not None
            flight = self._flights[number] = _Flight(item, given, self._pages, ready=given is None)
            if isinstance(given, Record):
                flight.size = given.size
            elif given is not None:
                flight.size = len(given.canonical)
            if given is not None and self._pages in self._lost:
                self._bytes += flight.size
                self._settle(flight, self._lost[self._pages])
            elif given is not None:
                self._bytes += flight.size
                self._pool.give(self._kind, number, flight.given, flight.size)
            if self._next % 4 == 0:  # answers must not wait until there is no room left
                return

    def _receive(self, number: int, reply: int | None, content: Any, killed: bool) -> None:  # noqa: ANN401
        """Take an answer of a worker."""
        flight = self._flights.get(number)
        if flight is None or flight.ready:
            return  # its worker was lost before it could forget the page
        if reply is None:
            self._again(number, flight)
        elif reply == Reply.ASKED:
            flight.asked = content
        elif reply == Reply.BROKEN:
            raise UserError(content)
        elif reply == Reply.LOST:
            error = PageError(content[0], content[1], _url(flight.given))
            if killed and self._kind == Kind.LEARN:
                self._lost[flight.page] = error
            self._settle(flight, error)
        else:
            self._settle(flight, content)

    def _again(self, number: int, flight: _Flight) -> None:
        """Give out a page whose worker was lost; one that has asked waits for its answer."""
        if flight.answer is not None:
            self._pool.give(Kind.REDO, number, (flight.given, *flight.answer), flight.size)
        elif flight.asked is None:
            self._pool.give(self._kind, number, flight.given, flight.size)

    def _settle(self, flight: _Flight, outcome: Any) -> None:  # noqa: ANN401
        if flight.given is not None:
            self._bytes -= flight.size
        flight.given, flight.asked, flight.outcome, flight.ready = None, None, outcome, True

    def _serve(self) -> None:
        """Learn, or learn and answer, the pages whose turn it is."""
        while self._turn < self._next:
            flight = self._flights.get(self._turn)
            if flight is not None and self._owner is not None and not flight.ready:
                if flight.answer is None:
                    if flight.asked is None:
                        return
                    self._own(self._turn, flight)
            elif self._owner is None:
                return
            elif flight is not None and isinstance(flight.item, Mark):
                flight.item.reached()
            self._turn += 1

    def _own(self, number: int, flight: _Flight) -> None:
        """Learn a page; answer it, if it asked."""
        assert self._owner is not None
        assert flight.asked is not None
        try:
            answer = self._owner(*flight.asked)
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001  # one page must not end the run
            self._settle(flight, failure(error, _url(flight.given)))
            if self._pool.keeps(number):
                self._pool.give(Kind.FORGET, number, None)
            return
        if self._kind == Kind.LEARN:
            self._settle(flight, None)
            return
        flight.asked, flight.answer = None, (answer,)
        if self._pool.keeps(number):
            self._pool.give(Kind.JUDGE, number, answer)
        else:
            self._pool.give(Kind.REDO, number, (flight.given, answer), flight.size)


def _url(given: Record | Page | None) -> str:
    url = given.url if given is not None else ""
    return url if isinstance(url, str) else ""
