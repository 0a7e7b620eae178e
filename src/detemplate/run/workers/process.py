"""A worker: a process that parses, asks, judges and renders pages, some messages at a time."""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import os
import signal
import time
import traceback
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from detemplate.errors import UserError
from detemplate.files.partial import leave_locks
from detemplate.run.limits import DEFAULT_MAX_PAGE_MEMORY, DEFAULT_MAX_PAGE_SECONDS
from detemplate.run.workers.channel import WorkerEnd
from detemplate.run.workers.tasks import STEPS, Reply, Task, Worker

if TYPE_CHECKING:
    import socket
    from mmap import mmap

    from detemplate.run.pagework import PageWork
    from detemplate.sites.store import FrozenSites

GRACE: Final = 1.0
"""Seconds after the end of a page's time at which the system kills the worker."""


OUT_OF_MEMORY: Final = errno.ENOMEM
"""Exit code of a worker that was at a page which needs more memory than it may take."""

_TOGETHER: Final = 16
"""Messages that each step is done on before the next: as many as are sent together."""

_HELD_SECONDS: Final = 0.1
"""Time after which answers are sent before all messages of a batch are worked off."""


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
        Memory that the owner sees, too: the number of the message that is worked on, from 1 on, as 8 bytes.
    work, sites
        As of :class:`~detemplate.run.workers.tasks.Worker`.
    limits
        What one page may take.
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
        _work_off(WorkerEnd(sock), Worker(work, sites, limits.seconds), limits, begun)
        code = 0
    except _OutOfMemoryError:
        code = OUT_OF_MEMORY
    except (EOFError, OSError):
        code = 0  # the owner is gone
    except BaseException:  # noqa: BLE001  # nothing of the owner's may run on in this process
        traceback.print_exc()
    finally:
        os._exit(code)  # nothing that was inherited is flushed or closed a second time


class _OutOfMemoryError(Exception):
    """A page needs more memory than it may take."""


def _work_off(end: WorkerEnd, worker: Worker, limits: PageLimits, begun: mmap) -> None:
    space = AddressSpace()
    before = space.size()
    confine(limits.memory, before)
    count = 0  # messages that were worked off

    def go_on(task: Task, number: int, step: int) -> None:
        do = task.steps[step]
        if do is None:
            return
        begun[:] = (count + number + 1).to_bytes(len(begun), "little")
        # The system ends the worker if a step takes too long, whatever the step is doing.
        signal.setitimer(signal.ITIMER_REAL, limits.seconds + GRACE)
        worker.steps.go_on(task.begun, do)
        if isinstance(task.begun.made, MemoryError):
            # What the page leaves behind must not be counted for other pages.
            task.begun.made = None
            end.send(answers)
            raise _OutOfMemoryError

    while True:
        waiting = deque(end.receive())
        answers: list[tuple[int, int, Any]] = []
        start = time.perf_counter()
        while waiting:
            tasks: list[Task] = []
            while waiting and (
                not tasks or (len(tasks) < _TOGETHER and time.perf_counter() - start < _HELD_SECONDS)
            ):
                tasks.append(worker.task(*waiting.popleft()))
                go_on(tasks[-1], len(tasks) - 1, 0)
            for step in range(1, STEPS):
                for number, task in enumerate(tasks):
                    go_on(task, number, step)
            signal.setitimer(signal.ITIMER_REAL, 0)
            answers += map(worker.reply, tasks)
            count += len(tasks)
            del tasks
            if before and space.size() - before > limits.memory // 2:
                end.send([*answers, (int(Reply.BYE), 0, None)])
                return
            if waiting and time.perf_counter() - start > _HELD_SECONDS:
                end.send(answers)
                answers, start = [], time.perf_counter()
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
