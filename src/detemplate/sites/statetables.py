"""The tables of state files: what sites have taught, kept for later runs.

A state file is an SQLite file with two tables. ``sites`` has a row for each site that has learnt a page: its
``name``, the number of ``pages``, the time when it last ``learnt``, the ``state`` of its detector, and a
``hash`` of all these. ``meta`` has the settings as JSON values, a ``digest`` of the sites, and a ``hash`` of
itself. SQLite's application id says that it is a state file, and its user version which format it has.

Reading executes nothing: a file that has not exactly these tables is refused, and so is what does not match
its hash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import xxhash

from detemplate.files.moment import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = 1
"""Version of the file format."""

APPLICATION: Final = int.from_bytes(b"dtpl", "big")
"""SQLite's application id of state files."""

SCHEMA: Final = {
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "sites": (
        "CREATE TABLE sites (name PRIMARY KEY, pages INTEGER NOT NULL, learnt TEXT NOT NULL, "
        "hash INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID"
    ),
}
"""The tables. States come last in their rows, so that sites are listed without reading states."""


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
        return cls(name, pages, learnt, hash_of(name, pages, learnt, state), state)

    @property
    def sound(self) -> bool:
        """Whether the row is as it was written."""
        return self.hash == hash_of(self.name, self.pages, self.learnt, self.state)


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
