"""Writing state files, whole or not at all."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.sites.statetables import APPLICATION, FORMAT, SCHEMA, hash_of, hex_of, meta_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.sites.settings import Settings
    from detemplate.sites.statetables import SiteRow


class StateWriter(Closing):
    """A state file that is being written: whole or not at all.

    Parameters
    ----------
    output
        The file. An existing one is replaced, unless it changes in the meantime.

    Raises
    ------
    UserError
        The file cannot be created.
    """

    def __init__(self, output: str) -> None:
        self._replaced = _stamp(output)
        self._atomic = AtomicFile(output)

    def write(self, settings: Settings, rows: Iterable[SiteRow]) -> None:
        """Write the settings and all sites.

        Parameters
        ----------
        settings
            What the sites were learnt with.
        rows
            The sites. If a name comes again, its first row counts.

        Raises
        ------
        UserError
            The file cannot be written, or another run has written it meanwhile.
        """
        output = self._atomic.output
        if _stamp(output) != self._replaced:
            raise UserError(f"{output} was written by another run meanwhile, and is left alone; run again")
        try:
            # Only the rename at the end makes the file appear: no journal is needed.
            with closing(sqlite3.connect(self._atomic.path, isolation_level=None)) as file:
                for pragma in ("journal_mode = OFF", "synchronous = OFF"):
                    file.execute(f"PRAGMA {pragma}")
                file.execute("BEGIN")
                for table in SCHEMA.values():
                    file.execute(table)
                digest = 0
                for row in rows:
                    if file.execute("INSERT OR IGNORE INTO sites VALUES (?, ?, ?, ?, ?)", row).rowcount:
                        digest ^= hash_of(*row[:4])
                values = {name: getattr(settings, name) for name in settings.__slots__}
                meta = {key: json.dumps(value) for key, value in {**values, "digest": hex_of(digest)}.items()}
                meta["hash"] = meta_hash(meta)
                file.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
                file.execute("COMMIT")
                file.execute(f"PRAGMA application_id = {APPLICATION}")
                file.execute(f"PRAGMA user_version = {FORMAT}")
        except (sqlite3.Error, OverflowError) as error:
            raise UserError(
                f"cannot write {output}: {error}; check its directory and the space left"
            ) from error

    def close(self) -> None:
        """Give the file its name; what it replaces is gone only when it is on the disk."""
        with writing(self._atomic.output):
            os.fsync(self._atomic.file.fileno())
        self._atomic.commit()

    def abort(self) -> None:
        """Remove what was written."""
        self._atomic.discard()


def _stamp(path: str) -> tuple[int, ...] | None:
    """Return what changes when a file is written anew; None if there is no file."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
