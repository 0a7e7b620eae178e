"""The workers of a run: started, given pieces, and replaced when they are lost.

Pebble has limits of a task's time and replaces workers. Here a page has the limits and a task has many pages;
a worker keeps pages from one task to the next, and its memory is limited: so the pool is our own. The owner
never waits for one worker: its ends of the sockets read and write what is possible at once.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import socket
import time
import warnings
from collections import deque
from dataclasses import dataclass, field
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import PageError, UserError
from detemplate.run.limits import TOO_MUCH_MEMORY, failure
from detemplate.run.worker import LENGTH, OUT_OF_MEMORY, PLACE, Kind, Reply, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.run.limits import PageLimits
    from detemplate.run.pagework import PageWork

AHEAD: Final = 2
"""Pieces that a worker has at a time: the one that it works on, and the next."""

_TRIES: Final = 2
"""How often a worker may be lost at a piece, and at none of its pages, before its largest page is blamed."""

_END_SECONDS: Final = 1.0  # seconds that a worker gets to end before it is killed
_BUFFER: Final = 1 << 20  # bytes that are read at once, and of a socket's buffers where the system allows it


@dataclass(slots=True, eq=False)
class Task:
    """A piece that is given to a worker.

    ``kind``, ``number``, ``content``, ``owner``: what is done, the number of the piece, what it takes, and
        whatever the caller wants to find again.
    ``tries``: how often a worker was lost at it, and at none of its pages.
    """

    kind: Kind
    number: int
    content: Any
    owner: Any
    tries: int


@dataclass(slots=True)
class Answer:
    """What became of a ``task``: what the worker did ``reply``; None if it was lost.

    ``culprit``, ``cause``: the place of the page at which the worker was lost, and why; None if the page is
        not known, or if the worker had not come to this task.
    """

    task: Task
    reply: Reply | None
    culprit: int | None = None
    cause: PageError | None = None


@dataclass(slots=True, eq=False)
class Worker:
    """One worker, as its owner sees it.

    ``pid``, ``sock``: its process, and the owner's end of the channel to it.
    ``begun``: memory in which it tells where it is: :data:`~detemplate.run.worker.PLACE`.
    ``tasks``, ``out``, ``into``: tasks that it has not answered; what is still to be written to it, and what
        was read of its next reply.
    """

    pid: int
    sock: socket.socket
    begun: mmap
    tasks: deque[Task] = field(default_factory=deque)
    out: deque[memoryview] = field(default_factory=deque)
    into: bytearray = field(default_factory=bytearray)


class Pool:
    """A number of workers, at least 1; :meth:`close` ends them, or kills them.

    ``work``, ``limits`` and ``room`` are those of a worker. Raises UserError if the system has no
    workers, or not so many.
    """

    def __init__(self, count: int, work: PageWork[Any], limits: PageLimits, room: int) -> None:
        self._job = work, limits, room
        self._selector = selectors.DefaultSelector()
        self._workers: list[Worker] = []
        self._sites: Any = None
        if not hasattr(os, "fork"):
            raise UserError("this system has no workers, because it cannot fork; use --workers 0")
        work.warm_up()
        try:
            for _ in range(count):
                self._start()
        except OSError as error:
            self.close()
            raise UserError(
                f"cannot start {count} workers: {error.strerror}; use fewer with --workers"
            ) from error

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        for sock in (ours, theirs):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                sock.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
        begun = mmap(-1, PLACE.size)
        try:
            with warnings.catch_warnings():
                # A thread that reads ahead is harmless: what it may hold, no worker uses.
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
        except BaseException:
            ours.close()
            theirs.close()
            raise
        if not pid:
            others = [ours.fileno(), *(worker.sock.fileno() for worker in self._workers)]
            serve(others, theirs, begun, *self._job)
        theirs.close()
        ours.setblocking(False)
        worker = Worker(pid, ours, begun)
        self._workers.append(worker)
        self._selector.register(ours, selectors.EVENT_READ, worker)
        if self._sites is not None:
            self._send(worker, (Kind.SITES, 0, self._sites))

    @property
    def _idlest(self) -> Worker:
        return min(self._workers, key=lambda worker: len(worker.tasks))

    @property
    def ready(self) -> bool:
        """Whether a worker can be given another piece."""
        return len(self._idlest.tasks) < AHEAD

    def tell(self, sites: Any) -> None:  # noqa: ANN401  # the sites of a run, or something like them
        """Tell all workers, those to come as well, where the sites are by which they clean."""
        self._sites = sites
        for worker in self._workers:
            self._send(worker, (Kind.SITES, 0, sites))

    def lives(self, worker: Worker | None) -> bool:
        """Tell whether a worker is still there."""
        return worker in self._workers

    def give(self, task: Task, worker: Worker | None = None) -> Worker:
        """Give a task to a worker: to the one that is named, else to the idlest; return the worker."""
        chosen = self._idlest if worker is None else worker
        chosen.tasks.append(task)
        self._send(chosen, (int(task.kind), task.number, task.content))
        return chosen

    def answers(self, seconds: float | None) -> Iterator[Answer]:
        """Give the answers that are there; wait for one so long, with None for ever."""
        for key, events in self._selector.select(seconds):
            worker = key.data
            if events & selectors.EVENT_WRITE:
                self._write(worker)
            if events & selectors.EVENT_READ:
                yield from self._read(worker)

    def _send(self, worker: Worker, message: object) -> None:
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        worker.out += memoryview(LENGTH.pack(len(data))), memoryview(data)
        self._write(worker)

    def _write(self, worker: Worker) -> None:
        """Write what is possible at once; what a dead worker does not read is dropped."""
        try:
            while worker.out:
                sent = worker.sock.send(worker.out[0])
                rest = worker.out.popleft()[sent:]
                if rest:
                    worker.out.appendleft(rest)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:  # reading tells that the worker is gone
            worker.out.clear()
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.out else 0)
        if self._selector.get_key(worker.sock).events != events:
            self._selector.modify(worker.sock, events, worker)

    def _read(self, worker: Worker) -> Iterator[Answer]:
        alive = True
        try:
            while data := worker.sock.recv(_BUFFER):
                worker.into += data
                if len(data) < _BUFFER:
                    break
            else:
                alive = False
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            alive = False
        ends = False
        for reply in self._replies(worker):
            yield Answer(worker.tasks.popleft(), reply)
            ends = reply.ends
        if ends or not alive:
            yield from self._bury(worker, blamed=not ends)

    def _replies(self, worker: Worker) -> list[Reply]:
        found, at, data = [], 0, worker.into
        while len(data) - at >= LENGTH.size:
            start = at + LENGTH.size
            stop = start + LENGTH.unpack_from(data, at)[0]
            if len(data) < stop:
                break
            with memoryview(data) as view, view[start:stop] as part:
                found.append(Reply(*pickle.loads(part)))  # the worker's own
            at = stop
        if at:
            del data[:at]
        return found

    def _bury(self, worker: Worker, *, blamed: bool) -> Iterator[Answer]:
        """Replace a lost worker; the page that it was working on is named, and its tasks come back."""
        self._selector.unregister(worker.sock)
        self._workers.remove(worker)
        worker.sock.close()
        code, processed = _ended(worker.pid)
        cause = _cause(code)
        self._start()
        if blamed and worker.tasks:
            task = worker.tasks.popleft()
            number, before = PLACE.unpack(worker.begun)
            # A worker that was stopped, or got no processor, has not taken its time for the page.
            paused = code == -signal.SIGALRM and processed - before < self._job[1].seconds / 2
            sure = number > 0 and not paused
            if not sure:
                task.tries += 1
            known = number - 1 if number > 0 else None
            yield Answer(task, None, known, cause if sure or task.tries > _TRIES else None)
        for task in worker.tasks:
            yield Answer(task, None)

    def close(self) -> None:
        """End the workers; those that are in the middle of a piece are killed."""
        workers, self._workers = self._workers, []
        for worker in workers:
            with contextlib.suppress(KeyError):
                self._selector.unregister(worker.sock)
            worker.sock.close()
            if worker.tasks:
                _kill(worker.pid)
        for worker in workers:
            _ended(worker.pid)
        self._selector.close()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _ended(pid: int) -> tuple[int | None, float]:
    """Wait until a worker has ended, or kill it; return its exit code and its seconds of processor time.

    The code is None if somebody else has waited.
    """
    late = time.monotonic() + _END_SECONDS
    wait = os.WNOHANG
    try:
        while True:
            found, status, used = os.wait4(pid, wait)
            if found:
                return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
            if time.monotonic() > late:
                _kill(pid)
                wait = 0
            else:
                time.sleep(0.002)
    except ChildProcessError:
        return None, 0.0


def _cause(code: int | None) -> PageError:
    """Return why a page is lost whose worker ended with an exit code."""
    if code == -signal.SIGALRM:
        return PageError("too slow", "one step took longer than a page may; its worker was killed")
    if code == OUT_OF_MEMORY:
        return failure(MemoryError())
    if code == -signal.SIGKILL:
        return PageError(TOO_MUCH_MEMORY, "its worker was killed, as the system does when memory runs out")
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return PageError("crashed", f"its worker was ended by {signal.Signals(-code).name}")
    return PageError("crashed", f"its worker ended with exit code {code}")
