"""Files of format 1, which were rewritten whole at the end of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.detectors.state import StateError
from detemplate.sites.contents import Contents
from detemplate.sites.settings import Settings
from detemplate.sites.storecheck import read_meta, size_of
from detemplate.sites.storetables import SCHEMA, SiteRow, hash_of, hex_of, site_name

if TYPE_CHECKING:
    import sqlite3

_SCHEMA: Final = {
    "meta": SCHEMA["meta"],
    "sites": (
        "CREATE TABLE sites (name PRIMARY KEY, pages INTEGER NOT NULL, learnt TEXT NOT NULL, "
        "hash INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID"
    ),
}
"""The tables of format 1."""


def upgrade(file: sqlite3.Connection) -> None:
    """Turn the tables of format 1 into those of the present format, in the connection's transaction.

    Of a site, format 1 knows only when it last learnt; that is then also when it first learnt.

    Raises
    ------
    StateError
        The tables do not match their hashes.
    """
    found = set(file.execute("SELECT type, name, sql FROM sqlite_schema"))
    if found != {("table", name, sql) for name, sql in _SCHEMA.items()}:
        raise StateError("it has other tables than a state file")
    (longest,) = file.execute("SELECT max(length(state)) FROM sites").fetchone()
    if longest is not None and longest > size_of(file):
        raise StateError(f"a site's state has length {longest}")
    meta = read_meta(file)
    settings = Settings.from_values(meta)
    file.execute("DROP TABLE meta")
    file.execute("ALTER TABLE sites RENAME TO old_sites")
    contents = Contents.made(file)
    digest = 0
    for name, pages, learnt, hashed, state in file.execute("SELECT * FROM old_sites"):
        digest ^= hash_of(name, pages, learnt, hashed)
        if not isinstance(state, bytes) or hash_of(name, pages, learnt, state) != hashed:
            raise StateError(f"site {site_name(name)} does not match its hash")
        contents.put(SiteRow.of(name, pages, state, first=learnt, last=learnt), state)
    if hex_of(digest) != meta.get("digest"):
        raise StateError("its sites do not match their digest")
    file.execute("DROP TABLE old_sites")
    contents.finish(settings)
