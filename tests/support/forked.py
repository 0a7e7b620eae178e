"""Processes that begin as copies of this one: what is loaded need not be loaded again."""

import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """How a process ended: as by ``subprocess``, and its standard error."""

    code: int
    err: str


class Forked:
    """A process that does some work in a folder; what the work returns is the exit code.

    Its standard output may be an open file.
    """

    def __init__(self, work: Callable[[], int], folder: Path, stdout: int | None = None) -> None:
        self._err = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
        self.pid = os.fork()
        if self.pid:
            return
        code = 99
        try:
            os.chdir(folder)
            os.dup2(self._err.fileno(), 2)
            sys.stderr = os.fdopen(2, "w", buffering=1)
            if stdout is not None:
                os.dup2(stdout, 1)
                sys.stdout = os.fdopen(1, "w")
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.default_int_handler)
            code = work()
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    def ended(self, seconds: float) -> Run | None:
        """Wait for the end; None if it does not come in time."""
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                with self._err as err:
                    err.seek(0)
                    return Run(os.waitstatus_to_exitcode(status), err.read().decode())
            if time.monotonic() >= end:
                return None
            time.sleep(0.005)

    def wait(self, seconds: float = 240) -> Run:
        """Wait for the end, which must come in time."""
        if run := self.ended(seconds):
            return run
        self.send(signal.SIGKILL)
        run = self.ended(60)
        raise AssertionError(f"the process goes on and on: {run and run.err}")
