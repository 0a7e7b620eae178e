"""The tables of a store: what sites have taught, kept between runs.

A store is an SQLite file. ``sites`` has a row for each site that has learned a page, ``states`` what its
detector has learned (compressed), and ``histories`` what was seen of its templates over time.
``meta`` has the settings as JSON values, and a hash of itself. SQLite's application id says that a file is a
store, and its user version which format it has.

Sites are spread over :data:`BUCKETS` buckets. ``meta`` has a digest of each bucket's rows: a row that is lost
or changed is found when its bucket is first read, and opening a store reads no row of a site.

Reading executes nothing: a file that has not exactly these tables is refused, and so is what does not match
its hash. It is checked as it is opened and read, and kept in order as it is written.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import threading
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xxhash
import zstandard

from detemplate.detectors.state import DAMAGE, StateError
from detemplate.errors import UserError
from detemplate.files.jsonvalues import utc_now
from detemplate.sites.history import SiteHistory
from detemplate.sites.learner import Settings
from detemplate.sites.naming import site_key, site_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


FORMAT: Final = 4
"""Version of the file format."""


APPLICATION: Final = int.from_bytes(b"dtpl", "big")
"""SQLite's application id of stores."""


BUCKETS: Final = 256
"""Number of buckets."""


SCHEMA: Final = {
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "sites": (
        "CREATE TABLE sites (bucket INTEGER NOT NULL, name NOT NULL, pages INTEGER NOT NULL, "
        "first TEXT NOT NULL, last TEXT NOT NULL, size INTEGER NOT NULL, hash INTEGER NOT NULL, "
        "PRIMARY KEY (bucket, name)) WITHOUT ROWID"
    ),
    "states": (
        "CREATE TABLE states (bucket INTEGER NOT NULL, name NOT NULL, state BLOB NOT NULL, "
        "PRIMARY KEY (bucket, name))"
    ),
    "histories": (
        "CREATE TABLE histories (bucket INTEGER NOT NULL, name NOT NULL, hash INTEGER NOT NULL, "
        "history TEXT NOT NULL, PRIMARY KEY (bucket, name))"
    ),
}
"""The tables. States have a table of their own, so that sites are listed without reading states. The tables
of long rows have row numbers, as SQLite stores long rows best."""


OBJECTS: Final = {
    *(("table", name, sql) for name, sql in SCHEMA.items()),
    *(("index", f"sqlite_autoindex_{name}_1", None) for name in ("states", "histories")),
}
"""Rows of SQLite's schema, of a store: type, name and SQL."""


class SiteRow(NamedTuple):
    """A row of the table ``sites``, without its bucket.

    ``name``, ``pages``: the site's name, as of :func:`~detemplate.sites.naming.site_key`, and number of pages
        learned.
    ``first``, ``last``: when a run first and last learned a page of the site (UTC, ISO 8601).
    ``size``, ``hash``: bytes of the site's state, uncompressed, and their 64-bit hash.
    """

    name: str | bytes
    pages: int
    first: str
    last: str
    size: int
    hash: int

    @classmethod
    def of(
        cls, name: str | bytes, pages: int, state: bytes, *, first: str | None = None, last: str | None = None
    ) -> SiteRow:
        """Make the row of a site; by default, of one that has just learned."""
        now = last or utc_now()
        return cls(name, pages, first or now, now, len(state), hash_of(state))

    @property
    def digest(self) -> int:
        """The row's part in the digest of its bucket, a number below 2⁶⁴."""
        return hash_of(*self) & (2**64 - 1)


def bucket_of(name: str | bytes) -> int:
    """Return the bucket of a site's key."""
    data = name if isinstance(name, bytes) else name.encode()
    return xxhash.xxh3_64_intdigest(data) % BUCKETS


def hash_of(*values: object) -> int:
    """Return a signed 64-bit hash of texts, numbers and bytes."""
    hashed = xxhash.xxh3_64()
    for value in values:
        data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "backslashreplace")
        hashed.update(f"{type(value).__name__} {len(data)} ".encode())
        hashed.update(data)
    return hashed.intdigest() - 2**63


def hex_of(number: int) -> str:
    """Return the 16 digits of a 64-bit number, signed or not."""
    return f"{number & (2**64 - 1):016x}"


def meta_hash(meta: Mapping[str, str]) -> str:
    """Return the hash of the table ``meta``, without that row itself."""
    return hex_of(hash_of(*(text for item in sorted(meta.items()) for text in item)))


_MOST_SIZE: Final = 1 << 26  # bytes to which anything may unfold


_MOST_TIMES: Final = 64  # how many times its length anything longer may have, unfolded


class _Tools(threading.local):
    """What compresses and decompresses, for each thread: to make them takes longer than to use them."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=1)
        self.decompressor = zstandard.ZstdDecompressor()


_TOOLS: Final = _Tools()  # those of the present thread


def packed_state(state: bytes) -> bytes:
    """Compress a state. It is about half as long then: what it holds most are hashes, which do not shrink."""
    return _TOOLS.compressor.compress(state)


def plain_state(stored: bytes) -> bytes:
    """Return the state that was stored; raises StateError if it is damaged, or implausibly long unfolded."""
    try:
        size = zstandard.frame_content_size(stored)
        if not 0 <= size <= max(_MOST_SIZE, _MOST_TIMES * len(stored)):
            raise StateError(f"a state of {len(stored)} bytes would unfold to {size}")
        return _TOOLS.decompressor.decompress(stored)
    except zstandard.ZstdError as error:
        raise StateError(f"a state cannot be unfolded: {error}") from error


_MOST_HISTORY: Final = 1 << 20  # longest history of a site, in characters


_ROW: Final = "SELECT name, pages, first, last, size, hash FROM sites WHERE bucket = ?"  # rows of a bucket


_PLACE: Final = "WHERE bucket = ? AND name = ?"  # finds a site


class Contents:
    """The tables of an open store, at ``path``. Reading raises UserError for what does not match its hash.

    Subclasses open the file (``_file``), and then read the tables or make them.

    ``path``, ``hash``: the file, and what changes with every write of the store.
    ``sites``, ``commits``: number of sites, and number of times that the store was written.
    """

    path: str
    _file: sqlite3.Connection

    def _read_tables(self, *, new: bool) -> None:
        """Begin with the file's tables; make them if it is new."""
        if new:
            for table in SCHEMA.values():
                self._file.execute(table)
            self._file.execute(f"PRAGMA application_id = {APPLICATION}")
            self._file.execute(f"PRAGMA user_version = {FORMAT}")
        elif set(self._file.execute("SELECT type, name, sql FROM sqlite_schema")) != OBJECTS:
            raise StateError("it has other tables than a store")
        meta = {} if new else _read_meta(self._file)
        self._settings = Settings.from_values(meta) if meta else None
        self.sites, self.commits = int(meta.get("sites", 0)), int(meta.get("commits", 0))
        digests = meta.get("digests", "0" * 16 * BUCKETS)
        # For each bucket the digests of its rows, joined by exclusive or.
        self._digests = [int(digests[at : at + 16], 16) for at in range(0, len(digests), 16)]
        if len(self._digests) != BUCKETS:
            raise StateError(f"it has digests of {len(self._digests)} buckets")
        self._checked: set[int] = set()
        self.hash = meta_hash({key: json.dumps(value) for key, value in meta.items()})

    def _guarded(self) -> AbstractContextManager[None]:
        """Turn errors of the file into a UserError that says what to do."""
        return reading(self.path)

    def row(self, site: str | bytes) -> SiteRow | None:
        """Return the row of a site, by its name or key; None if the store does not have it."""
        name = site_key(site) if isinstance(site, str) else site
        with self._guarded():
            bucket = bucket_of(name)
            if bucket not in self._checked:
                self._bucket(bucket)
            values = self._file.execute(f"{_ROW} AND name = ?", (bucket, name)).fetchone()
            return SiteRow(*values) if values else None

    def rows(self) -> Iterator[SiteRow]:
        """Yield all rows; no state is read."""
        with self._guarded():
            for bucket in range(BUCKETS):
                yield from self._bucket(bucket)

    def _bucket(self, bucket: int) -> list[SiteRow]:
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
        site, place = site_name(row.name), (bucket_of(row.name), row.name)
        with self._guarded():
            query = f"SELECT typeof(state), length(state) FROM states {_PLACE}"
            kind, length = self._file.execute(query, place).fetchone() or ("", 0)
            if kind != "blob" or length > _size_of(self._file):
                raise StateError(f"the state of site {site} is not there, or no state")
            (stored,) = self._file.execute(f"SELECT state FROM states {_PLACE}", place).fetchone()
            try:
                state = plain_state(stored)
            except StateError as error:
                raise StateError(f"site {site} does not match its hash: {error}") from error
            if len(state) != row.size or hash_of(state) != row.hash:
                raise StateError(f"site {site} does not match its hash")
            return state

    def history(self, name: str | bytes) -> SiteHistory | None:
        """Return the history of a site, by its key; None if it has none."""
        site, place = site_name(name), (bucket_of(name), name)
        with self._guarded():
            found = self._file.execute(f"SELECT length(history) FROM histories {_PLACE}", place).fetchone()
            if found is None:
                return None
            if not isinstance(found[0], int) or found[0] > _MOST_HISTORY:
                raise StateError(f"the history of site {site} has length {found[0]}")
            query = f"SELECT hash, history FROM histories {_PLACE}"
            hashed, history = self._file.execute(query, place).fetchone()
            if hash_of(name, history) != hashed:
                raise StateError(f"the history of site {site} does not match its hash")
            return SiteHistory.from_json(history)

    def put(self, row: SiteRow, state: bytes, history: SiteHistory | None = None) -> None:
        """Write a site. One that is there is replaced; its history stays if none is given."""
        with self._guarded():
            old = self.row(row.name)
            if old is not None:
                row = row._replace(first=min(old.first, row.first))
                self._count(old, -1)
            place = (bucket_of(row.name), row.name)
            self._file.execute("REPLACE INTO sites VALUES (?, ?, ?, ?, ?, ?, ?)", (place[0], *row))
            self._file.execute("REPLACE INTO states VALUES (?, ?, ?)", (*place, packed_state(state)))
            self._count(row, 1)
        if history is not None:
            self.put_history(row.name, history)

    def put_history(self, name: str | bytes, history: SiteHistory) -> None:
        """Write the history of a site, by its key."""
        text = history.to_json()
        row = (bucket_of(name), name, hash_of(name, text), text)
        with self._guarded():
            self._file.execute("REPLACE INTO histories VALUES (?, ?, ?, ?)", row)

    def remove(self, row: SiteRow) -> None:
        """Remove a site; what the file held of it is overwritten."""
        with self._guarded():
            self._file.execute("PRAGMA secure_delete = ON")
            for table in ("sites", "states", "histories"):
                self._file.execute(f"DELETE FROM {table} {_PLACE}", (bucket_of(row.name), row.name))
            self._count(row, -1)

    def clear(self) -> None:
        """Remove all sites."""
        with self._guarded():
            for table in ("sites", "states", "histories"):
                self._file.execute(f"DELETE FROM {table}")
        self.sites, self._digests = 0, [0] * BUCKETS

    def finish(self, settings: Settings) -> None:
        """Write the settings and the digests, after all sites."""
        values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
        self.commits += 1
        values |= {"sites": self.sites, "commits": self.commits}
        values["digests"] = "".join(map(hex_of, self._digests))
        meta = {key: json.dumps(value) for key, value in values.items()}
        self.hash = meta_hash(meta)
        with self._guarded():
            self._file.execute("DELETE FROM meta")
            self._file.executemany("INSERT INTO meta VALUES (?, ?)", [*meta.items(), ("hash", self.hash)])

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
    """Tell whether an open file is a store; False if it is empty. Raises UserError for other files."""
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
