"""Ending a run by a signal, at a place where what is written is whole."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_SIGNALS: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Stop:
    """Turns signals into :class:`~detemplate.errors.Stopped`; a context manager.

    ``heard``: number of a signal that waits for the end of :meth:`later`'s block; 0: none does.
    Only the main thread can do so; in others, it does nothing. Signals that are ignored stay ignored.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._waits = 0
        self.heard = 0

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                before = signal.getsignal(number)
                if before not in {signal.SIG_IGN, None}:
                    self._before[number] = before
                    signal.signal(number, self._hear)
        return self

    def close(self, *, for_good: bool = False) -> None:
        """Let signals end nothing more: what is left to do is short.

        ``for_good``: they are not heard after the block, either; the process ends with the code that it has.
        """
        self._waits += 1
        if for_good:
            self._before = dict.fromkeys(self._before, signal.SIG_IGN)

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before = {}
        # Python 3.11 makes a RuntimeError of what is raised while a class gets its properties.
        if isinstance(error, RuntimeError) and isinstance(error.__cause__, Stopped):
            raise error.__cause__ from None

    def _hear(self, number: int, _: object) -> None:
        if self._waits:
            self.heard = number
        else:
            raise Stopped(number)

    @contextmanager
    def later(self) -> Iterator[None]:
        """Let signals wait until the end of the block."""
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
        if self.heard and not self._waits:
            raise Stopped(self.heard)
