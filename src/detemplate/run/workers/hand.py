"""One worker, as its owner sees it: what it was given, and how it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from detemplate.run.limits import TOO_MUCH_MEMORY, failure
from detemplate.run.workers.process import OUT_OF_MEMORY
from detemplate.run.workers.tasks import Kind

if TYPE_CHECKING:
    from mmap import mmap

    from detemplate.run.workers.channel import OwnerEnd

BATCH: Final = 16
"""Messages that are sent together to a worker that has so many others to work off."""

BATCH_BYTES: Final = 512 << 10
"""Bytes of pages that are sent together; a larger page is sent at once."""

OF_KEPT: Final = (Kind.JUDGE, Kind.FORGET)
"""What is done with a page that a worker keeps."""

_END_SECONDS: Final = 1.0
"""Seconds that a worker gets to end before it is killed."""


class Hand:
    """One worker, as its owner sees it.

    Parameters
    ----------
    pid
        Its process.
    end
        The owner's end of the channel to it.
    begun
        Memory in which it gives the number of the message that it works on, from 1 on.

    Attributes
    ----------
    kept : set of int
        Numbers of the pages that it keeps between asking and judging.
    load : int
        Records that were given and not answered.
    """

    def __init__(self, pid: int, end: OwnerEnd, begun: mmap) -> None:
        self.pid = pid
        self.end = end
        self.sent: deque[tuple[int, int]] = deque()
        """Kinds and numbers of the messages that were not answered."""
        self.kept: set[int] = set()
        self.load = 0
        self._begun = begun
        self._answered = 0
        self._held: list[tuple[int, int, object]] = []
        self._held_bytes = 0

    def give(self, kind: Kind, number: int, content: object, size: int) -> None:
        """Take a message to send."""
        self.sent.append((kind, number))
        self.load += kind not in OF_KEPT
        self._held.append((int(kind), number, content))
        self._held_bytes += size

    @property
    def full(self) -> bool:
        """Whether as many messages are held as are sent together."""
        return len(self._held) >= BATCH or self._held_bytes >= BATCH_BYTES

    @property
    def filling(self) -> bool:
        """Whether messages are held, and more can be."""
        return bool(self._held) and not self.full

    def flush(self) -> None:
        """Send the messages that are held, unless the worker has others to work off and more may come."""
        if self._held and (self.full or len(self.sent) - len(self._held) < BATCH):
            self.end.send(self._held)
            self._held, self._held_bytes = [], 0

    def answered(self) -> tuple[int, int]:
        """Take the message that was answered: always the one sent first."""
        kind, number = self.sent.popleft()
        self.load -= kind not in OF_KEPT
        self._answered += 1
        return kind, number

    def culprit(self) -> int:
        """Take the message on which the worker was lost, and give the number of its page."""
        at = int.from_bytes(self._begun, "little") - 1 - self._answered
        at = min(max(at, 0), len(self.sent) - 1)
        number = self.sent[at][1]
        del self.sent[at]
        return number


def kill(pid: int) -> None:
    """Kill a worker, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def ended(pid: int) -> int | None:
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
                kill(pid)
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            time.sleep(0.002)
    except ChildProcessError:
        return None


def cause(code: int | None) -> tuple[str, str]:
    """Return the reason and the detail of a page whose worker ended with an exit code."""
    if code == -signal.SIGALRM:
        return "too slow", "one step took longer than a page may; its worker was killed"
    if code == OUT_OF_MEMORY:
        error = failure(MemoryError())
        return error.reason, error.detail
    if code == -signal.SIGKILL:
        return TOO_MUCH_MEMORY, "its worker was killed, as the system does when memory runs out"
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return "crashed", f"its worker was ended by {signal.Signals(-code).name}"
    return "crashed", f"its worker ended with exit code {code}"
