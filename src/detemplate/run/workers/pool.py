"""The workers of a run: started, given messages, and replaced when they are lost."""

from __future__ import annotations

import contextlib
import os
import selectors
import warnings
from itertools import chain
from mmap import mmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.errors import UserError
from detemplate.run.workers.ahead import Ahead
from detemplate.run.workers.channel import channel
from detemplate.run.workers.hand import BATCH, OF_KEPT, Hand, cause, ended, kill
from detemplate.run.workers.process import PageLimits, serve
from detemplate.run.workers.tasks import Kind, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from detemplate.run.pagework import PageWork
    from detemplate.sites.store import FrozenSites

_AHEAD: Final = 4 * BATCH
"""Records that a worker is given before it has answered the first of them, so that it never waits."""

_KEPT: Final = 64
"""Most pages that a worker keeps between asking and judging."""

_COUNTER: Final = 8
"""Bytes of the number of the message that a worker works on."""

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
        A :class:`~detemplate.run.workers.tasks.Reply`; None if the worker was lost before it came to
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


class Pool:
    """A number of workers.

    A context manager: at its end the workers end, or are killed.

    Parameters
    ----------
    count
        Number of workers, at least 1.
    work, sites, limits
        As of :func:`~detemplate.run.workers.process.serve`.

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
        self._hands: list[Hand] = []
        self._home: dict[int, Hand] = {}
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
        hand = Hand(pid, end, begun)
        self._hands.append(hand)
        self._selector.register(end.sock, selectors.EVENT_READ, hand)

    def _idlest(self) -> Hand:
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
        """Give a message to a worker: of a kept page to the one that keeps it, else to the idlest one.

        Parameters
        ----------
        kind, number, content
            The message.
        size
            Bytes of the page, if the message holds it.
        """
        hand = self._home[number] if kind in OF_KEPT else self._idlest()
        if kind == Kind.ASK:
            hand.kept.add(number)
            self._home[number] = hand
        hand.give(kind, number, content, size)
        if hand.full:
            self._flush(hand)

    def _flush(self, hand: Hand) -> None:
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

    def _watch(self, hand: Hand) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if hand.end.waiting else 0)
        if self._selector.get_key(hand.end.sock).events != events:
            self._selector.modify(hand.end.sock, events, hand)

    def _read(self, hand: Hand) -> Iterator[Answer]:
        batches, alive = hand.end.read()
        for reply, number, content in chain.from_iterable(batches):
            if reply == Reply.BYE:
                break
            kind, _ = hand.answered()
            if kind in OF_KEPT or (kind == Kind.ASK and reply == Reply.LOST):
                self._forget(number)
            if kind == Kind.FORGET:
                continue
            yield Answer(number, reply, content)
        else:
            if not alive:
                yield from self._bury(hand, blamed=True)
            return
        yield from self._bury(hand, blamed=False)

    def _forget(self, number: int) -> None:
        self._home.pop(number).kept.discard(number)

    def _bury(self, hand: Hand, *, blamed: bool) -> Iterator[Answer]:
        """Replace a lost worker: the page that it was working on is lost with it, the others are not."""
        self._selector.unregister(hand.end.sock)
        self._hands.remove(hand)
        hand.end.close()
        code = ended(hand.pid)
        self.replaced += 1
        self._start()
        if blamed and hand.sent:
            culprit = hand.culprit()
            hand.kept.discard(culprit)
            self._home.pop(culprit, None)
            yield Answer(culprit, Reply.LOST, cause(code), killed=True)
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
                kill(hand.pid)
        for hand in hands:
            ended(hand.pid)
        self._selector.close()
