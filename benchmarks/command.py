"""What the benchmark commands share: errors as one line, progress on a terminal."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"


class Parser(argparse.ArgumentParser):
    """Reads the arguments of a benchmark; what is wrong with them is told as any other error."""

    def __init__(self, name: str, about: str | None, example: str = "") -> None:
        super().__init__(
            prog=f"python -m benchmarks.{name}",
            description=about,
            epilog=example,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Raise what `run` tells in one line."""
        raise UserError(message)

    def add_timing(self, rounds: int) -> None:
        """Take what every benchmark of times takes: ``--rounds``, ``--out`` and ``--check``."""
        out = RESULTS / f"{self.prog.rpartition('.')[2]}.md"
        self.add_argument("--rounds", type=positive, default=rounds, help=f"rounds (default {rounds})")
        self.add_argument("--out", default=str(out), help="Markdown file, - for standard output only")
        self.add_argument("--check", action="store_true", help="exit 1 when a goal is not reached")


def positive(text: str) -> int:
    """Read a number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def tell(report: str, out: str) -> None:
    """Print a report, and write it unless ``out`` is ``-``."""
    print(report)
    if out != "-":
        write(Path(out), report)


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command and exit: 2 with one line on standard error where the user can mend it."""
    try:
        sys.exit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


@contextmanager
def progress(total: int) -> Iterator[Callable[[str, int], None]]:
    """Show a bar on standard error where that is a terminal; else one line a finished step.

    The value is called with what is being done now and how many steps are finished.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what, done: print(f"[{done}/{total}] {what}", file=sys.stderr, flush=True)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda what, done: bar.update(task, description=what, completed=done)


def write(path: Path, text: str) -> None:
    """Write a result, and say where."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write {path}: {error.strerror}"
        raise UserError(message) from error
    print(f"wrote {path}", file=sys.stderr)
