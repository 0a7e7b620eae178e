"""Stores as versions before wrote them."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from detemplate.sites.storetables import hash_of

if TYPE_CHECKING:
    from pathlib import Path


def without_counts(store: Path) -> None:
    """Make a store one of format 2: its histories have no counts of pages."""
    with sqlite3.connect(store) as file:
        for name, text in file.execute("SELECT name, history FROM histories").fetchall():
            values = json.loads(text)
            del values["counts"]
            history = json.dumps(values, separators=(",", ":"))
            row = (hash_of(name, history), history, name)
            file.execute("UPDATE histories SET hash = ?, history = ? WHERE name = ?", row)
        file.execute("PRAGMA user_version = 2")
    file.close()
