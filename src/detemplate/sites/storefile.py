"""Stores: what sites have taught, kept between runs. Read one site at a time, written in one transaction.

A store is an SQLite file; :mod:`detemplate.sites.storetables` has its tables, and how they are checked.
"""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from detemplate.detectors.registry import detector_class, options_of
from detemplate.detectors.state import StateError, name_in, options_in
from detemplate.errors import UserError
from detemplate.files.atomic import Closing
from detemplate.sites.history import Histories
from detemplate.sites.learner import SiteLearner
from detemplate.sites.naming import site_name
from detemplate.sites.storetables import Contents, SiteRow, is_made, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.detectors.base import Learner
    from detemplate.sites.learner import Settings


# Seconds that a reader waits where SQLite has to repair what a killed run left behind.
_PATIENCE: Final = 10.0

# Errors of a store in a directory that this process may not write to.
_UNWRITABLE: Final = {sqlite3.SQLITE_READONLY_DIRECTORY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


class StoreFile(Contents):
    """A store, open for reading, as it was when it was opened. A site is read when it is asked for.

    Raises UserError: the file is missing, damaged, no store, or of another version; also for all methods.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        _check_regular(path)
        self._open()
        try:
            with reading(path):
                self.settings.check_files(path)
                self._options = options_of(self.settings.method, self.settings.options, streaming=False)
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        """Open the file, and keep what it holds now in sight."""
        with reading(self.path):
            self._file = _snapshot(self.path)
            try:
                self._read_tables(new=False)
            except BaseException:
                self.close()
                raise

    @property
    def settings(self) -> Settings:
        """What the sites were learned with."""
        assert self._settings is not None  # only new stores have none
        return self._settings

    def refresh(self) -> None:
        """Read the store as it is now."""
        self.close()
        self._open()

    def detector(self, site: str) -> Learner | None:
        """Return a site's detector as it was saved; None if the store does not have the site."""
        row = self.row(site)
        return self.restored(row, self.state(row)) if row is not None else None

    def restored(self, row: SiteRow, state: bytes) -> Learner:
        """Return the detector of a site's state."""
        with reading(self.path):
            kind = detector_class(self.settings.method)
            if kind.options_class(**options_in(state)) != self._options or name_in(state) != kind.name:
                raise StateError(f"site {site_name(row.name)} was learned with other options")
            detector = SiteLearner.from_bytes(state)
            if detector.pages != row.pages:
                raise StateError(
                    f"site {site_name(row.name)} has learned {detector.pages} pages, not {row.pages}"
                )
            return detector

    def pages(self, site: str) -> int:
        """Return the number of pages that a site has learned; 0 if the store does not have it."""
        row = self.row(site)
        return row.pages if row is not None else 0

    @classmethod
    def as_it_was(cls, path: str, known: str) -> Self:
        """Open a store in another process; raises if another run has written it since it had that hash."""
        again = cls(path)
        if again.hash != known:
            again.close()
            raise UserError(f"{path} was written by another run meanwhile; run again")
        return again

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __getstate__(self) -> tuple[str, str]:
        """Return what finds the file again, and its content's hash."""
        return str(Path(self.path).resolve()), self.hash

    def __setstate__(self, state: tuple[str, str]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        if self.hash != state[1]:
            self.close()
            raise UserError(f"{self.path} has changed since the cleaner that reads it was pickled")


def is_store(path: str) -> bool:
    """Tell whether there is a store to go on with; an empty file is none. Raises UserError for others."""
    if not Path(path).exists():
        return False
    _check_regular(path)
    with reading(path), closing(_connected(path, "rw")) as file:
        return is_made(file, path)


def _snapshot(path: str) -> sqlite3.Connection:
    """Open a store for reading, as it is now."""
    try:
        return _begun(path, "rw")
    except sqlite3.OperationalError as error:
        # Without the right to write beside it, a store is read as a file that never changes. What a killed
        # run has left is then not seen, and what lies beside must be repaired first.
        beside = Path(f"{Path(path).resolve()}-wal")
        if error.sqlite_errorcode not in _UNWRITABLE or beside.exists():
            raise
    return _begun(path, "ro&immutable=1")


def _begun(path: str, mode: str) -> sqlite3.Connection:
    file = _connected(path, mode)
    try:
        file.execute("PRAGMA query_only = ON")
        file.execute("BEGIN")
        if not is_made(file, path):
            if _is_being_written(path):
                raise UserError(f"{path} is being made by a run that has not ended; wait for it")
            raise UserError(
                f"{path} is empty, as a run that is killed leaves a new store; remove it, or name another"
            )
    except BaseException:
        file.close()
        raise
    return file


def _is_being_written(path: str) -> bool:
    """Tell whether another process holds the lock of a store; if that cannot be told, it may."""
    try:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            file.execute("ROLLBACK")
    except sqlite3.Error:
        return True
    return False


def _connected(path: str, mode: str) -> sqlite3.Connection:
    uri = f"{Path(path).resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=_PATIENCE)


def _check_regular(path: str) -> None:
    """Raise UserError unless a path is that of a regular file."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UserError(f"cannot read the store {path}: {error.strerror}; check the path") from error
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path} is no store of detemplate; name another file")


# Seconds to wait for the lock: longer than SQLite needs to repair what a killed run left behind.
_WRITING_PATIENCE: Final = 1.0

_CACHE: Final = 1 << 16  # memory for the pages of the file, in KiB


class StoreWriter(Contents, Closing):
    """A store that a run writes: all that it writes appears at once when it is closed, or nothing does.

    From its opening on, no other run can write the store; readers read what was there before. A store that
    does not exist is made in the same transaction. Its :class:`~detemplate.sites.history.Histories`,
    ``histories``, take what the run sees of the sites' templates.

    Raises UserError: another run writes the store, it is damaged or no store, or it cannot be created.
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
        with self._guarded():
            self._file = sqlite3.connect(
                self._target, timeout=_WRITING_PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
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
        self._read_tables(new=self._new)

    @property
    def settings(self) -> Settings | None:
        """What the store's sites were learned with; None if the store is new."""
        return self._settings

    @property
    def generation(self) -> tuple[int, str]:
        """Of a finished store: how often it will have been written, and what its hash will be."""
        return self.commits, self.hash

    def begin_at(self, known: StoreFile | None) -> None:
        """Make the store's sites those that a run has gone on with; that store itself is left as it is.

        Raises UserError: another run has written this store since ``known`` was opened.
        """
        if known is not None and not self._new and self.wrote(known):
            if known.hash != self.hash:
                raise UserError(
                    f"{self.path} was written by another run meanwhile, and is left alone; run again"
                )
            return
        self.clear()
        if known is not None:
            for row in known.rows():
                self.copy(known, row)

    def wrote(self, known: StoreFile) -> bool:
        """Tell whether this is the file of an open store."""
        return self._target == Path(known.path).resolve()

    def copy(self, known: StoreFile, row: SiteRow) -> None:
        """Write a site as it is in another store."""
        self.put(row, known.state(row), known.history(row.name))

    def finish(self, settings: Settings) -> None:
        """Write the settings, after all sites. Only a finished store is kept when it is closed."""
        self.histories.flush()
        super().finish(settings)
        self._finished = True

    def close(self) -> None:
        """Make all that was written appear; it is on the disk then."""
        if not self._finished:
            self.abort()
            return
        with self._guarded():
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
    def _guarded(self) -> Iterator[None]:
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
