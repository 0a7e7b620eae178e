"""Runs that are killed, and go on."""

import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from detemplate.cli import main
from detemplate.run import steps
from tests.support.forked import Forked

_WHOLE = {0, 3}
"""Exit codes of a run that has ended; 3: one of its inputs was damaged."""

PIECE = 20
"""Pages of a piece."""

_LINGERING = """
import sys

from detemplate.cli import main
from detemplate.run import steps
from detemplate.run.checkpoint import Checkpoint

keep, before = Checkpoint.cleaned, []

def lingering(self, piece, outcomes, states):
    keep(self, piece, outcomes, states)
    if len(before) * steps.PAGES >= {pages}:
        sys.stdin.read()
        Checkpoint.cleaned = keep
    before.append(piece.number)

Checkpoint.cleaned = lingering
steps.PAGES = {piece}
sys.exit(main(sys.argv[1:]))
"""


def command(arguments: Sequence[str], pages: float) -> list[str]:
    """Return the command line of a run that works on pieces of :data:`PIECE` pages.

    It lingers when it has cleaned one more piece than so many pages have, until its standard input ends: it
    does not end before it can be stopped.
    """
    return [sys.executable, "-c", _LINGERING.format(pages=pages, piece=PIECE), *arguments]


def killed_until_done(
    arguments: Sequence[str], kills: int, chance: random.Random, *, folder: Path, longest: float
) -> int:
    """Start a run again and again, and kill it so many times after a random time; then let it end.

    Parameters
    ----------
    arguments
        Of the command.
    kills
        Number of times that it is killed, if it does not end before.
    chance
        Draws the times.
    folder
        Where it runs.
    longest
        Longest time before a kill, in seconds.

    Returns
    -------
    int
        Number of runs that were killed in the middle.
    """
    killed = 0
    for turn in range(kills + 1):
        process = _forked(arguments, folder)
        run = process.ended(chance.uniform(0, longest)) if turn < kills else process.wait()
        if run is None:
            process.send(signal.SIGKILL)
            killed += 1
            run = process.wait()
        if run.code not in {*_WHOLE, -signal.SIGKILL}:
            raise AssertionError(run.err)
        if run.code in _WHOLE:
            break
        time.sleep(0.01)
    return killed


def undisturbed(arguments: Sequence[str], folder: Path, output: str) -> bytes:
    """Run the command in a folder to its end; return what it has written."""
    run = _forked(arguments, folder).wait()
    assert run.code in _WHOLE, run.err
    return contents(folder / output)


def _forked(arguments: Sequence[str], folder: Path) -> Forked:
    """Run the command in a copy of this process, as :func:`command` does in a new one."""

    def work() -> int:
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        steps.PAGES = PIECE
        return main([*arguments])

    _load()
    return Forked(work, folder)


@cache
def _load() -> None:
    """Load what a run needs, before the first fork: each run would load it again."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.jsonl"
        page.write_text('{"url": "http://e.org/", "html": "<p>one page"}\n')
        for output in ("out.jsonl", "out.parquet", "out.warc.gz"):
            assert main(["clean", str(page), "-o", f"{folder}/{output}", "-q", "--workers", "0"]) == 0


def contents(output: Path) -> bytes:
    """Return the bytes of a file, or of a directory's files with their names."""
    if output.is_file():
        return output.read_bytes()
    files = sorted(path for path in output.rglob("*") if path.is_file())
    return b"".join(f"{path.relative_to(output)}\n".encode() + path.read_bytes() for path in files)
