"""The workers of a run: started, given messages, and replaced when they are lost."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
import warnings
from collections import deque
from itertools import chain
from mmap import mmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.engines.limits import TOO_MUCH_MEMORY
from detemplate.engines.workers.ahead import Ahead
from detemplate.engines.workers.channel import OwnerEnd, channel
from detemplate.engines.workers.process import Kind, PageLimits, Reply, serve
from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from detemplate.engines.pagework import PageWork
    from detemplate.sites.frozen import FrozenSites

_BATCH: Final = 4
"""Messages that are sent together to a worker that has so many others to work off."""

_BATCH_BYTES: Final = 128 << 10
"""Bytes of pages that are sent together; a larger page is sent at once."""

_AHEAD: Final = 2 * _BATCH
"""Records that a worker is given before it has answered the first of them, so that it never waits."""

_KEPT: Final = 24
"""Most pages that a worker keeps between asking and judging."""

_COUNTER: Final = 8
"""Bytes of the number of messages that a worker has begun."""

_END_SECONDS: Final = 1.0
"""Seconds that a worker gets to end before it is killed."""

_LOAD: Final = attrgetter("load")
"""Gives a worker's load."""

CAN_FORK: Final = hasattr(os, "fork")
"""Whether there can be workers. They are forked, so that they share what the owner has read."""


class Answer(NamedTuple):
    """What became of a message.

    Attributes
    ----------
    number
        Number of the page.
    reply
        A :class:`~detemplate.engines.workers.process.Reply`; None if the worker was lost before it came to
        this message, or before it could tell.
    content
        What the worker answered.
    killed
        Whether the page cost its worker.
    """

    number: int
    reply: int | None
    content: Any
    killed: bool = False


class _Hand:
    """One worker, as its owner sees it."""

    def __init__(self, pid: int, end: OwnerEnd, begun: mmap) -> None:
        self.pid = pid
        self.end = end
        self.sent: deque[tuple[int, int]] = deque()
        """Kinds and numbers of the messages that were not answered."""
        self.kept: set[int] = set()
        self.load = 0
        """Records that were given and not answered."""
        self._begun = begun
        self._answered = 0
        self._held: list[tuple[int, int, object]] = []
        self._held_bytes = 0

    def give(self, kind: Kind, number: int, content: object, size: int) -> None:
        """Take a message to send."""
        self.sent.append((kind, number))
        self.load += kind != Kind.JUDGE
        self._held.append((int(kind), number, content))
        self._held_bytes += size

    @property
    def full(self) -> bool:
        """Whether as many messages are held as are sent together."""
        return len(self._held) >= _BATCH or self._held_bytes >= _BATCH_BYTES

    @property
    def filling(self) -> bool:
        """Whether messages are held, and more can be."""
        return bool(self._held) and not self.full

    def flush(self) -> None:
        """Send the messages that are held, unless the worker has others to work off and more may come."""
        if self._held and (self.full or len(self.sent) - len(self._held) < _BATCH):
            self.end.send(self._held)
            self._held, self._held_bytes = [], 0

    def answered(self) -> tuple[int, int]:
        """Take the message that was answered: always the one sent first."""
        kind, number = self.sent.popleft()
        self.load -= kind != Kind.JUDGE
        self._answered += 1
        return kind, number

    def culprit(self) -> int:
        """Take the message on which the worker was lost, and give the number of its page."""
        at = int.from_bytes(self._begun, "little") - 1 - self._answered
        at = min(max(at, 0), len(self.sent) - 1)
        number = self.sent[at][1]
        del self.sent[at]
        return number


class Pool:
    """A number of workers.

    A context manager: at its end the workers end, or are killed.

    Parameters
    ----------
    count
        Number of workers, at least 1.
    work, sites, limits
        As of :class:`~detemplate.engines.workers.process.Worker`.

    Attributes
    ----------
    replaced
        Number of workers that were lost and replaced.
    """

    def __init__(
        self,
        count: int,
        work: PageWork[Any],
        sites: FrozenSites | None,
        limits: PageLimits,
    ) -> None:
        self._job = work, sites, limits
        self._selector = selectors.DefaultSelector()
        self._hands: list[_Hand] = []
        self._home: dict[int, _Hand] = {}
        self.replaced = 0
        if not CAN_FORK:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        end, theirs = channel()
        begun = mmap(-1, _COUNTER)
        try:
            with warnings.catch_warnings():
                # A thread that reads ahead is harmless: what it may hold, no worker uses.
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
        except BaseException:
            end.close()
            theirs.close()
            raise
        if not pid:
            others = [end.sock.fileno(), *(hand.end.sock.fileno() for hand in self._hands)]
            serve(theirs, others, begun, *self._job)
        theirs.close()
        hand = _Hand(pid, end, begun)
        self._hands.append(hand)
        self._selector.register(end.sock, selectors.EVENT_READ, hand)

    def _idlest(self) -> _Hand:
        """Return the worker that gets the next record: one whose batch is begun, else that with the least."""
        for hand in self._hands:
            if hand.filling and hand.load < _AHEAD and len(hand.kept) < _KEPT:
                return hand
        return min(self._hands, key=_LOAD)

    @property
    def ready(self) -> bool:
        """Whether a worker can be given a new record."""
        hand = self._idlest()
        return hand.load < _AHEAD and len(hand.kept) < _KEPT

    def give(self, kind: Kind, number: int, content: object, size: int = 0) -> None:
        """Give a message to a worker: to judge to the one that keeps the page, else to the idlest one.

        Parameters
        ----------
        kind, number, content
            The message.
        size
            Bytes of the page, if the message holds it.
        """
        hand = self._home[number] if kind == Kind.JUDGE else self._idlest()
        if kind == Kind.ASK:
            hand.kept.add(number)
            self._home[number] = hand
        hand.give(kind, number, content, size)
        if hand.full:
            self._flush(hand)

    def _flush(self, hand: _Hand) -> None:
        hand.flush()
        self._watch(hand)

    def keeps(self, number: int) -> bool:
        """Tell whether a worker keeps a page."""
        return number in self._home

    def watch(self, source: Ahead) -> None:
        """Wait for a source, too, that is read in a thread of its own."""
        self._selector.register(source.bell, selectors.EVENT_READ, source)

    def answers(self, *, wait: bool) -> Iterator[Answer]:
        """Give the answers that are there; wait for one, or for a watched source, if ``wait`` says so."""
        for hand in self._hands:
            self._flush(hand)
        timeout = None if wait else 0
        for key, events in self._selector.select(timeout):
            if isinstance(key.data, Ahead):
                key.data.heard()
                continue
            hand = key.data
            if events & selectors.EVENT_WRITE:
                hand.end.write()
                self._watch(hand)
            if events & selectors.EVENT_READ:
                yield from self._read(hand)

    def _watch(self, hand: _Hand) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if hand.end.waiting else 0)
        if self._selector.get_key(hand.end.sock).events != events:
            self._selector.modify(hand.end.sock, events, hand)

    def _read(self, hand: _Hand) -> Iterator[Answer]:
        batches, alive = hand.end.read()
        for reply, number, content in chain.from_iterable(batches):
            if reply == Reply.BYE:
                break
            kind, _ = hand.answered()
            if kind == Kind.JUDGE or (kind == Kind.ASK and reply == Reply.LOST):
                self._forget(number)
            yield Answer(number, reply, content)
        else:
            if not alive:
                yield from self._bury(hand, blamed=True)
            return
        yield from self._bury(hand, blamed=False)

    def _forget(self, number: int) -> None:
        self._home.pop(number).kept.discard(number)

    def _bury(self, hand: _Hand, *, blamed: bool) -> Iterator[Answer]:
        """Replace a lost worker: the page that it was working on is lost with it, the others are not."""
        self._selector.unregister(hand.end.sock)
        self._hands.remove(hand)
        hand.end.close()
        code = _ended(hand.pid)
        self.replaced += 1
        self._start()
        if blamed and hand.sent:
            culprit = hand.culprit()
            hand.kept.discard(culprit)
            self._home.pop(culprit, None)
            yield Answer(culprit, Reply.LOST, _cause(code), killed=True)
        others = dict.fromkeys([*sorted(hand.kept), *(number for _, number in hand.sent)])
        for number in others:
            self._home.pop(number, None)
        for number in others:
            yield Answer(number, None, None)

    def close(self) -> None:
        """End the workers; those that are in the middle of a page are killed."""
        hands, self._hands = self._hands, []
        for hand in hands:
            with contextlib.suppress(KeyError):
                self._selector.unregister(hand.end.sock)
            hand.end.close()
            if hand.sent:
                _kill(hand.pid)
        for hand in hands:
            _ended(hand.pid)
        self._selector.close()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _ended(pid: int) -> int | None:
    """Wait until a worker has ended, and kill it if that takes long.

    Returns
    -------
    int or None
        Its exit code, or minus the number of the signal that ended it; None if another part of the program
        has waited for it.
    """
    late = time.monotonic() + _END_SECONDS
    try:
        while True:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > late:
                _kill(pid)
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            time.sleep(0.002)
    except ChildProcessError:
        return None


def _cause(code: int | None) -> tuple[str, str]:
    """Return the reason and the detail of a page whose worker ended with an exit code."""
    if code == -signal.SIGALRM:
        return "too slow", "one step took longer than a page may; its worker was killed"
    if code == -signal.SIGKILL:
        return TOO_MUCH_MEMORY, "its worker was killed, as the system does when memory runs out"
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return "crashed", f"its worker was ended by {signal.Signals(-code).name}"
    return "crashed", f"its worker ended with exit code {code}"
