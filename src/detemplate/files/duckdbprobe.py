"""Whether DuckDB comes back from opening a file: with a damaged one it may loop without end, or crash."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

SECONDS: Final = 10
"""Processor time in which a file must be open, the import of DuckDB included."""

_OPEN: Final = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
seconds = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
import duckdb
closed = {"enable_external_access": False, "threads": 1}
try:
    with duckdb.connect(sys.argv[1], read_only=True, config=closed) as connection:
        connection.execute("SELECT * FROM duckdb_columns()").fetchall()
except duckdb.Error:
    sys.exit(1)
"""
"""Opens a file in a process of its own; it reaches no other file and no network."""


def check_opens(path: Path) -> None:
    """Open a DuckDB file in another process, which may hang or crash in place of this one.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        The other process did not come back. What DuckDB itself says of the file is left to whoever opens it.
    """
    status = path.stat()
    ended = _signal(str(path), (status.st_ino, status.st_size, status.st_mtime_ns))
    if ended:
        raise damaged(path, ended)


def damaged(path: Path, ended: int) -> UserError:
    """Give the error of a file with which DuckDB was ended by the signal of this number."""
    slow = ended in {signal.SIGXCPU, signal.SIGKILL}
    why = f"DuckDB does not come to an end within {SECONDS} seconds" if slow else "DuckDB crashes on it"
    return UserError(f"{path} cannot be read as DuckDB: {why}; the file is damaged")


@lru_cache(maxsize=64)
def _signal(path: str, _state: tuple[int, int, int]) -> int:
    """Return the signal that ended the other process; 0 if none did. Kept while the file is the same."""
    command = [sys.executable, "-c", _OPEN, path, str(SECONDS)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return max(0, -done.returncode)
