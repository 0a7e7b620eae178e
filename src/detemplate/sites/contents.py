"""What an open store holds, checked as it is opened and read, and kept in order as it is written."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.detectors.state import DAMAGE, StateError
from detemplate.errors import UserError
from detemplate.sites.history import SiteHistory
from detemplate.sites.settings import Settings
from detemplate.sites.storetables import (
    APPLICATION,
    BUCKETS,
    FORMAT,
    OBJECTS,
    SCHEMA,
    SiteRow,
    bucket_of,
    hash_of,
    hex_of,
    meta_hash,
    meta_rows,
    packed_state,
    plain_state,
    site_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_HISTORY: Final = 1 << 20  # longest history of a site, in characters

_ROW: Final = "SELECT name, pages, first, last, size, hash FROM sites WHERE bucket = ?"
"""Reads rows of a bucket."""

_PLACE: Final = "WHERE bucket = ? AND name = ?"  # finds a site


class Contents:
    """The tables of an open store. Methods that read raise StateError for what does not match its hash.

    Parameters
    ----------
    file
        The connection.
    meta
        Values of the table ``meta``; None of a store that is new.

    Attributes
    ----------
    settings : Settings or None
        What the sites were learnt with; None of a store that is new.
    sites : int
        Number of sites.
    commits : int
        Number of times that the store was written.
    hash : str
        Changes with every write of the store.
    """

    def __init__(self, file: sqlite3.Connection, meta: dict[str, Any] | None) -> None:
        self._file = file
        self.settings = Settings.from_values(meta) if meta else None
        self.sites, self.commits = (int(meta["sites"]), int(meta["commits"])) if meta else (0, 0)
        digests = meta["digests"] if meta else "0" * 16 * BUCKETS
        # For each bucket the digests of its rows, joined by exclusive or.
        self._digests = [int(digests[at : at + 16], 16) for at in range(0, len(digests), 16)]
        if len(self._digests) != BUCKETS:
            raise StateError(f"it has digests of {len(self._digests)} buckets")
        self._checked: set[int] = set()
        self.hash = meta_hash({key: json.dumps(value) for key, value in (meta or {}).items()})

    @classmethod
    def made(cls, file: sqlite3.Connection) -> Self:
        """Make the tables of a new store."""
        for table in SCHEMA.values():
            file.execute(table)
        file.execute(f"PRAGMA application_id = {APPLICATION}")
        file.execute(f"PRAGMA user_version = {FORMAT}")
        return cls(file, None)

    @classmethod
    def opened(cls, file: sqlite3.Connection) -> Self:
        """Open the tables of a store of the present format."""
        found = set(file.execute("SELECT type, name, sql FROM sqlite_schema"))
        if found != OBJECTS:
            raise StateError("it has other tables than a store")
        return cls(file, _read_meta(file))

    def row(self, name: str | bytes) -> SiteRow | None:
        """Return a site's row; None if the store does not have the site."""
        bucket = bucket_of(name)
        if bucket not in self._checked:
            self._bucket(bucket)
        values = self._file.execute(f"{_ROW} AND name = ?", (bucket, name)).fetchone()
        return SiteRow(*values) if values else None

    def rows(self) -> Iterator[SiteRow]:
        """Give all rows; no state is read."""
        for bucket in range(BUCKETS):
            yield from self._bucket(bucket)

    def _bucket(self, bucket: int) -> list[SiteRow]:
        """Return the rows of a bucket."""
        rows = [SiteRow(*values) for values in self._file.execute(_ROW, (bucket,))]
        digest = 0
        for row in rows:
            digest ^= row.digest
        if digest != self._digests[bucket]:
            raise StateError("its sites do not match their digest")
        self._checked.add(bucket)
        return rows

    def state(self, row: SiteRow) -> bytes:
        """Return the state of a site."""
        place = (bucket_of(row.name), row.name)
        found = self._file.execute(f"SELECT typeof(state), length(state) FROM states {_PLACE}", place)
        kind, length = found.fetchone() or ("", 0)
        if kind != "blob" or length > _size_of(self._file):
            raise StateError(f"the state of site {site_name(row.name)} is not there, or no state")
        (stored,) = self._file.execute(f"SELECT state FROM states {_PLACE}", place).fetchone()
        try:
            state = plain_state(stored)
        except StateError as error:
            raise StateError(f"site {site_name(row.name)} does not match its hash: {error}") from error
        if len(state) != row.size or hash_of(state) != row.hash:
            raise StateError(f"site {site_name(row.name)} does not match its hash")
        return state

    def history(self, name: str | bytes) -> SiteHistory | None:
        """Return the history of a site; None if it has none."""
        place = (bucket_of(name), name)
        found = self._file.execute(f"SELECT length(history) FROM histories {_PLACE}", place).fetchone()
        if found is None:
            return None
        if not isinstance(found[0], int) or found[0] > _MOST_HISTORY:
            raise StateError(f"the history of site {site_name(name)} has length {found[0]}")
        query = f"SELECT hash, history FROM histories {_PLACE}"
        hashed, history = self._file.execute(query, place).fetchone()
        if hash_of(name, history) != hashed:
            raise StateError(f"the history of site {site_name(name)} does not match its hash")
        return SiteHistory.from_json(history)

    def put(self, row: SiteRow, state: bytes) -> None:
        """Write a site. One that is there is replaced; the earlier time stays when it first learnt."""
        old = self.row(row.name)
        if old is not None:
            row = row._replace(first=min(old.first, row.first))
            self._count(old, -1)
        place = (bucket_of(row.name), row.name)
        self._file.execute("REPLACE INTO sites VALUES (?, ?, ?, ?, ?, ?, ?)", (place[0], *row))
        self._file.execute("REPLACE INTO states VALUES (?, ?, ?)", (*place, packed_state(state)))
        self._count(row, 1)

    def put_history(self, name: str | bytes, history: SiteHistory) -> None:
        """Write the history of a site."""
        text = history.to_json()
        row = (bucket_of(name), name, hash_of(name, text), text)
        self._file.execute("REPLACE INTO histories VALUES (?, ?, ?, ?)", row)

    def remove(self, row: SiteRow) -> None:
        """Remove a site."""
        for table in ("sites", "states", "histories"):
            self._file.execute(f"DELETE FROM {table} {_PLACE}", (bucket_of(row.name), row.name))
        self._count(row, -1)

    def clear(self) -> None:
        """Remove all sites."""
        for table in ("sites", "states", "histories"):
            self._file.execute(f"DELETE FROM {table}")
        self.sites, self._digests = 0, [0] * BUCKETS

    def finish(self, settings: Settings) -> None:
        """Write the settings and the digests, after all sites."""
        values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
        self.commits += 1
        values |= {"sites": self.sites, "commits": self.commits}
        values["digests"] = "".join(map(hex_of, self._digests))
        rows = meta_rows(values)
        self.hash = rows["hash"]
        self._file.execute("DELETE FROM meta")
        self._file.executemany("INSERT INTO meta VALUES (?, ?)", rows.items())

    def _count(self, row: SiteRow, sign: int) -> None:
        """Add a row to the digest of its bucket, or take it out."""
        self._digests[bucket_of(row.name)] ^= row.digest
        self.sites += sign


_LEAST: Final = 512  # bytes of the smallest SQLite file
_MOST_META: Final = 1 << 20  # longest content of the table ``meta``, in characters


def _size_of(file: sqlite3.Connection) -> int:
    """Return the bytes of all pages of a file. Nothing in it is longer, whatever it says of itself."""
    pages, size = (file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(size)


def _read_meta(file: sqlite3.Connection) -> dict[str, Any]:
    """Return the values of the table ``meta``; raises StateError if they do not match their hash."""
    if file.execute("SELECT total(length(value)) FROM meta").fetchone()[0] > _MOST_META:
        raise StateError("its table meta is too long")
    meta = dict(file.execute("SELECT key, value FROM meta"))
    if meta.pop("hash", None) != meta_hash(meta):
        raise StateError("its settings do not match their hash")
    return {key: json.loads(value) for key, value in meta.items()}


def is_made(file: sqlite3.Connection, path: str) -> bool:
    """Tell whether an open file is a store; False if it is empty.

    Raises
    ------
    UserError
        It is no store, or of another format.
    """
    if 0 < Path(path).stat().st_size < _LEAST:  # SQLite would take it for empty
        raise UserError(f"{path} is no store of detemplate; name another file")
    try:
        file.execute("PRAGMA trusted_schema = OFF")
        kind, version = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if (kind, version) == (0, 0) and not file.execute("SELECT * FROM sqlite_schema LIMIT 1").fetchone():
            return False
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        kind = version = None
    if kind != APPLICATION:
        raise UserError(f"{path} is no store of detemplate; name another file")
    if version != FORMAT:
        raise UserError(
            f"{path} has format {version}, and this version of detemplate reads format {FORMAT}: use the "
            "version that wrote it, or begin a new store"
        )
    return True


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn all that reading a damaged store can raise into a UserError."""
    try:
        yield
    except UserError:
        raise
    except (sqlite3.Error, StateError, *DAMAGE) as error:
        raise UserError(
            f"{path} cannot be used: {error}; put a copy of it back, or begin a new store"
        ) from error
