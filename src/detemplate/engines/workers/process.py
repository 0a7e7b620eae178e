"""A worker: a process that parses, asks, judges and renders pages, one message after another."""

from __future__ import annotations

import contextlib
import enum
import gc
import io
import os
import signal
import time
import traceback
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from detemplate.engines.limits import (
    DEFAULT_MAX_PAGE_MEMORY,
    DEFAULT_MAX_PAGE_SECONDS,
    TOO_MUCH_MEMORY,
    Clock,
    failure,
)
from detemplate.engines.workers.channel import WorkerEnd
from detemplate.errors import PageError, UserError
from detemplate.files.partial import leave_locks

if TYPE_CHECKING:
    import socket
    from mmap import mmap

    from detemplate.detectors.base import Asked
    from detemplate.engines.pagework import PageWork
    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.sites.frozen import FrozenSites

GRACE: Final = 1.0
"""Seconds after the end of a page's time at which the system kills the worker."""


_EVERY: Final = 16
"""Messages from one look at a worker's memory to the next."""

_HELD_SECONDS: Final = 0.1
"""Time after which answers are sent before all messages of a batch are worked off."""


class Kind(enum.IntEnum):
    """What a message asks of a worker."""

    LEARN = 0
    """Parse a record and ask, to learn it."""
    ASK = 1
    """Parse a record and ask; keep the page."""
    JUDGE = 2
    """Judge and render a page that was kept, by the answer."""
    REDO = 3
    """Parse a record again, whose worker was lost; judge and render it by the answer."""
    CLEAN = 4
    """Clean a record's page by what its site has learnt before the worker was started."""
    FORGET = 5
    """Keep a page no longer that was kept: it is lost."""


class Reply(enum.IntEnum):
    """What a worker answers."""

    ASKED = 0
    """The page's site, and what the page asks it."""
    DONE = 1
    """What the run hands over."""
    LOST = 2
    """The reason and the detail for which the page is lost."""
    BROKEN = 3
    """The whole run cannot go on: the message of a UserError."""
    BYE = 4
    """The worker ends; its other pages are to be done by another one."""


class PageLimits(NamedTuple):
    """What one page may take.

    Attributes
    ----------
    seconds
        Time in seconds. It is checked after each step. A worker that goes on :data:`GRACE` seconds longer is
        killed by the system, in whatever step it is.
    memory
        Memory in bytes, beyond what a worker has before its first page.
    """

    seconds: float = DEFAULT_MAX_PAGE_SECONDS
    memory: int = DEFAULT_MAX_PAGE_MEMORY


class Worker:
    """Works on pages.

    Parameters
    ----------
    work
        The work on a page.
    sites
        The detectors of all sites, which learn nothing more; None: another process has them.
    limits
        What one page may take.
    """

    def __init__(self, work: PageWork[Any], sites: FrozenSites | None, limits: PageLimits) -> None:
        self._work = work
        self._sites = sites
        self._blank = work.make()
        self._clock = Clock(limits.seconds)
        self._kept: dict[int, tuple[Page, Asked, float]] = {}

    def do(self, kind: int, number: int, content: Any) -> tuple[Reply, Any]:  # noqa: ANN401
        """Do what a message asks; never raises."""
        try:
            if kind in {Kind.LEARN, Kind.ASK}:
                self._clock.start()
                return Reply.ASKED, self._asked(content, number if kind == Kind.ASK else None)
            return Reply.DONE, self._done(kind, number, content)
        except PageError as error:
            return Reply.LOST, (error.reason, error.detail)
        except UserError as error:
            return Reply.BROKEN, str(error)
        except Exception as error:  # noqa: BLE001  # one page must not end the run
            lost = failure(error)
            return Reply.LOST, (lost.reason, lost.detail)

    def _done(self, kind: int, number: int, content: Any) -> Any:  # noqa: ANN401
        if kind == Kind.FORGET:
            del self._kept[number]
            return None
        if kind == Kind.JUDGE:
            page, asked, spent = self._kept.pop(number)
            self._clock.start(spent)
            return self._judged(page, asked, content)
        self._clock.start()
        if kind == Kind.CLEAN:
            return self._cleaned(content)
        record, answer = content
        page = self._work.page(record)
        return self._judged(page, self._blank.ask(page), answer)

    def _asked(self, record: Record | Page, number: int | None) -> tuple[str, Any]:
        page = self._work.page(record, keep_document=number is not None)
        self._clock.check()
        asked = self._blank.ask(page)
        self._clock.check()
        if number is not None:
            self._kept[number] = page, asked, self._clock.seconds
        return page.site, asked.query

    def _judged(self, page: Page, asked: Asked, answer: Any) -> Any:  # noqa: ANN401
        return self._work.done(page, self._blank.judge(page, asked, answer), self._clock)

    def _cleaned(self, record: Record | Page) -> Any:  # noqa: ANN401
        page = self._work.page(record)
        self._clock.check()
        sites = self._sites
        assert sites is not None
        return self._work.done(page, sites[page.site].score(page), self._clock)


def serve(  # noqa: PLR0917  # what a worker is given
    sock: socket.socket,
    others: list[int],
    begun: mmap,
    work: PageWork[Any],
    sites: FrozenSites | None,
    limits: PageLimits,
) -> NoReturn:
    """Work off the messages of the owner until it is gone, then end the process.

    Parameters
    ----------
    sock
        The worker's socket.
    others
        Sockets of the owner, which are not this worker's.
    begun
        Memory that the owner sees, too: the number of messages that were begun, as 8 bytes.
    work, sites, limits
        As of :class:`Worker`.
    """
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the owner, which ends its workers
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        for descriptor in others:
            os.close(descriptor)
        leave_locks()
        if sites is not None:
            with contextlib.suppress(UserError):  # told with the first page that needs it
                sites.open()
        gc.freeze()
        _work_off(WorkerEnd(sock), Worker(work, sites, limits), limits, begun)
        code = 0
    except (EOFError, OSError):
        code = 0  # the owner is gone
    except BaseException:  # noqa: BLE001  # nothing of the owner's may run on in this process
        traceback.print_exc()
    finally:
        os._exit(code)  # nothing that was inherited is flushed or closed a second time


def _work_off(end: WorkerEnd, worker: Worker, limits: PageLimits, begun: mmap) -> None:
    space = AddressSpace()
    before = space.size()
    confine(limits.memory, before)
    count = 0
    while True:
        batch = end.receive()
        batch.reverse()
        answers: list[tuple[int, int, Any]] = []
        start = time.perf_counter()
        while batch:
            kind, number, content = batch.pop()
            count += 1
            begun[:] = count.to_bytes(len(begun), "little")
            # The system ends the worker if a step takes too long, whatever the step is doing.
            signal.setitimer(signal.ITIMER_REAL, limits.seconds + GRACE)
            reply, result = worker.do(kind, number, content)
            answers.append((int(reply), number, result))
            del content
            # What a page left behind must not be counted for the pages after it.
            if (reply == Reply.LOST and result[0] == TOO_MUCH_MEMORY) or (
                before and count % _EVERY == 0 and space.size() - before > limits.memory // 2
            ):
                signal.setitimer(signal.ITIMER_REAL, 0)
                end.send([*answers, (int(Reply.BYE), number, None)])
                return
            if batch and time.perf_counter() - start > _HELD_SECONDS:
                signal.setitimer(signal.ITIMER_REAL, 0)
                end.send(answers)
                answers, start = [], time.perf_counter()
            del result
        signal.setitimer(signal.ITIMER_REAL, 0)
        end.send(answers)


def confine(memory: int, size: int) -> None:
    """Limit what this process may take from now on to so many bytes more than it has.

    Parameters
    ----------
    memory
        The bytes.
    size
        The size of the process's address space in bytes; 0 where it cannot be limited (outside of Linux).
    """
    if size:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = size + memory
        resource.setrlimit(
            resource.RLIMIT_AS, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
        )


class AddressSpace:
    """Tells the size of this process's address space, as often as wanted."""

    def __init__(self) -> None:
        self._file: io.FileIO | None = None
        with contextlib.suppress(OSError):
            self._file = io.FileIO("/proc/self/statm")

    def size(self) -> int:
        """Return the size in bytes; 0 where the system does not tell it."""
        if self._file is None:
            return 0
        try:
            return int(os.pread(self._file.fileno(), 80, 0).split()[0]) * os.sysconf("SC_PAGESIZE")
        except (OSError, ValueError, IndexError):
            return 0
