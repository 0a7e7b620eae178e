"""Reading state files, one site at a time."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.registry import detector_class, options_of
from detemplate.detectors.state import DAMAGE, StateError, options_in
from detemplate.errors import UserError
from detemplate.sites.settings import Settings
from detemplate.sites.statetables import (
    APPLICATION,
    FORMAT,
    SCHEMA,
    SiteRow,
    hash_of,
    hex_of,
    meta_hash,
    site_key,
    site_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.detectors.base import Detector

_MOST_META: Final = 1 << 20
"""Longest content of the table ``meta``, in characters."""


class StateFile:
    """A state file, open for reading. A site is read when it is asked for.

    Parameters
    ----------
    path
        The file.

    Attributes
    ----------
    settings : Settings
        What the sites were learnt with.
    sites : int
        Number of sites.

    Raises
    ------
    UserError
        The file is missing, damaged, no state file, or of a newer version.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._size = _size(path)
        with self._reading():
            self._file = sqlite3.connect(_uri(path), uri=True, isolation_level=None, check_same_thread=False)
        try:
            self._check_kind()
            with self._reading():
                meta = self._meta()
                self.settings = Settings.from_values(meta)
                self.sites, digest = self._digest()
                if digest != meta.get("digest"):
                    raise StateError("its sites do not match their digest")
            self._hash = meta_hash({key: json.dumps(value) for key, value in meta.items()})
            self.settings.check_files(path)
            self._kind = detector_class(self.settings.method)
            self._options = options_of(self.settings.method, self.settings.options, streaming=False)
        except BaseException:
            self.close()
            raise

    def detector(self, site: str) -> Detector | None:
        """Return a site's detector as it was saved; None if the file does not have the site.

        Raises
        ------
        UserError
            The site's state is damaged, or of another version of the method.
        """
        with self._reading():
            where = "FROM sites WHERE name = ?", (site_key(site),)
            size = self._one(f"SELECT length(state) {where[0]}", where[1])
            if size is None:
                return None
            if not isinstance(size, int) or size > self._size:
                raise StateError(f"the state of site {site} has length {size}")
            row = SiteRow(*self._file.execute(f"SELECT * {where[0]}", where[1]).fetchone())
            self._check_row(row)
            if self._kind.options_class(**options_in(row.state)) != self._options:
                raise StateError(f"site {site} was learnt with other options")
            detector = self._kind.from_bytes(row.state)
            if detector.pages != row.pages:
                raise StateError(f"the state of site {site} is of {detector.pages} pages, not of {row.pages}")
        return detector

    def pages(self, site: str) -> int:
        """Return the number of pages that a site has learnt; 0 if the file does not have it."""
        with self._reading():
            return int(self._one("SELECT pages FROM sites WHERE name = ?", (site_key(site),)) or 0)

    def rows(self) -> Iterator[SiteRow]:
        """Read all sites, one after another; raises UserError at one that is damaged."""
        with self._reading():
            for values in self._file.execute("SELECT * FROM sites"):
                row = SiteRow(*values)
                self._check_row(row)
                yield row

    def reopened(self) -> StateFile:
        """Open the file once more, for another process that was forked; nothing is checked again."""
        again = object.__new__(StateFile)
        again.__dict__.update(self.__dict__)
        with self._reading():
            again._file = sqlite3.connect(_uri(self._path), uri=True, isolation_level=None)
        return again

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __getstate__(self) -> tuple[str, str]:
        """Return what finds the file again, and its content's hash."""
        return str(Path(self._path).resolve()), self._hash

    def __setstate__(self, state: tuple[str, str]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        if self._hash != state[1]:
            self.close()
            raise UserError(f"{self._path} has changed since the cleaner that reads it was pickled")

    def _check_kind(self) -> None:
        """Raise UserError if this is no state file, or one that this version cannot read."""
        with self._reading():
            try:
                self._file.execute("PRAGMA trusted_schema = OFF")
                kind, version = (self._one(f"PRAGMA {name}") for name in ("application_id", "user_version"))
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                    raise
                kind = version = None
            if kind != APPLICATION:
                raise UserError(f"{self._path} is no state file of detemplate; name another file")
            if version != FORMAT:
                raise UserError(
                    f"{self._path} has format {version}, and this version of detemplate reads format "
                    f"{FORMAT}: use the version that wrote it, or begin a new state file"
                )
            found = set(self._file.execute("SELECT type, name, sql FROM sqlite_schema"))
            if found != {("table", name, sql) for name, sql in SCHEMA.items()}:
                raise StateError("it has other tables than a state file")

    def _meta(self) -> dict[str, Any]:
        if self._one("SELECT total(length(value)) FROM meta") > _MOST_META:
            raise StateError("its table meta is too long")
        meta = dict(self._file.execute("SELECT key, value FROM meta"))
        if meta.pop("hash", None) != meta_hash(meta):
            raise StateError("its settings do not match their hash")
        return {key: json.loads(value) for key, value in meta.items()}

    def _digest(self) -> tuple[int, str]:
        """Count the sites and return their digest; no state is read."""
        digest = count = 0
        for values in self._file.execute("SELECT name, pages, learnt, hash FROM sites"):
            digest ^= hash_of(*values)
            count += 1
        return count, hex_of(digest)

    def _one(self, query: str, values: tuple[object, ...] = ()) -> Any:  # noqa: ANN401
        """Return the first value of a query's first row; None if there is no row."""
        row = self._file.execute(query, values).fetchone()
        return row[0] if row is not None else None

    def _check_row(self, row: SiteRow) -> None:
        if not isinstance(row.state, bytes) or not isinstance(row.pages, int) or not row.sound:
            raise StateError(f"site {site_name(row.name)} does not match its hash")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn all that reading a damaged file can raise into a UserError."""
        try:
            yield
        except UserError:
            raise
        except (sqlite3.Error, StateError, *DAMAGE) as error:
            raise UserError(
                f"{self._path} cannot be used: {error}; put a copy of it back, or begin a new state file"
            ) from error


def _uri(path: str) -> str:
    """Return SQLite's name for a file that it takes no locks of, and whose journal it does not look at."""
    return f"{Path(path).resolve().as_uri()}?mode=ro&immutable=1"


def _size(path: str) -> int:
    """Return the size of a file in bytes; raises UserError if it is none."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UserError(f"cannot read the state file {path}: {error.strerror}; check the path") from error
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path} is no state file of detemplate; name another file")
    return status.st_size
