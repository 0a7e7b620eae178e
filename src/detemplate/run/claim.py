"""The directory of a checkpoint: one run at a time uses it, and only the run that made it goes on with it."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.files.partial import hold, release

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LOCK: Final = "lock"
"""Name of the file that tells that the directory is in use."""

_SHOWN: Final = 60
"""Characters of a value that a message shows."""


class Claim:
    """A directory that belongs to one run until :meth:`release`; it is made if it does not exist.

    Parameters
    ----------
    directory
        The directory.
    who
        What uses it, for messages: ``"run"`` or ``"crawl"``.

    Attributes
    ----------
    path : Path
        The directory.

    Raises
    ------
    UserError
        Another process uses it, or it cannot be written.
    """

    def __init__(self, directory: str, who: str) -> None:
        self.path = Path(directory)
        self._who = who
        with self.using():
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            hold(self._lock)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise UserError(
                f"another {who} uses the checkpoint {self.path}; wait for its end, or name another"
            ) from None

    def check(self, saved: object, given: Mapping[str, object]) -> None:
        """Compare what the checkpoint is of with what the run is; raises UserError where they differ."""
        if saved == given:
            return
        raise UserError(
            f"{self.path} is the checkpoint of another {self._who} ({_difference(saved, given)}): give the "
            f"command of that {self._who} again, or name another directory"
        )

    @contextmanager
    def using(self, *errors: type[Exception]) -> Iterator[None]:
        """Make UserErrors of what goes wrong in the directory: of OSError, ValueError and further errors."""
        caught: tuple[type[Exception], ...] = (OSError, ValueError, *errors)
        try:
            yield
        except caught as error:
            raise UserError(
                f"the checkpoint {self.path} cannot be used: {error}; check the space left and its "
                "permissions, or remove it to begin again"
            ) from error

    def remove(self, names: Iterable[str]) -> None:
        """Remove the directory's files of these names, the lock and, if it holds nothing else, itself."""
        for name in (*names, LOCK):
            with suppress(OSError):
                (self.path / name).unlink(missing_ok=True)
        self.release()
        with suppress(OSError):
            self.path.rmdir()

    def release(self) -> None:
        """Let others use the directory."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            release(lock)


def identity_of(values: Mapping[str, object]) -> dict[str, object]:
    """Give values as JSON holds them, so that they can be compared with those that were saved."""
    read: dict[str, object] = json.loads(json.dumps(values, sort_keys=True, default=str))
    return read


def _difference(saved: object, given: Mapping[str, object]) -> str:
    """Tell the first thing in which two runs differ."""
    if not isinstance(saved, dict):
        return "it is damaged"
    names = {**saved, **given}
    name = next((name for name in names if saved.get(name) != given.get(name)), "")
    was, now = (json.dumps(each.get(name))[:_SHOWN] for each in (saved, given))
    return f"{name} was {was}, now {now}"
