"""What is checked of any store: that it is one, of a known format, and matches its hash."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.state import DAMAGE, StateError
from detemplate.errors import UserError
from detemplate.sites.storetables import APPLICATION, FORMAT, meta_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST: Final = 512
"""Bytes of the smallest SQLite file."""

_MOST_META: Final = 1 << 20
"""Longest content of the table ``meta``, in characters."""


def size_of(file: sqlite3.Connection) -> int:
    """Return the bytes of all pages of a file. Nothing in it is longer, whatever it says of itself."""
    pages, size = (file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(size)


def read_meta(file: sqlite3.Connection) -> dict[str, Any]:
    """Return the values of the table ``meta``; raises StateError if they do not match their hash."""
    if file.execute("SELECT total(length(value)) FROM meta").fetchone()[0] > _MOST_META:
        raise StateError("its table meta is too long")
    meta = dict(file.execute("SELECT key, value FROM meta"))
    if meta.pop("hash", None) != meta_hash(meta):
        raise StateError("its settings do not match their hash")
    return {key: json.loads(value) for key, value in meta.items()}


def kind_of(file: sqlite3.Connection, path: str) -> int:
    """Return the format of an open store, or 0 of an empty file.

    Raises
    ------
    UserError
        It is no store, or of a format that this version cannot read.
    """
    if 0 < Path(path).stat().st_size < _LEAST:  # SQLite would take it for empty
        raise UserError(f"{path} is no store of detemplate; name another file")
    try:
        file.execute("PRAGMA trusted_schema = OFF")
        kind, version = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if (kind, version) == (0, 0) and not file.execute("SELECT * FROM sqlite_schema LIMIT 1").fetchone():
            return 0
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        kind = version = None
    if kind != APPLICATION:
        raise UserError(f"{path} is no store of detemplate; name another file")
    if not 1 <= version <= FORMAT:
        raise UserError(
            f"{path} has format {version}, and this version of detemplate reads formats 1 to {FORMAT}: use "
            "the version that wrote it, or begin a new store"
        )
    return int(version)


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
