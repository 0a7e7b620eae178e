"""A time limit on a block of code in this process."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class TimeLimitReached(BaseException):
    """A time limit is reached.

    It is no ``Exception``: extractors catch those and go on with a fallback.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop the enclosed block after some seconds of wall time.

    This uses SIGALRM, so it works only in the main thread of a POSIX process. A call into compiled code is
    not interrupted. The exception is raised again every second, in case a bare ``except`` swallowed it.

    Parameters
    ----------
    seconds
        Seconds that the block may run.

    Raises
    ------
    TimeLimitReached
        The block runs longer.
    """
    armed = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        # A signal just after the end of the block must not interrupt the clean-up below.
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
