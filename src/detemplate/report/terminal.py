"""The terminal: text that it shows and does not obey, and progress bars."""

from __future__ import annotations

import json
import re
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

import click

from detemplate.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import TaskID


_OBEYED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, among them the beginnings of escape sequences; marks that change the direction of text,
line breaks, and lone surrogates, which cannot be written."""


def printable(text: str) -> str:
    r"""Escape what a terminal would obey: ``\x1b`` for the character that begins escape sequences."""
    return _OBEYED.sub(lambda match: ascii(match[0])[1:-1], text)


def say(line: str, *, err: bool = False) -> None:
    """Write one line on standard output, or on standard error, with nothing in it that a terminal obeys."""
    click.echo(printable(line), err=err)


def say_json(value: object) -> None:
    """Write a value as indented JSON on standard output, with nothing in it that a terminal obeys."""
    for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n"):
        click.echo(_OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", line))


class TerminalProgress:
    """A progress bar on standard error.

    Its length is the share of the input's bytes that were read. Without a known size, it pulses.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description:>10}"),
            BarColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: TaskID | None = None
        self._began = 0.0

    def begin(self, doing: str, total_bytes: int | None) -> None:
        """Start the bar, or restart it for another pass.

        ``doing``: name of the pass, such as ``"cleaning"``.
        ``total_bytes``: stored size of the input in bytes; None if unknown.
        """
        if self._task is None:
            self._bar.start()
        else:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(doing, total=total_bytes, counts="")
        self._began = time.perf_counter()

    def advance(self, pages: int, sites: int, bytes_read: int) -> None:
        """Show the pages so far, their rate, the sites so far and the share of bytes read."""
        if self._task is not None:
            rate = pages / max(time.perf_counter() - self._began, 1e-9)
            counts = f"{counted(pages, 'page')}  {rate:,.0f}/s  {counted(sites, 'site')}"
            self._bar.update(self._task, completed=bytes_read, counts=counts)

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()


def terminal_progress(*, quiet: bool) -> TerminalProgress | None:
    """Return a progress bar; None if ``quiet``, or if standard error is no terminal."""
    return None if quiet or sys.stderr is None or not sys.stderr.isatty() else TerminalProgress()


class ShowStep(Protocol):
    """Shows one step."""

    def __call__(self, name: str, done: int | None = None, /) -> None:
        """Show the name of a step, and the number of finished ones; None: one more than before."""


@contextmanager
def step_progress(total: int, *, lines: bool = False) -> Iterator[ShowStep]:
    """Show how many steps are done: a bar on standard error, if that is a terminal.

    ``total``: number of steps.
    ``lines``: print a line a step where standard error is no terminal; else nothing is shown there.
    Yields: a function of the name of a step and the number of finished steps (by default one more).
    """
    finished = 0

    def count(done: int | None) -> int:
        nonlocal finished
        finished = finished + 1 if done is None else done
        return finished

    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda name, done=None: bar.update(task, description=name, completed=count(done))
    elif lines:
        yield lambda name, done=None: print(f"[{count(done)}/{total}] {name}", file=sys.stderr, flush=True)
    else:
        yield lambda _name, _done=None: None
