"""A time limit on a call in this process."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class TimeLimitReached(BaseException):
    """The time is up.

    Not an ``Exception``: extractors catch those to go on with a fallback, and would swallow it.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop the enclosed block after some seconds of wall time.

    Uses SIGALRM, so that it works in the main thread of a POSIX process only. A call into
    compiled code ends first. Where a bare ``except`` swallows the signal's exception, it comes
    again every second.

    Parameters
    ----------
    seconds
        How long the block may run.

    Raises
    ------
    TimeLimitReached
        When the block runs longer.
    """
    armed = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        # A signal that comes when the block has just ended must not break the clearing up below.
        if armed:
            raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
