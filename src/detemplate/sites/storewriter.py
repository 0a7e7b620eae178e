"""Writing stores: a run is one transaction, and one run at a time may write."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.files.atomic import Closing
from detemplate.sites.contents import Contents, is_made, reading
from detemplate.sites.history import Histories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.sites.history import SiteHistory
    from detemplate.sites.settings import Settings
    from detemplate.sites.storefile import StoreFile
    from detemplate.sites.storetables import SiteRow

_PATIENCE: Final = 1.0
"""Seconds to wait for the lock: longer than SQLite needs to repair what a killed run left behind."""

_CACHE: Final = 1 << 16  # memory for the pages of the file, in KiB


class StoreWriter(Closing):
    """A store that a run writes: all that it writes appears at once when it is closed, or nothing does.

    From its opening on, no other run can write the store; readers read what was there before. A store that
    does not exist is made in the same transaction.

    Parameters
    ----------
    path
        The file.

    Attributes
    ----------
    histories : Histories
        Takes what the run sees of the sites' templates.

    Raises
    ------
    UserError
        Another run writes the store, it is damaged or no store, or it cannot be created.
    """

    keeps_parts = False

    def __init__(self, path: str) -> None:
        self.path = path
        self._target = Path(path).resolve()
        if not self._target.parent.is_dir():
            raise UserError(f"cannot write {path}: there is no directory {self._target.parent}; create it")
        if self._target.exists() and not self._target.is_file():
            what = "a directory" if self._target.is_dir() else "not a regular file"
            raise UserError(f"cannot write {path}: it is {what}; choose another name")
        with self._writing():
            self._file = sqlite3.connect(
                self._target, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
        try:
            with self._writing():
                self._begin()
        except BaseException:
            self._file.close()
            raise
        self._finished = False
        self.histories = Histories(self.history, self.put_history)

    def _begin(self) -> None:
        """Lock the store, and begin the transaction."""
        is_made(self._file, self.path)  # before anything is changed
        if self._file.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise UserError(
                f"cannot write {self.path}: its file system cannot share memory; use a local disk"
            )
        self._file.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._file.execute("BEGIN IMMEDIATE")
        if not self._target.exists():
            raise UserError(f"{self.path} was being made by another run, which failed; run again")
        self._new = not is_made(self._file, self.path)
        self._contents = Contents.made(self._file) if self._new else Contents.opened(self._file)

    @property
    def settings(self) -> Settings | None:
        """What the store's sites were learnt with; None if the store is new."""
        return self._contents.settings

    @property
    def sites(self) -> int:
        """Number of sites, with those that were written."""
        return self._contents.sites

    @property
    def generation(self) -> tuple[int, str]:
        """Of a finished store: how often it will have been written, and what its hash will be."""
        return self._contents.commits, self._contents.hash

    def begin_at(self, known: StoreFile | None) -> None:
        """Make the store's sites those of another one. If that is this one as it is, nothing is to be done.

        Parameters
        ----------
        known
            The store that a run has gone on with; None: it has begun without one.

        Raises
        ------
        UserError
            Another run has written this store since ``known`` was opened.
        """
        if known is not None and not self._new and self.wrote(known):
            if known.hash != self._contents.hash:
                raise UserError(
                    f"{self.path} was written by another run meanwhile, and is left alone; run again"
                )
            return
        with self._writing():
            self._contents.clear()
        if known is not None:
            for row in known.rows():
                self.copy(known, row)

    def wrote(self, known: StoreFile) -> bool:
        """Tell whether this is the file of an open store."""
        return self._target == Path(known.path).resolve()

    def copy(self, known: StoreFile, row: SiteRow) -> None:
        """Write a site as it is in another store."""
        self.put(row, known.state(row), known.history(row))

    def put(self, row: SiteRow, state: bytes, history: SiteHistory | None = None) -> None:
        """Write a site. One that is there is replaced; its history stays if none is given."""
        with self._writing():
            self._contents.put(row, state)
            if history is not None:
                self._contents.put_history(row.name, history)

    def put_history(self, name: str | bytes, history: SiteHistory) -> None:
        """Write the history of a site."""
        with self._writing():
            self._contents.put_history(name, history)

    def row(self, name: str | bytes) -> SiteRow | None:
        """Return the row of a site as it is now; None if there is none."""
        with self._writing():
            return self._contents.row(name)

    def state(self, row: SiteRow) -> bytes:
        """Return the state of a site as it is now."""
        with self._writing():
            return self._contents.state(row)

    def history(self, name: str | bytes) -> SiteHistory | None:
        """Return the history of a site as it is now; None if there is none."""
        with self._writing():
            return self._contents.history(name)

    def remove(self, row: SiteRow) -> None:
        """Remove a site; what the file held of it is overwritten."""
        with self._writing():
            self._file.execute("PRAGMA secure_delete = ON")
            self._contents.remove(row)

    def finish(self, settings: Settings) -> None:
        """Write the settings, after all sites. Only a finished store is kept when it is closed."""
        self.histories.flush()
        with self._writing():
            self._contents.finish(settings)
        self._finished = True

    def close(self) -> None:
        """Make all that was written appear; it is on the disk then."""
        if not self._finished:
            self.abort()
            return
        with self._writing():
            self._file.execute("COMMIT")
            self._file.close()

    def abort(self) -> None:
        """Leave the store as it was."""
        if self._new:
            for end in ("", "-wal", "-shm"):  # before the lock is given up
                Path(f"{self._target}{end}").unlink(missing_ok=True)
        with suppress(sqlite3.Error):
            self._file.execute("ROLLBACK")
        self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn errors of the file into a UserError that says what to do."""
        with reading(self.path):
            try:
                yield
            except sqlite3.Error as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise
                if code == sqlite3.SQLITE_BUSY:
                    raise UserError(
                        f"{self.path} is being written by another run; wait until that has ended, or name "
                        "another store"
                    ) from error
                raise UserError(
                    f"cannot write {self.path}: {error}; check its directory and the space left"
                ) from error
