"""Detectors in a file: those of a run that do not fit into memory, or all of them for other processes."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.sites.naming import site_key, site_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from detemplate.detectors.base import Learner

# Bytes of a page of the file. Of SQLite's usual pages, a state takes hundreds, and ten times the time.
_PAGE: Final = 1 << 16

_CACHE: Final = 1 << 14  # memory for pages of the file, in KiB

# The states of sites. They are not compressed: most of what they hold are hashes, and each is written and
# read many times.
_TABLE: Final = "TABLE {}site (name PRIMARY KEY, pages INTEGER NOT NULL, state BLOB NOT NULL)"


class SpilledSites:
    """Detectors of a class in a temporary file; or in one that :meth:`copy_to` made, to be read only.

    Raises UserError: for all methods: the file cannot be read or written.

    Notes
    -----
    It may be used from several threads, one after the other.
    """

    def __init__(self, kind: type[Learner], path: str | None = None) -> None:
        self._kind = kind
        self._sites = 0
        with _temporary_file():
            # With an empty name, SQLite makes a temporary file and removes it when it is closed.
            self._file = sqlite3.connect(path or "", isolation_level=None, check_same_thread=False)
            if path is None:
                for pragma in (f"page_size = {_PAGE}", "journal_mode = OFF", f"cache_size = -{_CACHE}"):
                    self._file.execute(f"PRAGMA {pragma}")
                self._file.execute(f"CREATE {_TABLE.format('')}")

    def __len__(self) -> int:
        return self._sites

    def put(self, site: str, detector: Learner) -> None:
        """Write a detector that is not in the file."""
        with _temporary_file():
            self._put("", site, detector)
        self._sites += 1

    def _put(self, where: str, site: str, detector: Learner) -> None:
        row = site_key(site), detector.pages, detector.to_bytes()
        self._file.execute(f"INSERT INTO {where}site VALUES (?, ?, ?)", row)

    def get(self, site: str) -> Learner | None:
        """Read a detector; None if it is not there."""
        with _temporary_file():
            row = self._file.execute("SELECT state FROM site WHERE name = ?", (site_key(site),)).fetchone()
        return None if row is None else self._kind.from_bytes(row[0])

    def take(self, site: str) -> Learner | None:
        """Read a detector and remove it; None if it is not there."""
        detector = self.get(site)
        if detector is not None:
            with _temporary_file():
                self._file.execute("DELETE FROM site WHERE name = ?", (site_key(site),))
            self._sites -= 1
        return detector

    def each(self) -> Iterator[tuple[str, Learner]]:
        """Yield all detectors, with their sites; the file must not change meanwhile."""
        with _temporary_file():
            for key, state in self._file.execute("SELECT name, state FROM site"):
                yield site_name(key), self._kind.from_bytes(state)

    def copy_to(self, path: str, more: Iterable[tuple[str, Learner]]) -> None:
        """Write all, and further ones, into a new file."""
        with _temporary_file():
            self._file.execute("ATTACH ? AS copy", (path,))
            try:
                for pragma in (f"page_size = {_PAGE}", "journal_mode = OFF", "synchronous = OFF"):
                    self._file.execute(f"PRAGMA copy.{pragma}")
                self._file.execute("BEGIN")
                self._file.execute(f"CREATE {_TABLE.format('copy.')}")
                self._file.execute("INSERT INTO copy.site SELECT name, pages, state FROM main.site")
                for site, detector in more:
                    self._put("copy.", site, detector)
                self._file.execute("COMMIT")
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
                self._file.execute("DETACH copy")

    def fill(self, path: str) -> None:
        """Take all from a file that :meth:`copy_to` made; this one must be empty."""
        with _temporary_file():
            self._file.execute("ATTACH ? AS copy", (path,))
            try:
                self._file.execute("INSERT INTO site SELECT name, pages, state FROM copy.site")
            finally:
                self._file.execute("DETACH copy")
            [(self._sites,)] = self._file.execute("SELECT count(*) FROM site").fetchall()

    def pages(self) -> Iterator[tuple[str, int]]:
        """Yield the name of each site, and the number of pages that it has learnt."""
        with _temporary_file():
            for key, pages in self._file.execute("SELECT name, pages FROM site"):
                yield site_name(key), pages

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@contextmanager
def _temporary_file() -> Iterator[None]:
    """Turn errors of the temporary file into a UserError."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        raise UserError(
            f"the sites that do not fit into memory cannot be kept in a temporary file: {error}; "
            "check the space left in its directory (SQLITE_TMPDIR names another)"
        ) from error
