"""Ends a browser that takes too long over a page, or too much memory.

A browser that hangs answers no call, and its driver waits for it without end. So its processes are ended from
outside. The driver then raises, and the caller starts another browser. A driver that does not notice is
ended, too.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEP: Final = 0.05  # seconds between two checks of the time
_MEMORY_STEPS: Final = 4  # steps between two checks of the memory, each of which reads a file a process
_GRACE: Final = 3.0
"""Seconds after a browser's end in which its driver must notice; some calls it never answers."""
_PROC: Final = Path("/proc")
_MEMORY_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def group_memory(group: int) -> int:
    """Return the memory of a process group in bytes, without shared memory; 0 without ``/proc``."""
    total = 0
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            if int(_status(int(folder.name))[2]) == group:
                _, resident, shared, *_ = (folder / "statm").read_text().split()
                total += (int(resident) - int(shared)) * _MEMORY_PAGE
    return total


def kill_group(group: int) -> None:
    """End all processes of a group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Guard:
    """Watches one browser, the leader of a process group, from a thread; `reason` says why it was ended."""

    def __init__(self, process: int, memory: int) -> None:
        self.group = os.getpgid(process)
        self._memory = memory
        self._driver = _driver_of(process)
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._over = threading.Event()
        self.reason = ""
        if self.group == os.getpgrp():  # this process would end itself
            raise RuntimeError("the browser does not lead a process group of its own")
        self._thread = threading.Thread(target=self._watch, name="browser guard", daemon=True)
        self._thread.start()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Limit the time of a ``with`` block; the browser is ended when it is over."""
        with self._lock:
            self._deadline = time.monotonic() + seconds
            self._allowed = seconds
        try:
            yield
        finally:
            with self._lock:
                self._deadline = None

    def stop(self) -> None:
        """Stop watching."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        steps = 0
        gone: float | None = None
        while not self._over.wait(_STEP):
            steps += 1
            with self._lock:
                if self._deadline is None:
                    continue
                now = time.monotonic()
                if now > self._deadline and not self.reason:
                    self._end(f"took over {self._allowed:g} s")
                if gone is None and not _exists(self.group):
                    gone = now
                if gone is not None and now > gone + _GRACE:
                    if self._driver is not None:
                        with suppress(ProcessLookupError, PermissionError):
                            os.kill(self._driver, signal.SIGKILL)
                    return
            if self.reason or steps % _MEMORY_STEPS:
                continue
            if (taken := group_memory(self.group)) > self._memory:
                self._end(f"the browser took {taken >> 20:,} MiB, allowed are {self._memory >> 20:,}")

    def _end(self, reason: str) -> None:
        self.reason = reason
        kill_group(self.group)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _driver_of(process: int) -> int | None:
    """Find the driver: the browser's parent, if that is a child of this process."""
    with suppress(OSError, ValueError, IndexError):
        above = int(_status(process)[1])
        if int(_status(above)[1]) == os.getpid():
            return above
    return None


def _status(process: int) -> list[str]:
    """Return the fields of a process behind its name (which may have any characters), from its state on."""
    return (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
