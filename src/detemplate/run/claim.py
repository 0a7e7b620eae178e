"""The directory of a checkpoint: one run at a time uses it, and only the run that made it goes on with it."""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.state import DAMAGE
from detemplate.errors import UserError
from detemplate.files.partial import hold, release
from detemplate.sites.storefile import StoreFile, is_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LOCK: Final = "lock"
"""Name of the file that tells that the directory is in use."""

CLOSING: Final = "closing"
"""Name of the file that notes that only the outputs have still to get their names (:class:`ClosingNote`)."""

_PATIENCE: Final = 2.0
"""Seconds to wait for the lock: a worker that has just been forked holds it when its owner is killed."""

_SHOWN: Final = 60  # characters of a value that a message shows


class Claim:
    """A directory that belongs to one run until :meth:`release`; it is made if it does not exist.

    ``who`` uses it, for messages: ``"run"`` or ``"crawl"``. Its :class:`~pathlib.Path` is ``path``. Raises
    UserError if another process uses it, or it cannot be written.
    """

    def __init__(self, directory: str, who: str) -> None:
        self.path = Path(directory)
        self._who = who
        with self.using():
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            hold(self._lock)
        late = time.monotonic() + _PATIENCE
        while not self._locked():
            if time.monotonic() > late:
                self.release()
                raise UserError(
                    f"another {who} uses the checkpoint {self.path}; wait for its end, or name another"
                )
            time.sleep(0.02)

    def _locked(self) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def check(self, saved: object, given: Mapping[str, object]) -> None:
        """Compare what the checkpoint is of with what the run is; raises UserError where they differ."""
        if saved == given:
            return
        raise UserError(
            f"{self.path} is the checkpoint of another {self._who} ({_difference(saved, given)}): give the "
            f"command of that {self._who} again, or name another directory"
        )

    @contextmanager
    def using(self) -> Iterator[None]:
        """Make UserErrors of what goes wrong in the directory."""
        try:
            yield
        except UserError:
            raise
        except (OSError, ArithmeticError, *DAMAGE) as error:
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


class ClosingNote:
    """A note of a run that gives its outputs their names: if it is killed then, no page is learnt twice.

    The store is written last. Whoever finds the note and a store as the note says that it will be, knows that
    all is written.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory / CLOSING

    @property
    def exists(self) -> bool:
        """Whether a run was killed when its outputs had, perhaps, their names already."""
        return self._path.exists()

    @property
    def finished(self) -> bool:
        """Whether a run has written all."""
        return bool(self._noted.get("finished"))

    def finish(self) -> None:
        """Note that all is written; raises OSError where that fails."""
        self._write({**self._noted, "finished": True})

    @property
    def _noted(self) -> dict[str, Any]:
        """The note; nothing if there is none, or the run was killed before it was whole."""
        with suppress(OSError, ValueError, TypeError, RecursionError):
            return dict(json.loads(self._path.read_text("utf-8")))
        return {}

    def write(self, summary: Mapping[str, object], generation: tuple[int, str] | None = None) -> None:
        """Note that only the outputs have still to get their names: the counts, and what the store will be.

        ``generation``: as of a :class:`~detemplate.sites.storefile.StoreWriter`.
        """
        self._write({"summary": summary, "generation": generation, "finished": False})

    def _write(self, noted: Mapping[str, object]) -> None:
        with self._path.open("w", encoding="utf-8") as file:
            json.dump(noted, file)
            file.flush()
            os.fsync(file.fileno())  # the store is written after it

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a run that was killed when it had written all; else None.

        Raises UserError if another run has written the store since: nobody knows whether this run had before.
        """
        noted = self._noted
        if noted.get("finished"):
            return dict(noted["summary"])
        if store is None or noted.get("generation") is None or not is_store(store):
            return None
        with closing(StoreFile(store)) as now:
            if [now.commits, now.hash] == noted["generation"]:
                return dict(noted["summary"])
            if now.commits < noted["generation"][0]:
                return None
        raise UserError(
            f"{store} was written by another run since this one was killed while it wrote it; it may have "
            f"this run's pages already. Remove {self._directory} to clean and learn them (again)"
        )


def was_closing(directory: str | None) -> bool:
    """Tell whether a run was killed while it gave its outputs their names: they may have them already."""
    if directory is None:
        return False
    note = ClosingNote(Path(directory))
    return note.exists and not note.finished


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
