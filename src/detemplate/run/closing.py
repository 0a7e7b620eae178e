"""What a run notes in its checkpoint before it ends: a run that is killed then does not learn pages twice.

The outputs take their names first, and the store is written last. Whoever finds the note and a store as the
note says that it will be, knows that all is written.
"""

from __future__ import annotations

import json
import os
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.sites.storefile import StoreFile, is_store

if TYPE_CHECKING:
    from collections.abc import Mapping

CLOSING: Final = "closing"
"""Name of the note's file in the directory of a checkpoint."""


class ClosingNote:
    """The note of a run that gives its outputs their names, in the directory of its checkpoint."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory / CLOSING

    @property
    def exists(self) -> bool:
        """Whether a run was killed when its outputs had, perhaps, their names already."""
        return self._path.exists()

    @property
    def finished(self) -> bool:
        """Whether a run has written all, and said so with :meth:`finish`."""
        return bool(self._noted.get("finished"))

    def finish(self) -> None:
        """Note that all is written; raises OSError where that fails."""
        self._write({**self._noted, "whole": True, "finished": True})

    @property
    def _noted(self) -> dict[str, Any]:
        """The note; nothing if there is none, or the run was killed before it was whole."""
        with suppress(OSError, ValueError):
            return dict(json.loads(self._path.read_text("utf-8")))
        return {}

    def write(
        self,
        summary: Mapping[str, object],
        generation: tuple[int, str] | None = None,
        *,
        whole: bool = False,
    ) -> None:
        """Note that all pages are done, and that only the outputs have still to get their names.

        Parameters
        ----------
        summary
            The counts of the run, as JSON holds them.
        generation
            That of the store which the run will write last (:attr:`StoreWriter.generation
            <detemplate.sites.storefile.StoreWriter.generation>`).
        whole
            All outputs have their names, but those in the directory of the checkpoint.

        Raises
        ------
        OSError
            It cannot be written.
        """
        self._write({"summary": summary, "generation": generation, "whole": whole, "finished": False})

    def _write(self, noted: Mapping[str, object]) -> None:
        with self._path.open("w", encoding="utf-8") as file:
            json.dump(noted, file)
            file.flush()
            os.fsync(file.fileno())  # the store is written after it

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a run that was killed when it had written all; else None.

        Raises
        ------
        UserError
            Another run has written the store since: nobody knows whether this run had before.
        """
        noted = self._noted
        if noted.get("whole"):
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
