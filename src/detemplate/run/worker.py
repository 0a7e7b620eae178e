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
from detemplate.run.pieces import PieceStates
from detemplate.run.steps import Begun, PageSteps, groups, question, slices

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from mmap import mmap

    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.limits import PageLimits
    from detemplate.run.pagework import PageWork
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
    """Judge and render pages, kept or parsed again, by given answers or by what their sites have learnt."""
    SITES = 2
    """Know where these sites are."""


class Lost(NamedTuple):
    """Why a page is lost: ``reason`` and ``detail`` of its :class:`~detemplate.errors.PageError`."""

    reason: str
    detail: str


class Reply(NamedTuple):
    """What became of a piece.

    Attributes
    ----------
    values
        By the pages' places: the site and the query of a page that has asked, or what the run writes; of a
        page that is lost, :class:`Lost`.
    kept, states
        Whether the pages of a piece that is learnt are kept, to be cleaned; what the piece alone teaches of
        each site, if that was wanted.
    broken
        The message of an error that ends the run; empty: there is none.
    ends
        Whether the worker ends, and others are to do the rest.
    """

    values: dict[int, Any]
    kept: bool = False
    states: dict[str, bytes] | None = None
    broken: str = ""
    ends: bool = False


def serve(  # noqa: PLR0917  # what a worker is given
    sock: socket.socket,
    others: list[int],
    begun: mmap,
    work: PageWork[Any],
    limits: PageLimits,
    room: int,
) -> NoReturn:
    """Work off the messages of the owner until it is gone, then end the process.

    Parameters
    ----------
    sock, others
        The worker's socket, and those of the owner, which are not this worker's.
    begun
        Memory that the owner sees, too: :data:`PLACE`.
    work, limits, room
        The work on a page, what one may take, and bytes of memory for pages that are learnt and kept.
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
        _Worker(sock, begun, work, limits, room).go()
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
    """The work on pieces."""

    def __init__(
        self, sock: socket.socket, begun: mmap, work: PageWork[Any], limits: PageLimits, room: int
    ) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=_READ)
        self._begun = begun
        self._work = work
        self._limits = limits
        self._room = room
        self._steps = PageSteps(work, limits.seconds, self._watch)
        self._sites: FrozenSites | None = None
        self._kept: dict[int, list[Begun]] = {}

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

    def _learn(self, number: int, pages: list[tuple[int, Record | Page]], keep: bool, states: bool) -> Reply:
        cost = sum(Begun(*page, None).cost for page in pages)
        keep = keep and cost <= self._room
        asked: list[Begun] = []
        for group in groups(pages):
            self._steps.ask(group, learn=True, render=keep)
            self._rest(group)
            asked += group
        if keep:
            self._room -= sum(page.cost for page in asked)
            self._kept[number] = asked
        values = {page.place: _lost(page) or question(page) for page in asked}
        alone = PieceStates(self._work.make) if states else None
        if alone is not None:
            for value in values.values():
                if not isinstance(value, Lost):
                    alone.take(*value)
        return Reply(values, keep, alone.states() if alone is not None else None)

    def _clean(
        self, number: int, pages: list[tuple[int, Record | Page]] | None, answers: dict[int, Any] | None
    ) -> Reply:
        def answer(page: Begun) -> Any:  # noqa: ANN401  # see a detector's
            if answers is not None:
                return answers[page.place]
            assert self._sites is not None
            return self._sites.answer(*question(page))

        done: dict[int, Any] = {}
        for group in self._taken(number, answers) if pages is None else groups(pages):
            if pages is not None:
                self._steps.ask(group, learn=False, render=True)
            self._steps.finish(group, answer)
            self._rest(group)
            done |= {page.place: _lost(page) or page.made for page in group}
        return Reply(done)

    def _taken(self, number: int, answers: dict[int, Any] | None) -> Iterator[list[Begun]]:
        """Give the pages of a piece that were kept, those that have an answer; none is kept longer."""
        kept = self._kept.pop(number)
        self._room += sum(page.cost for page in kept)
        return slices([page for page in kept if answers is None or page.place in answers])

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


def _lost(page: Begun) -> Lost | None:
    made = page.made
    if not isinstance(made, Exception):
        return None
    error = made if isinstance(made, PageError) else failure(made)
    return Lost(error.reason, error.detail)


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
