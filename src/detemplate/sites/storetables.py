"""The tables of a store: what sites have taught, kept between runs.

A store is an SQLite file. ``sites`` has a row for each site that has learnt a page, ``states`` what its
detector has learnt (compressed), and ``histories`` what was seen of its templates over time.
``meta`` has the settings as JSON values, and a hash of itself. SQLite's application id says that a file is a
store, and its user version which format it has.

Sites are spread over :data:`BUCKETS` buckets. ``meta`` has a digest of each bucket's rows: a row that is lost
or changed is found when its bucket is first read, and opening a store reads no row of a site.

Reading executes nothing: a file that has not exactly these tables is refused, and so is what does not match
its hash.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xxhash
import zstandard

from detemplate.detectors.state import StateError
from detemplate.files.moment import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """A row of the table ``sites``, without its bucket."""

    name: str | bytes
    """The site's name, as of :func:`site_key`."""
    pages: int
    """Number of pages learnt."""
    first: str
    """When a run first learnt a page of the site (UTC, ISO 8601)."""
    last: str
    """When a run last learnt a page of the site."""
    size: int
    """Bytes of the site's state, uncompressed."""
    hash: int
    """64-bit hash of the state, uncompressed."""

    @classmethod
    def of(
        cls, name: str | bytes, pages: int, state: bytes, *, first: str | None = None, last: str | None = None
    ) -> SiteRow:
        """Make the row of a site; by default, of one that has just learnt."""
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


def meta_rows(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the rows of the table ``meta``: the values as JSON, and the hash."""
    meta = {key: json.dumps(value) for key, value in values.items()}
    return {**meta, "hash": meta_hash(meta)}


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
    """Return the state that was stored.

    Raises
    ------
    StateError
        It is damaged, or would unfold to more than is plausible.
    """
    try:
        size = zstandard.frame_content_size(stored)
        if not 0 <= size <= max(_MOST_SIZE, _MOST_TIMES * len(stored)):
            raise StateError(f"a state of {len(stored)} bytes would unfold to {size}")
        return _TOOLS.decompressor.decompress(stored)
    except zstandard.ZstdError as error:
        raise StateError(f"a state cannot be unfolded: {error}") from error
