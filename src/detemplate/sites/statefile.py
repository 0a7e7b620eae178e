"""State files: what sites have taught, kept for later runs.

A state file is an SQLite file with two tables. ``sites`` has a row for each site that has learnt a page: its
``name``, the number of ``pages``, the time when it last ``learnt``, the ``state`` of its detector, and a
``hash`` of all these. ``meta`` has the settings as JSON values, a ``digest`` of the sites, and a ``hash`` of
itself. SQLite's application id says that it is a state file, and its user version which format it has.

Reading executes nothing: a file that has not exactly these tables is refused, and so is what does not match
its hash.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xxhash

from detemplate.detectors.registry import detector_class, options_of
from detemplate.detectors.state import DAMAGE, StateError, options_in
from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.files.moment import utc_now
from detemplate.sites.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from detemplate.detectors.base import Detector

FORMAT: Final = 1
"""Version of the file format."""

_APPLICATION: Final = int.from_bytes(b"dtpl", "big")
"""SQLite's application id of state files."""

_SCHEMA: Final = {
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "sites": (
        "CREATE TABLE sites (name PRIMARY KEY, pages INTEGER NOT NULL, learnt TEXT NOT NULL, "
        "hash INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID"
    ),
}
"""The tables. States come last in their rows, so that sites are listed without reading states."""

_MOST_META: Final = 1 << 20
"""Longest content of the table ``meta``, in characters."""


class SiteRow(NamedTuple):
    """A row of the table ``sites``."""

    name: str | bytes
    """The site's name, as of :func:`site_key`."""
    pages: int
    """Number of pages learnt."""
    learnt: str
    """When the last of them was learnt (UTC, ISO 8601)."""
    hash: int
    """64-bit hash of the other columns."""
    state: bytes
    """What the ``to_bytes`` of the site's detector returned."""

    @classmethod
    def of(cls, name: str | bytes, pages: int, state: bytes) -> SiteRow:
        """Make the row of a site that has just learnt."""
        learnt = utc_now()
        return cls(name, pages, learnt, _hash(name, pages, learnt, state), state)

    @property
    def sound(self) -> bool:
        """Whether the row is as it was written."""
        return self.hash == _hash(self.name, self.pages, self.learnt, self.state)


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
        # Immutable: SQLite takes no locks, and looks at no journal that lies beside the file.
        uri = f"{Path(path).resolve().as_uri()}?mode=ro&immutable=1"
        with self._reading():
            self._file = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            self._check_kind()
            with self._reading():
                meta = self._meta()
                self.settings = Settings.from_values(meta)
                self.sites, digest = self._digest()
                if digest != meta.get("digest"):
                    raise StateError("its sites do not match their digest")
            self._hash = _meta_hash({key: json.dumps(value) for key, value in meta.items()})
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
            if kind != _APPLICATION:
                raise UserError(f"{self._path} is no state file of detemplate; name another file")
            if version != FORMAT:
                raise UserError(
                    f"{self._path} has format {version}, and this version of detemplate reads format "
                    f"{FORMAT}: use the version that wrote it, or begin a new state file"
                )
            found = set(self._file.execute("SELECT type, name, sql FROM sqlite_schema"))
            if found != {("table", name, sql) for name, sql in _SCHEMA.items()}:
                raise StateError("it has other tables than a state file")

    def _meta(self) -> dict[str, Any]:
        if self._one("SELECT total(length(value)) FROM meta") > _MOST_META:
            raise StateError("its table meta is too long")
        meta = dict(self._file.execute("SELECT key, value FROM meta"))
        if meta.pop("hash", None) != _meta_hash(meta):
            raise StateError("its settings do not match their hash")
        return {key: json.loads(value) for key, value in meta.items()}

    def _digest(self) -> tuple[int, str]:
        """Count the sites and return their digest; no state is read."""
        digest = count = 0
        for values in self._file.execute("SELECT name, pages, learnt, hash FROM sites"):
            digest ^= _hash(*values)
            count += 1
        return count, _hex(digest)

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
                for table in _SCHEMA.values():
                    file.execute(table)
                digest = 0
                for row in rows:
                    if file.execute("INSERT OR IGNORE INTO sites VALUES (?, ?, ?, ?, ?)", row).rowcount:
                        digest ^= _hash(*row[:4])
                values = {name: getattr(settings, name) for name in settings.__slots__}
                meta = {key: json.dumps(value) for key, value in {**values, "digest": _hex(digest)}.items()}
                meta["hash"] = _meta_hash(meta)
                file.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
                file.execute("COMMIT")
                file.execute(f"PRAGMA application_id = {_APPLICATION}")
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


def site_key(site: str) -> str | bytes:
    """Return what SQLite can hold of a site's name: the name, or its bytes if it has lone surrogates."""
    try:
        site.encode()
    except UnicodeEncodeError:
        return site.encode("utf-8", "surrogatepass")
    return site


def site_name(key: str | bytes) -> str:
    """Return the name of a site from its key."""
    return key if isinstance(key, str) else key.decode("utf-8", "surrogatepass")


def _hash(*values: object) -> int:
    """Return a signed 64-bit hash of texts, numbers and bytes."""
    hashed = xxhash.xxh3_64()
    for value in values:
        data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "backslashreplace")
        hashed.update(f"{type(value).__name__} {len(data)} ".encode())
        hashed.update(data)
    return hashed.intdigest() - 2**63


def _hex(number: int) -> str:
    return f"{number & (2**64 - 1):016x}"


def _meta_hash(meta: dict[str, str]) -> str:
    return _hex(_hash(*(text for item in sorted(meta.items()) for text in item)))


def _size(path: str) -> int:
    """Return the size of a file in bytes; raises UserError if it is none."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UserError(f"cannot read the state file {path}: {error.strerror}; check the path") from error
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path} is no state file of detemplate; name another file")
    return status.st_size


def _stamp(path: str) -> tuple[int, ...] | None:
    """Return what changes when a file is written anew; None if there is no file."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
