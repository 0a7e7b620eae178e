"""Checkpoints: what a run has done so far, so that the same command goes on after the run was killed.

A checkpoint is a directory with a journal, to which the outcomes of the pages that were cleaned are appended,
another one with what pages have asked their sites, files with the hashes of the URLs that were seen, and an
SQLite file. One transaction joins the place of the input's next item and the parts of the other files that
count. A run that goes on lets the sites learn again what they were asked, begins to read its input at that
place, and writes the outcomes again: its output is that of a run that was never killed.

Queries are short and quick to write; the states of sites are neither. Only where the queries have become
longer than all states, these are saved, and the queries forgotten.
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
from detemplate.engines.journal import Journal, packed, packed_queries, unpacked, unpacked_queries
from detemplate.engines.position import CLEANING, LEARNING, Position
from detemplate.engines.seenurls import DIGEST, SECRET, SEEN_URLS, UrlLog
from detemplate.engines.workers.leg import Mark
from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
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

_FORMAT: Final = 4
"""Version of the file format."""

_JOURNAL: Final = "outcomes"
"""Name of the journal."""

_LEARNT: Final = "learnt"
"""Name of the file with the queries."""

LEARNT_BYTES: Final = 1 << 30
"""Bytes of queries that are always kept: of about 70,000 pages, which are learnt again in a few seconds."""

_URLS: Final = {LEARNING: "urls-learning", CLEANING: "urls-cleaning"}
"""Names of the files with the hashes of the URLs that each pass has seen."""

_LOG_PAGES: Final = 1 << 14
"""Pages of SQLite's own log, 64 MiB, after which they are copied into the file: states that are saved again
and again are copied once."""

_TABLES: Final = (
    "CREATE TABLE run "
    "(identity TEXT NOT NULL, secret BLOB NOT NULL, replaced BLOB, pass TEXT NOT NULL, "
    "items INTEGER NOT NULL, pages INTEGER NOT NULL, place TEXT NOT NULL, lost TEXT NOT NULL, "
    "urls INTEGER NOT NULL, journal INTEGER NOT NULL, learnt INTEGER NOT NULL)",
    "CREATE TABLE site (name PRIMARY KEY, pages INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID",
)
"""The tables of the file."""


class Due(Mark):
    """The place of a checkpoint among the items: what it holds is what is done when its turn comes.

    Attributes
    ----------
    position
        Where the input is.
    urls
        Bytes of the URLs that were seen before it.
    learnt
        Bytes of the queries that were learnt before it; None: it is not reached yet.
    """

    def __init__(self, position: Position, urls: int, learnt: Callable[[], int], *, pause: bool) -> None:
        super().__init__(pause=pause)
        self.position = position
        self.urls = urls
        self.learnt: int | None = None
        self._learnt = learnt

    def reached(self) -> None:
        """Note how much is learnt."""
        if self.learnt is None:
            self.learnt = self._learnt()


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
        self._states = 0.0
        self._claim = Claim(directory, "run")
        self.path = str(self._claim.path / "run.db")
        with ExitStack() as undo:
            undo.callback(self._claim.release)
            with self._writing():
                self._file = undo.enter_context(closing(sqlite3.connect(self.path, isolation_level=None)))
                journal, learnt = self._open()
                self._journal = Journal(str(self._claim.path / _JOURNAL), journal, packed, unpacked)
                undo.callback(self._journal.close)
                path = str(self._claim.path / _LEARNT)
                self._learnt = Journal(path, learnt, packed_queries, unpacked_queries)
            undo.pop_all()

    def _open(self) -> tuple[int, int]:
        """Open the SQLite file; return the bytes of the journal and of the queries that count."""
        file, journal, learnt = self._file, 0, 0
        kind, version = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if kind == _APPLICATION and version == _FORMAT:
            row = file.execute("SELECT * FROM run").fetchone()
            identity, self._secret, self._replaced, *position, self._urls_size, journal, learnt = row
            self._claim.check(json.loads(identity), self._identity)
            self.position = Position.of(*position)
            self._states = file.execute("SELECT total(length(state)) FROM site").fetchone()[0]
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
            file.execute("INSERT INTO run VALUES (?, ?, NULL, '', 0, 0, 'null', '[]', 0, 0, 0)", run)
            file.execute(f"PRAGMA application_id = {_APPLICATION}")
            file.execute(f"PRAGMA user_version = {_FORMAT}")
        return int(journal), int(learnt)

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
        if self._journal.add(item, outcome):
            with self._writing():
                self._journal.write()

    def learn(self, site: str, query: bytes) -> None:
        """Keep what a page has asked its site, which has learnt it; packed as between workers."""
        if self._learnt.add(site, query):
            with self._writing():
                self._learnt.write()

    def learnt(self) -> Iterator[tuple[str, Any]]:
        """Give the sites and queries since the states of sites were saved, in order."""
        with self._writing():
            yield from self._learnt.pairs()

    def due_at(self, position: Position, *, frozen: bool = False) -> Due:
        """Give the place of a checkpoint among the items, and bring to disk what is kept so far.

        Parameters
        ----------
        position
            Where the input is. What is seen of it from now on is not part of the checkpoint.
        frozen
            Whether nothing more is learnt.
        """
        with self._writing():
            self._journal.sync()
            learnt = self._learnt.sync()
            urls = self._urls.sync() if self._urls is not None else 0
        # States are compressed, to half their size.
        pause = not frozen and learnt > max(LEARNT_BYTES, 2 * self._states)
        return Due(position, urls, self._queries, pause=pause)

    def _queries(self) -> int:
        with self._writing():
            return self._learnt.write()

    def save(self, due: Due, sites: Iterable[tuple[str | bytes, int, bytes]] = ()) -> None:
        """Save what is done; a run that is killed later goes on from here.

        Parameters
        ----------
        due
            From :meth:`due_at`; all items before it are done. Where it is a pause, no others are begun.
        sites
            Where it is a pause: name, pages and state of each site that has learnt since the last pause.

        Raises
        ------
        UserError
            It cannot be written.
        """
        start = time.monotonic()
        due.reached()
        with self._writing():
            journal = self._journal.sync()
            self._learnt.sync()
            if due.pause:
                self._file.executemany("INSERT OR REPLACE INTO site VALUES (?, ?, ?)", sites)
                self._states = self._file.execute("SELECT total(length(state)) FROM site").fetchone()[0]
            self._file.execute(
                "UPDATE run SET pass = ?, items = ?, pages = ?, place = ?, lost = ?, urls = ?, journal = ?, "
                "learnt = ?",
                (*due.position.columns(), due.urls, journal, 0 if due.pause else due.learnt),
            )
            self._commit()
            if due.pause:
                self._learnt.clear()
        self._saved = time.monotonic()
        wanted = (self._saved - start) / _SHARE
        self._wait = max(self._seconds, min(wanted, _MOST_TIMES * self._seconds))

    def outcomes(self) -> Iterator[tuple[Any, Any]]:
        """Give all items with their outcomes, in order, as they were saved."""
        with self._writing():
            yield from self._journal.pairs()

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
        self._claim.remove(
            ("run.db", "run.db-wal", "run.db-shm", _JOURNAL, _LEARNT, *_URLS.values(), CLOSING)
        )

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
        self._learnt.close()
        if self._urls is not None:
            self._urls.close()

    def _commit(self) -> None:
        self._file.execute("COMMIT")
        self._file.execute("BEGIN IMMEDIATE")

    def _writing(self) -> AbstractContextManager[None]:
        return self._claim.using(sqlite3.Error, TypeError)
