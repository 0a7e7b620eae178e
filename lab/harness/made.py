"""How a results file was made: the command, the day, and the commit of the code."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Self

ROOT: Final = Path(__file__).parents[2]
_CODE: Final = ("src", "lab")


class Made(NamedTuple):
    """The command that made a file, its day (UTC), and its commit: ``+`` where code was changed since."""

    command: str
    day: str
    commit: str

    @classmethod
    def now(cls, command: str) -> Self:
        """Tell how a file is made by a command now; the commit is empty outside of a git checkout."""
        commit = _git("rev-parse", "--short=10", "HEAD").strip()
        changed = "+" if commit and _git("status", "--porcelain", "--", *_CODE) else ""
        return cls(command, f"{datetime.now(UTC):%Y-%m-%d}", commit + changed)

    @property
    def sentence(self) -> str:
        """A sentence for reports."""
        return f"Made with `{self.command}` on {self.day}" + (
            f", commit {self.commit}." if self.commit else "."
        )


def _git(*arguments: str) -> str:
    try:
        run = subprocess.run(
            ["git", "-C", str(ROOT), *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return ""
    return run.stdout if run.returncode == 0 else ""
