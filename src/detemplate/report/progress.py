"""A progress bar with pages, rate and sites, on standard error when it is a terminal."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class TerminalProgress:
    """Draws how far a run has come.

    The share done is that of the input's bytes read; for an input of unknown size the bar pulses.
    """

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description:>10}"),
            BarColumn(),
            TextColumn("{task.fields[told]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: TaskID | None = None
        self._began = 0.0

    def begin(self, doing: str, total_bytes: int | None) -> None:
        """Start the bar anew for another pass."""
        if self._task is None:
            self._bar.start()
        else:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(doing, total=total_bytes, told="")
        self._began = time.perf_counter()

    def advance(self, pages: int, sites: int, bytes_read: int) -> None:
        """Show pages, rate and sites."""
        if self._task is not None:
            rate = pages / max(time.perf_counter() - self._began, 1e-9)
            told = f"{pages:,} pages  {rate:,.0f}/s  {sites:,} sites"
            self._bar.update(self._task, completed=bytes_read, told=told)

    def end(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def terminal_progress(*, quiet: bool) -> TerminalProgress | None:
    """Give a progress bar, or None if nobody would see it."""
    return None if quiet or not sys.stderr.isatty() else TerminalProgress()
