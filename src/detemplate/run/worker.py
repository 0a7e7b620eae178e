"""A worker: a process that works on the pages of one piece after the other."""

from __future__ import annotations

import contextlib
import enum
import errno
import gc
import os
import pickle
import signal
import struct
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from detemplate.errors import PageError, UserError
from detemplate.files.partial import leave_locks
from detemplate.run.limits import failure
from detemplate.run.steps import PageSteps, question

if TYPE_CHECKING:
    import socket
    from mmap import mmap

    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.limits import PageLimits
    from detemplate.run.pagework import PageWork
    from detemplate.run.steps import Begun
    from detemplate.sites.store import FrozenSites

GRACE: Final = 1.0
"""Seconds after the end of a page's time at which the system kills the worker."""

OUT_OF_MEMORY: Final = errno.ENOMEM
"""Exit code of a worker that was at a page which needs more memory than it may take."""

LENGTH: Final = struct.Struct("<Q")
"""Before each message: its length in bytes."""

PLACE: Final = struct.Struct("<qd")
"""The place of the page that is worked on, from 1 on (0: none is), and the worker's processor time then."""

_READ: Final = 1 << 20  # bytes that are read at once


class Kind(enum.IntEnum):
    """What is done with a piece."""

    LEARN = 0
    """Parse its pages and ask, and perhaps keep the pages; the owner lets their sites learn them."""
    CLEAN = 1
    """Judge and render pages, kept or parsed again, by given answers or by what their sites have learned."""
    SITES = 2  # know where these sites are


class Reply(NamedTuple):
    """What became of a piece.

    ``values``: by the pages' places: the site and the query of a page that has asked, or what the run
        writes; of a page that is lost, its error.
    ``kept``: whether the pages of a piece that is learned are kept, to be cleaned.
    ``broken``: the message of an error that ends the run; empty: there is none.
    ``ends``: whether the worker ends, and others are to do the rest.
    """

    values: dict[int, Any]
    kept: bool = False
    broken: str = ""
    ends: bool = False


def serve(others: list[int], *given: Any) -> NoReturn:  # noqa: ANN401
    """Be a worker until the owner is gone, then end the process; ``others`` are sockets that the owner reads.

    All else is given to the :class:`_Worker`.
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
        gc.freeze()
        _Worker(*given).go()
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    except (EOFError, OSError):
        code = 0  # the owner is gone
    except BaseException:  # noqa: BLE001  # nothing of the owner's may run on in this process
        traceback.print_exc()
    finally:
        os._exit(code)  # nothing that was inherited is flushed or closed a second time


class _Worker:
    """The work on pieces.

    ``sock``, ``begun``: its socket, and memory that the owner sees, too: :data:`PLACE`.
    ``work``, ``limits``, ``room``: the work on a page, what one may take, and bytes of memory for pages that
        are learned and kept.
    """

    def __init__(
        self, sock: socket.socket, begun: mmap, work: PageWork[Any], limits: PageLimits, room: int
    ) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=_READ)
        self._begun = begun
        self._work = work
        self._limits = limits
        self._steps = PageSteps(work, limits.seconds, room, watch=self._watch)
        self._sites: FrozenSites | None = None

    def go(self) -> None:
        """Work off messages; raises EOFError or OSError when the owner is gone."""
        before = address_space()
        while True:
            kind, number, content = self._receive()
            if kind == Kind.SITES:
                self._sites = content
                with contextlib.suppress(UserError):  # told with the first page that needs it
                    content.open()
                continue
            confine(self._limits.memory, address_space())
            try:
                reply = (self._learn if kind == Kind.LEARN else self._clean)(number, *content)
            except UserError as error:
                reply = Reply({}, broken=str(error))
            self._mark(0)
            ends = bool(before) and address_space() - before > self._limits.memory // 2
            self._send(reply._replace(ends=ends))
            if ends:
                return

    def _learn(self, number: int, pages: list[tuple[int, Record | Page]], keep: bool) -> Reply:
        values: dict[int, Any] = {}
        for group in self._steps.learning(number, pages, keep=keep):
            self._rest(group)
            values |= {page.place: _lost(page) or question(page) for page in group}
        return Reply(values, self._steps.keeps(number))

    def _clean(
        self, number: int, pages: list[tuple[int, Record | Page]] | None, answers: dict[int, Any] | None
    ) -> Reply:
        def answer(page: Begun) -> Any:  # noqa: ANN401  # see a detector's
            if answers is not None:
                return answers[page.place]
            assert self._sites is not None
            return self._sites.answer(*question(page))

        done: dict[int, Any] = {}
        for group in self._steps.cleaning(number, pages, learn=False):
            wanted = [page for page in group if answers is None or page.place in answers]
            self._steps.finish(wanted, answer)
            self._rest(wanted)
            done |= {page.place: _lost(page) or page.made for page in wanted}
        return Reply(done)

    def _rest(self, pages: list[Begun]) -> None:
        """Stop the clock; end at a page that needs too much memory, so that what it leaves does not count."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        for page in pages:
            if isinstance(page.made, MemoryError):
                self._mark(page.place + 1)
                raise page.made
            if isinstance(page.made, UserError):
                raise page.made

    def _watch(self, page: Begun) -> None:
        self._mark(page.place + 1)
        # The system ends the worker if a step takes too long, whatever the step is doing.
        signal.setitimer(signal.ITIMER_REAL, self._limits.seconds + GRACE)

    def _mark(self, place: int) -> None:
        PLACE.pack_into(self._begun, 0, place, time.process_time())

    def _receive(self) -> Any:  # noqa: ANN401  # a message
        head = self._file.read(LENGTH.size)
        size = LENGTH.unpack(head)[0] if len(head) == LENGTH.size else 0
        data = self._file.read(size)
        if not size or len(data) < size:
            raise EOFError
        return pickle.loads(data)  # the owner's own

    def _send(self, reply: Reply) -> None:
        data = pickle.dumps(tuple(reply), pickle.HIGHEST_PROTOCOL)
        self._sock.sendall(LENGTH.pack(len(data)))
        self._sock.sendall(data)


def _lost(page: Begun) -> PageError | None:
    made = page.made
    if not isinstance(made, Exception):
        return None
    error = made if isinstance(made, PageError) else failure(made)
    return PageError(error.reason, error.detail, str(page.given.url))  # as it is picked up: without a cause


def confine(memory: int, size: int) -> None:
    """Limit this process to ``memory`` bytes more than its address space's ``size``, if that is known."""
    if size:
        import resource

        soft, (_, hard) = size + memory, resource.getrlimit(resource.RLIMIT_AS)
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def address_space() -> int:
    """Return the size of this process's address space in bytes; 0 where the system does not tell it."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_bytes().split()[0]) * os.sysconf("SC_PAGESIZE")
    return 0
