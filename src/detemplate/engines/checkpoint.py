"""Checkpoints: what a run has done so far, so that the same command goes on after the run was killed.

A checkpoint is a directory with a journal, to which the outcomes of the pages that were cleaned are appended,
files with the hashes of the URLs that were seen, and an SQLite file. One transaction joins the place of the
input's next item, the states of the sites that have learnt since the last one, and the parts of the other
files that count. A run that goes on begins to read its input at that place, and writes the outcomes again:
its output is that of a run that was never killed.
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any, Final

from detemplate.engines.appended import AppendedFile
from detemplate.engines.claim import Claim, identity_of
from detemplate.engines.closing import CLOSING, ClosingNote
from detemplate.engines.journal import Journal
from detemplate.engines.position import CLEANING, LEARNING, Position
from detemplate.engines.seenurls import DIGEST, SECRET, SEEN_URLS, UrlLog
from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager


SECONDS: Final = 15.0
"""Least time between two checkpoints, in seconds."""

_SHARE: Final = 1 / 40
"""Share of the time that checkpoints may take before they are made less often."""

_MOST_TIMES: Final = 5 / 3
"""How many times :data:`SECONDS` may pass between two checkpoints: 25 seconds, as a run that is killed is to
repeat less than 30."""

_APPLICATION: Final = int.from_bytes(b"dtpc", "big")
"""SQLite's application id of checkpoints."""

_FORMAT: Final = 3
"""Version of the file format."""

_JOURNAL: Final = "outcomes"
"""Name of the journal."""

_URLS: Final = {LEARNING: "urls-learning", CLEANING: "urls-cleaning"}
"""Names of the files with the hashes of the URLs that each pass has seen."""

_LOG_PAGES: Final = 1 << 14
"""Pages of SQLite's own log, 64 MiB, after which they are copied into the file: states that are saved again
and again are copied once."""

_TABLES: Final = (
    "CREATE TABLE run "
    "(identity TEXT NOT NULL, secret BLOB NOT NULL, replaced BLOB, pass TEXT NOT NULL, "
    "items INTEGER NOT NULL, pages INTEGER NOT NULL, place TEXT NOT NULL, lost TEXT NOT NULL, "
    "urls INTEGER NOT NULL, journal INTEGER NOT NULL)",
    "CREATE TABLE site (name PRIMARY KEY, pages INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID",
)
"""The tables of the file."""


class Checkpoint:
    """The checkpoint of a run.

    A context manager: its end closes the files. They stay, unless :meth:`finish` was called.

    Parameters
    ----------
    directory
        The directory. It is made if it does not exist.
    identity
        What the run is: values for JSON that must be equal when it goes on.
    seconds
        Least time between two checkpoints. It may be :data:`_MOST_TIMES` as long where they take long.

    Attributes
    ----------
    path : str
        The SQLite file.
    position : Position or None
        How far the run had come; None for a run that begins.

    Raises
    ------
    UserError
        The directory belongs to another run, is in use, or cannot be written.
    """

    def __init__(self, directory: str, identity: Mapping[str, object], seconds: float = SECONDS) -> None:
        self._identity = identity_of(identity)
        self._seconds = seconds
        self._wait = seconds
        self._saved = time.monotonic()
        self.position: Position | None = None
        self._secret = SECRET
        self._replaced: bytes | None = None
        self._urls: AppendedFile | None = None
        self._urls_size = 0
        self._claim = Claim(directory, "run")
        self.path = str(self._claim.path / "run.db")
        with ExitStack() as undo:
            undo.callback(self._claim.release)
            with self._writing():
                self._file = undo.enter_context(closing(sqlite3.connect(self.path, isolation_level=None)))
                self._journal = Journal(str(self._claim.path / _JOURNAL), self._open())
            undo.pop_all()

    def _open(self) -> int:
        """Open the SQLite file; return the bytes of the journal that count."""
        file, journal = self._file, 0
        kind, version = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if kind == _APPLICATION and version == _FORMAT:
            row = file.execute("SELECT * FROM run").fetchone()
            identity, self._secret, self._replaced, *position, self._urls_size, journal = row
            self._claim.check(json.loads(identity), self._identity)
            self.position = Position.of(*position)
        elif kind or file.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise UserError(
                f"{self.path} is no checkpoint that this version of detemplate can go on with; remove "
                f"{self._claim.path} to begin again"
            )
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        file.execute("BEGIN IMMEDIATE")
        if self.position is None:
            for table in _TABLES:
                file.execute(table)
            run = (json.dumps(self._identity), self._secret)
            file.execute("INSERT INTO run VALUES (?, ?, NULL, '', 0, 0, 'null', '[]', 0, 0)", run)
            file.execute(f"PRAGMA application_id = {_APPLICATION}")
            file.execute(f"PRAGMA user_version = {_FORMAT}")
        return int(journal)

    @property
    def due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return time.monotonic() - self._saved >= self._wait

    def urls(self, stage: str) -> UrlLog:
        """Return the URLs that a pass has seen up to :attr:`position`; it adds those that it sees."""
        size = self._urls_size if self.position is not None and self.position.stage == stage else 0
        with self._writing():
            if self._urls is not None:
                self._urls.close()
            urls = self._urls = AppendedFile(str(self._claim.path / _URLS[stage]), size)
            last = DIGEST * SEEN_URLS  # what came before these has been forgotten already
            return UrlLog(self._secret, urls.read(max(0, size - last), last), urls.add)

    @property
    def replaced(self) -> bytes | None:
        """Which records of the input are replaced by later versions; None if that is not known."""
        return self._replaced

    @replaced.setter
    def replaced(self, replaced: bytes) -> None:
        self._replaced = replaced
        with self._writing():
            self._file.execute("UPDATE run SET replaced = ?", (replaced,))
            self._commit()

    def add(self, item: object, outcome: object) -> None:
        """Keep the outcome of an item; it counts from the next :meth:`save` on."""
        with self._writing():
            self._journal.add(item, outcome)

    def prepare(self) -> None:
        """Bring to disk what is kept so far: :meth:`save`, for which workers wait, has less to do then."""
        with self._writing():
            self._journal.sync()
            if self._urls is not None:
                self._urls.sync()

    def save(self, position: Position, sites: Iterable[tuple[str | bytes, int, bytes]] = ()) -> None:
        """Save what is done; a run that is killed later goes on from here.

        Parameters
        ----------
        position
            How far the run has come.
        sites
            Name, pages and state of each site that has learnt since the last checkpoint.

        Raises
        ------
        UserError
            It cannot be written.
        """
        start = time.monotonic()
        with self._writing():
            journal = self._journal.sync()
            urls = self._urls.sync() if self._urls is not None else 0
            self._file.executemany("INSERT OR REPLACE INTO site VALUES (?, ?, ?)", sites)
            self._file.execute(
                "UPDATE run SET pass = ?, items = ?, pages = ?, place = ?, lost = ?, urls = ?, journal = ?",
                (*position.columns(), urls, journal),
            )
            self._commit()
        self._saved = time.monotonic()
        wanted = (self._saved - start) / _SHARE
        self._wait = max(self._seconds, min(wanted, _MOST_TIMES * self._seconds))

    def outcomes(self) -> Iterator[tuple[Any, Any]]:
        """Give all items with their outcomes, in order, as they were saved."""
        with self._writing():
            yield from self._journal.outcomes()

    def state(self, name: str | bytes) -> bytes | None:
        """Return the saved state of a site; None for a site that has learnt nothing."""
        with self._writing():
            row = self._file.execute("SELECT state FROM site WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def sites(self) -> Iterator[tuple[str | bytes, int, bytes]]:
        """Give name, pages and state of all saved sites."""
        with self._writing():
            yield from self._file.execute("SELECT name, pages, state FROM site")

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None = None) -> None:
        """Note that all pages are done: :meth:`~detemplate.engines.closing.ClosingNote.write`."""
        with self._writing():
            ClosingNote(self._claim.path).write(summary, generation)

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a run that was killed when it had written all; else None.

        Raises
        ------
        UserError
            As of :meth:`~detemplate.engines.closing.ClosingNote.done`.
        """
        with self._writing():
            return ClosingNote(self._claim.path).done(store)

    def finish(self) -> None:
        """Remove the checkpoint: the run is done."""
        self._close_logs()
        # What SQLite does when it closes its file need not reach the disk.
        with suppress(sqlite3.Error):
            self._file.execute("ROLLBACK")
            self._file.execute("PRAGMA synchronous = OFF")
        self._file.close()
        self._claim.remove(("run.db", "run.db-wal", "run.db-shm", _JOURNAL, *_URLS.values(), CLOSING))

    def close(self) -> None:
        """Close the files; what was not saved is lost."""
        self._close_logs()
        self._file.close()
        self._claim.release()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close_logs(self) -> None:
        self._journal.close()
        if self._urls is not None:
            self._urls.close()

    def _commit(self) -> None:
        self._file.execute("COMMIT")
        self._file.execute("BEGIN IMMEDIATE")

    def _writing(self) -> AbstractContextManager[None]:
        return self._claim.using(sqlite3.Error, TypeError)
