"""Runs that are killed, and go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

STARTED = "import sys; from detemplate.cli import main; from detemplate.engines import checkpoint; "
"""Code of a process that runs the command, up to its settings."""


def command(arguments: Sequence[str], seconds: float) -> list[str]:
    """Return the command line of a run that makes a checkpoint every so many seconds."""
    code = (
        f"{STARTED}checkpoint.Checkpoint.__init__.__defaults__ = ({seconds},); sys.exit(main(sys.argv[1:]))"
    )
    return [sys.executable, "-c", code, *arguments]


def killed_until_done(
    arguments: Sequence[str],
    kills: int,
    chance: random.Random,
    *,
    folder: Path,
    longest: float,
    seconds: float = 0.05,
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
    seconds
        Time from one checkpoint to the next.

    Returns
    -------
    int
        Number of runs that were killed in the middle.
    """
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    killed = 0
    for turn in range(kills + 1):
        process = subprocess.Popen(
            command(arguments, seconds), env=environment, cwd=folder, stderr=subprocess.PIPE
        )
        if turn < kills:
            try:
                process.wait(chance.uniform(0, longest))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                killed += 1
        _, error = process.communicate()
        if process.returncode not in {0, -signal.SIGKILL}:
            raise AssertionError(error.decode())
        # A run whose checkpoint is gone and whose output is there was killed after its end.
        if process.returncode == 0 or (any(folder.glob("out*")) and not (folder / "progress").exists()):
            break
        time.sleep(0.01)
    return killed


def undisturbed(arguments: Sequence[str], folder: Path, output: str) -> bytes:
    """Run the command in a folder to its end; return what it has written."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command(arguments, 1e9), env=environment, cwd=folder, check=True, stderr=subprocess.PIPE)
    return contents(folder / output)


def contents(output: Path) -> bytes:
    """Return the bytes of a file, or of a directory's files with their names."""
    if output.is_file():
        return output.read_bytes()
    files = sorted(path for path in output.rglob("*") if path.is_file())
    return b"".join(f"{path.relative_to(output)}\n".encode() + path.read_bytes() for path in files)
