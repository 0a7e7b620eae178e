"""Going over pieces with worker processes: one owner reads, learns and writes, in the input's order."""

from __future__ import annotations

import queue
import sys
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import PageError, UserError
from detemplate.run.limits import PageLimits, failure
from detemplate.run.passes import KEPT, Passes
from detemplate.run.pool import AHEAD, Pool, Task
from detemplate.run.steps import Piece, size_of
from detemplate.run.worker import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.passes import Way
    from detemplate.run.pool import Answer, Worker


@dataclass(slots=True, eq=False)
class _Job:
    """A piece on its way through the workers."""

    piece: Piece
    pages: list[tuple[int, Any]]  # those that are not lost
    values: dict[int, Any]  # what is known of its pages, by their places
    worker: Worker | None = None  # keeps its pages
    answers: dict[int, Any] | None = None  # those of its sites, once they were given
    queries: dict[int, Any] = field(default_factory=dict)  # of its pages that were learned, for a checkpoint
    asked: bool = False  # whether all its pages have asked
    outcomes: Iterable[Any] | None = None  # what became of its items, in the end


class WorkerRun(Passes):
    """Goes over pieces with worker processes; the results are the same.

    ``workers``, ``limits``: number of workers, at least 1, and what one page may take.
    ``live``: whether items come one by one, and may be long in coming: a thread of their own reads them.
    All other arguments are those of :class:`Passes`.
    """

    few = 8

    def __init__(
        self,
        *given: Any,  # noqa: ANN401
        workers: int,
        limits: PageLimits | None = None,
        live: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*given, **options)
        self._workers = workers
        self._limits = limits or PageLimits()
        self._live = live
        self._way: Way = "learn"
        self._pool: Pool | None = None

    def cut(self, items: Iterable[Any]) -> Iterator[Piece]:
        """Cut an input into pieces; into small ones, where results must not wait."""
        return _arriving(items, self._given) if self._live else super().cut(items)

    def close(self) -> None:
        """End the workers."""
        super().close()
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def go(self, way: Way, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Do a pass over pieces; the workers read what was learned from a file."""
        self._way = way
        pool = self._opened()
        if way == "clean":
            with self._sites.frozen() as sites:
                pool.tell(sites)
                yield from self._go(pool, pieces)
        else:
            yield from self._go(pool, pieces)
        if way != "learn":
            self.close()

    def _opened(self) -> Pool:
        if self._pool is None:
            room = min(KEPT // self._workers, self._limits.memory // 4) if self._keep else 0
            # In one pass, pages are kept until they are judged, of few pieces.
            room = sys.maxsize if self._way == "stream" else room
            self._pool = Pool(self._workers, self._work, self._limits, room)
        return self._pool

    def _go(self, pool: Pool, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        jobs: deque[_Job] = deque()
        source, more = iter(pieces), True
        error: Exception | None = None
        while True:
            waits = False
            while more and not waits and pool.ready and len(jobs) < (AHEAD + 1) * self._workers:
                try:
                    piece = next(source, None)
                except Exception as raised:  # noqa: BLE001  # raised below, behind what comes before it
                    error, piece = raised, None
                more = piece is not None
                waits = piece is _NOTHING
                if piece is not None and not waits:
                    jobs.append(self._begin(piece))
            self._serve(jobs)
            ready = False
            while jobs and (outcomes := jobs[0].outcomes) is not None:
                ready = True
                yield jobs.popleft().piece, outcomes
            if not jobs and not more:
                break
            if not ready or waits:
                for answer in pool.answers(_PATIENCE if waits else None):
                    self._receive(answer)
        if error is not None:
            raise error

    def _begin(self, piece: Piece) -> _Job:
        job = _Job(piece, *self._pages(piece))
        if piece.part is not None:
            job.asked = True
            if self._way == "clean":
                job.outcomes = self._again(self._way, piece)
        elif self._way == "clean":
            job.worker = self._remembered(piece)
            self._clean(job)
        else:
            self._ask(job)
        return job

    def _ask(self, job: _Job, tries: int = 0) -> None:
        """Have the pages of a piece ask, those that are left of it."""
        if job.pages:
            content = job.pages, self._keep or self._way == "stream"
            job.worker = self._opened().give(Task(Kind.LEARN, job.piece.number, content, job, tries))
        else:
            job.asked = True

    def _clean(self, job: _Job, tries: int = 0) -> None:
        """Have a piece cleaned: by the worker that keeps its pages, if it is still there."""
        pages = [page for page in job.pages if job.answers is None or page[0] in job.answers]
        if not pages:
            self._done(job)
            return
        keeper = job.worker if self._opened().lives(job.worker) else None
        content = None if keeper is not None else pages, job.answers
        self._opened().give(Task(Kind.CLEAN, job.piece.number, content, job, tries), keeper)

    def _serve(self, jobs: Iterable[_Job]) -> None:
        """Let sites learn the pieces whose turn it is, and answer."""
        if self._way == "clean":
            return
        for job in jobs:
            if job.answers is not None or job.outcomes is not None:
                continue
            if not job.asked:
                return
            if job.piece.part is not None:
                job.outcomes = self._again(self._way, job.piece)
                continue
            owner = self._sites.take if self._way == "learn" else self._sites.take_and_answer
            answers = {}
            for place, given in job.pages:
                asked = job.values[place]
                if isinstance(asked, PageError):
                    continue
                try:
                    answers[place] = owner(*asked)
                    if self.saves is not None:
                        job.queries[place] = asked
                except UserError:
                    raise
                except Exception as error:  # noqa: BLE001  # one page must not end the run
                    job.values[place] = failure(error, given.url)
            if self._way == "learn":
                job.values |= dict.fromkeys(answers)
                self._done(job)
            else:
                job.answers = answers
                self._clean(job)

    def _receive(self, answer: Answer) -> None:
        """Take what became of a task; have the rest of a piece done whose worker was lost."""
        task, reply = answer.task, answer.reply
        job: _Job = task.owner
        if reply is None:
            if answer.cause is not None:
                self._lose(job, answer.culprit, answer.cause)
            again = self._ask if task.kind == Kind.LEARN else self._clean
            again(job, task.tries)
            return
        if reply.broken:
            raise UserError(reply.broken)
        job.values |= reply.values
        if task.kind == Kind.CLEAN:
            self._done(job)
            return
        job.asked = True
        if self._way == "learn" and reply.kept and job.worker is not None:
            self._remember(job.piece, job.worker)

    def _lose(self, job: _Job, culprit: int | None, cause: PageError) -> None:
        """Take the page out of a piece at which its worker was lost; one that is not known is the largest."""
        left = {place: given for place, given in job.pages if job.answers is None or place in job.answers}
        if culprit not in left:
            culprit = max(left, key=lambda place: size_of(left[place]))
        error = PageError(cause.reason, cause.detail, str(left[culprit].url))
        job.values[culprit] = error
        job.pages = [page for page in job.pages if page[0] != culprit]
        if job.answers is not None:
            del job.answers[culprit]
        if self._way == "learn":
            self.lost[job.piece.number, culprit] = error

    def _done(self, job: _Job) -> None:
        """Make the outcomes of a piece that is done."""
        job.outcomes = outcomes = [job.values.get(place) for place in range(len(job.piece.items))]
        job.values = {}
        if self.saves is not None and self._way != "learn":
            self.saves.cleaned(job.piece, outcomes, job.queries)
        elif self.saves is not None:
            self.saves.learned(job.piece, job.queries, self._pages(job.piece)[1])
        job.queries = {}


_NOTHING: Final = Piece(-1, [], [])  # stands for a piece that has not come yet
_PATIENCE: Final = 0.02  # seconds from one look for new items to the next, where none is there


def _arriving(items: Iterable[Any], given: Callable[[Any], Record | Page | None]) -> Iterator[Piece]:
    """Read items in a thread; give what is there as small pieces, and :data:`_NOTHING` where nothing is."""
    arrived: queue.Queue[tuple[Any, Any, BaseException | None]] = queue.Queue(WorkerRun.few**2)

    def read() -> None:
        end: BaseException = StopIteration()
        try:
            for item in items:
                arrived.put((item, given(item), None))
        except BaseException as raised:  # noqa: BLE001  # raised again where the items are used
            end = raised
        arrived.put((None, None, end))

    threading.Thread(target=read, daemon=True).start()
    number = 0
    error: BaseException | None = None
    while error is None:
        piece = Piece(number, [], [])
        with suppress(queue.Empty):
            while len(piece.items) < WorkerRun.few:
                item, page, error = arrived.get_nowait()
                if error is not None:
                    break
                piece.items.append(item)
                piece.given.append(page)
        yield piece if piece.items else _NOTHING
        number += bool(piece.items)
    if not isinstance(error, StopIteration):
        raise error
