"""The SQLite file of a checkpoint: how far the run is, bytes of other files that count, states of sites."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.errors import UserError
from detemplate.run.position import Position
from detemplate.run.seenurls import SECRET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from detemplate.run.claim import Claim

    State = tuple[str | bytes, int, bytes]
    """Name, pages and state of a site."""

_NAME: Final = "run.db"
"""Name of the file."""

NAMES: Final = (_NAME, f"{_NAME}-wal", f"{_NAME}-shm")
"""Names of the file and of those that SQLite puts beside it."""

_APPLICATION: Final = int.from_bytes(b"dtpc", "big")
"""SQLite's application id of checkpoints."""

_FORMAT: Final = 6
"""Version of the checkpoint's format, that of its other files included."""

_LOG_PAGES: Final = 1 << 14
"""Pages of SQLite's own log, 64 MiB, after which they are copied into the file: states that are saved again
and again are copied once."""

_TABLES: Final = (
    "CREATE TABLE run "
    "(identity TEXT NOT NULL, secret BLOB NOT NULL, replaced BLOB, pass TEXT NOT NULL, "
    "items INTEGER NOT NULL, pages INTEGER NOT NULL, place TEXT NOT NULL, lost TEXT NOT NULL, "
    "urls INTEGER NOT NULL, outcomes INTEGER NOT NULL, learnt INTEGER NOT NULL)",
    "CREATE TABLE site (name PRIMARY KEY, pages INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID",
)
"""The tables of the file."""


class Sizes(NamedTuple):
    """Bytes of the checkpoint's other files that count.

    Attributes
    ----------
    urls, outcomes, learnt
        Of the URLs that were seen, of the outcomes, and of the queries.
    """

    urls: int = 0
    outcomes: int = 0
    learnt: int = 0


class RunFile:
    """The SQLite file of a checkpoint, open for one run.

    Parameters
    ----------
    claim
        The checkpoint's directory.
    identity
        What the run is, as :func:`~detemplate.run.claim.identity_of` gives it.

    Attributes
    ----------
    path : Path
        The file.
    position : Position or None
        How far the run had come when the file was opened; None for a run that begins.
    sizes : Sizes
        Of the other files at that time.
    secret : bytes
        What the hashes of URLs are keyed with.
    states : float
        Bytes of all saved states.

    Raises
    ------
    sqlite3.Error, OSError, ValueError
        It cannot be used.
    UserError
        It is of another run or of another version.
    """

    def __init__(self, claim: Claim, identity: Mapping[str, object]) -> None:
        self.path: Path = claim.path / _NAME
        self.position: Position | None = None
        self.sizes = Sizes()
        self.secret = SECRET
        self.states = 0.0
        self._replaced: bytes | None = None
        self._file = sqlite3.connect(str(self.path), isolation_level=None)
        try:
            if self._is_new():
                self._open(new=True)
                run = (json.dumps(identity), self.secret)
                self._file.execute(
                    "INSERT INTO run VALUES (?, ?, NULL, '', 0, 0, 'null', '[]', 0, 0, 0)", run
                )
            else:
                row = self._file.execute("SELECT * FROM run").fetchone()
                saved, self.secret, self._replaced, *position = row[:-3]
                claim.check(json.loads(saved), identity)
                self.position, self.sizes = Position.of(*position), Sizes(*row[-3:])
                self._measure()
                self._open(new=False)
        except BaseException:
            self._file.close()
            raise

    def _is_new(self) -> bool:
        """Tell whether the file is empty; raises UserError if it is no checkpoint of this version."""
        kind, version = (
            self._file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if kind == _APPLICATION and version == _FORMAT:
            return False
        if kind or self._file.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise UserError(
                f"{self.path} is no checkpoint that this version of detemplate can go on with; remove "
                f"{self.path.parent} to begin again"
            )
        return True

    def _open(self, *, new: bool) -> None:
        """Begin a transaction; make the tables of a new file."""
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", f"wal_autocheckpoint = {_LOG_PAGES}"):
            self._file.execute(f"PRAGMA {setting}")
        self._file.execute("BEGIN IMMEDIATE")
        if new:
            for table in _TABLES:
                self._file.execute(table)
            self._file.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._file.execute(f"PRAGMA user_version = {_FORMAT}")

    def _measure(self) -> None:
        self.states = self._file.execute("SELECT total(length(state)) FROM site").fetchone()[0]

    @property
    def replaced(self) -> bytes | None:
        """Which records of the input are replaced by later versions; None if that is not known."""
        return self._replaced

    @replaced.setter
    def replaced(self, replaced: bytes) -> None:
        self._replaced = replaced
        self._file.execute("UPDATE run SET replaced = ?", (replaced,))
        self._commit()

    def save(self, position: Position, sizes: Sizes, states: Iterable[State] | None) -> None:
        """Save how far the run has come, and states of sites if there are any; all in one transaction."""
        if states is not None:
            self._file.executemany("INSERT OR REPLACE INTO site VALUES (?, ?, ?)", states)
            self._measure()
        self._file.execute(
            "UPDATE run SET pass = ?, items = ?, pages = ?, place = ?, lost = ?, urls = ?, outcomes = ?, "
            "learnt = ?",
            (*position.columns(), *sizes),
        )
        self._commit()

    def state(self, name: str | bytes) -> bytes | None:
        """Return the saved state of a site; None for a site that has learnt nothing."""
        row = self._file.execute("SELECT state FROM site WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def sites(self) -> Iterator[State]:
        """Give name, pages and state of all saved sites."""
        yield from self._file.execute("SELECT name, pages, state FROM site")

    def close(self) -> None:
        """Close the file; what was not saved is lost."""
        self._file.close()

    def drop(self) -> None:
        """Close the file, which is not needed again: what SQLite does then need not reach the disk."""
        with suppress(sqlite3.Error):
            self._file.execute("ROLLBACK")
            self._file.execute("PRAGMA synchronous = OFF")
        self._file.close()

    def _commit(self) -> None:
        self._file.execute("COMMIT")
        self._file.execute("BEGIN IMMEDIATE")
