"""The detectors of a run, one per site, in bounded memory: those that do not fit are in a file."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import OrderedDict
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.sites.naming import site_key, site_name
from detemplate.sites.storetables import SiteRow, packed_state, plain_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.detectors.base import Learner
    from detemplate.sites.storefile import StoreFile

    Row = tuple[str | bytes, bytes]

# Bytes of a page of the file. Of SQLite's usual pages, a state takes hundreds, and ten times the time.
_PAGE: Final = 1 << 16

_CACHE: Final = 1 << 14  # memory for pages of the file, in KiB

# The states of sites. They are not compressed: most of what they hold are hashes, and each is written and
# read many times.
_TABLE: Final = "CREATE TABLE site (name PRIMARY KEY, state BLOB NOT NULL)"
_INSERT: Final = "INSERT INTO site VALUES (?, ?)"


class SpilledSites:
    """Detectors of a class in a temporary file; or in a named one, which is ``new``, or to be read only.

    Raises UserError: for all methods: the file cannot be read or written.

    Notes
    -----
    It may be used from several threads, one after the other.
    """

    def __init__(self, kind: type[Learner], path: str = "", *, new: bool = True) -> None:
        self._kind = kind
        self._sites = 0
        with _temporary_file():
            # With an empty name, SQLite makes a temporary file and removes it when it is closed.
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            if new:
                settings = (f"page_size = {_PAGE}", "journal_mode = OFF", "synchronous = OFF")
                for pragma in (*settings, f"cache_size = -{_CACHE}"):
                    self._file.execute(f"PRAGMA {pragma}")
                self._file.execute(_TABLE)

    def __len__(self) -> int:
        return self._sites

    def put(self, site: str, detector: Learner) -> None:
        """Write a detector that is not in the file."""
        with _temporary_file():
            self._file.execute(_INSERT, _row(site, detector))
        self._sites += 1

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
        for key, state in self.rows():
            yield site_name(key), self._kind.from_bytes(state)

    def rows(self) -> Iterator[Row]:
        """Yield what the file holds; it must not change meanwhile."""
        with _temporary_file():
            yield from self._file.execute("SELECT name, state FROM site")

    def put_all(self, rows: Iterable[Row]) -> None:
        """Write rows of another file, none of which is in this one."""
        with _temporary_file():
            self._file.execute("BEGIN")
            self._file.executemany(_INSERT, rows)
            self._file.execute("COMMIT")
            [(self._sites,)] = self._file.execute("SELECT count(*) FROM site").fetchall()

    def names(self) -> Iterator[str]:
        """Yield the name of each site."""
        with _temporary_file():
            for (key,) in self._file.execute("SELECT name FROM site"):
                yield site_name(key)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _row(site: str, detector: Learner) -> Row:
    return site_key(site), detector.to_bytes()


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


DEFAULT_BUDGET: Final = 2**30
"""Memory for the detectors of all sites together, in bytes."""

_OVERHEAD: Final = 4096  # bytes added to each detector's own size
_READ: Final = 1 << 28  # memory for the detectors that a process has read


class SiteStore:
    """Detectors by site: the last used ones in memory, the others in a temporary SQLite file.

    ``make``, ``kind``: makes a new detector for a new site; the class of the detectors.
    ``budget``: memory for all detectors together, in bytes. Beyond it, the least recently used ones go to
        disk. The detector in use stays in memory.
    ``known``: the store of earlier runs' sites; each is read when it is first used. It is closed with this
        one.

    Notes
    -----
    It may be used from several threads, one after the other. Pickled, it holds the states of all detectors in
    use, and the name of the store.
    """

    def __init__(
        self,
        make: Callable[[], Learner],
        kind: type[Learner],
        *,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._make = make
        self._kind = kind
        self._budget = budget
        self._live: OrderedDict[str, Learner] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._nbytes = 0
        self._disk: SpilledSites | None = None
        self._new = 0
        self.known: StoreFile | None = None
        self._frozen: str | None = None

    def __len__(self) -> int:
        return self._new + (self.known.sites if self.known is not None else 0)

    @property
    def used_sites(self) -> int:
        """Number of sites that were used, without those of earlier runs that were not."""
        return len(self._live) + (len(self._disk) if self._disk is not None else 0)

    def __getitem__(self, site: str) -> Learner:
        """Return the site's detector; a new one if the site is new."""
        detector = self._live.get(site)
        if detector is None:
            detector = self._spilt(site) or self._unused(site)
            self._live[site] = detector
            self._sizes[site] = 0
            self.used(site)
        self._live.move_to_end(site)
        return detector

    def take(self, site: str, query: Any) -> None:  # noqa: ANN401  # see a detector's
        """Let a site's detector learn the page that asks."""
        self[site].take(query)
        self.used(site)

    def take_and_answer(self, site: str, query: Any) -> Any:  # noqa: ANN401
        """Let a site's detector learn the page that asks, and answer it."""
        answer = self[site].take_and_answer(query)
        self.used(site)
        return answer

    def answer(self, site: str, query: Any) -> Any:  # noqa: ANN401
        """Tell what a site has learned about what a page asks."""
        answer = self[site].answer(query)
        self.used(site)
        return answer

    def used(self, site: str) -> None:
        """Measure a site's detector again; to be called after it was used."""
        size = self._live[site].nbytes + _OVERHEAD
        self._nbytes += size - self._sizes[site]
        self._sizes[site] = size
        while self._nbytes > self._budget and len(self._live) > 1:
            self._put_away()

    def learned(self) -> Iterator[tuple[SiteRow, bytes]]:
        """Yield the rows and states of the sites that have learned since the known ones were read."""
        for site, detector in chain(self._live.items(), self._on_disk()):
            if detector.pages > (self.known.pages(site) if self.known is not None else 0):
                state = detector.to_bytes()
                yield SiteRow.of(site_key(site), detector.pages, state), state

    def _on_disk(self) -> Iterable[tuple[str, Learner]]:
        return self._disk.each() if self._disk is not None else ()

    def _spilt(self, site: str) -> Learner | None:
        return self._disk.take(site) if self._disk is not None else None

    def _unused(self, site: str) -> Learner:
        """Return a detector that was not used: as the store of earlier runs has it, or a new one."""
        detector = self.known.detector(site) if self.known is not None else None
        if detector is None:
            self._new += 1
            detector = self._make()
        return detector

    def _put_away(self) -> None:
        """Move the least recently used detector to disk."""
        site, detector = self._live.popitem(last=False)
        self._nbytes -= self._sizes.pop(site)
        if self._disk is None:
            self._disk = SpilledSites(self._kind)
        self._disk.put(site, detector)

    def __getstate__(self) -> dict[str, Any]:
        every = chain(self._on_disk(), self._live.items())
        states = [(site, packed_state(detector.to_bytes())) for site, detector in every]
        return {
            "make": self._make, "kind": self._kind, "budget": self._budget, "new": self._new,
            "known": self.known, "states": states,
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["make"], state["kind"], budget=state["budget"])  # type: ignore[misc]
        self._new, self.known = state["new"], state["known"]
        for site, data in state["states"]:
            self._live[site] = self._kind.from_bytes(plain_state(data))
            self._sizes[site] = 0
            self.used(site)

    def restore(self, path: str) -> None:
        """Begin with what :meth:`write` has written; nothing must have been learned yet."""
        self._disk = SpilledSites(self._kind)
        with closing(SpilledSites(self._kind, path, new=False)) as written:
            self._disk.put_all(written.rows())
        self._new = sum(self.known is None or not self.known.pages(site) for site in self._disk.names())
        self.stands_at(path)

    def write(self, path: str) -> None:
        """Write all that was learned into a new file."""
        with closing(SpilledSites(self._kind, path)) as file:
            on_disk = self._disk.rows() if self._disk is not None else ()
            file.put_all(chain(on_disk, (_row(site, detector) for site, detector in self._live.items())))

    def stands_at(self, path: str) -> None:
        """Know that a file has all that was learned, as :meth:`write` writes it."""
        self._frozen = path

    @contextmanager
    def frozen(self) -> Iterator[FrozenSites]:
        """Yield the detectors for reading in other processes; the store must not change in the block."""
        with tempfile.TemporaryDirectory(prefix="detemplate-") as directory:
            path = self._frozen
            if path is None and self.used_sites:
                path = str(Path(directory) / "sites")
                self.write(path)
            known = (self.known.path, self.known.hash) if self.known is not None else None
            yield FrozenSites(self._make, self._kind, path, known)

    def close(self) -> None:
        """Remove the temporary file, and close the store."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None
        if self.known is not None:
            self.known.close()


class FrozenSites(SiteStore):
    """Detectors in files, for reading in other processes; the last used ones are kept in memory.

    It can be pickled; each process opens the files for itself: what a run has learned
    (:meth:`SiteStore.frozen`), if there is a ``path``, and the sites of earlier runs, by path and hash
    of their store.
    """

    def __init__(
        self,
        make: Callable[[], Learner],
        kind: type[Learner],
        path: str | None,
        known: tuple[str, str] | None,
    ) -> None:
        super().__init__(make, kind, budget=_READ)
        self._recipe = make, kind, path, known

    def __reduce__(self) -> tuple[type[FrozenSites], tuple[Any, ...]]:
        return FrozenSites, self._recipe

    def open(self) -> None:
        """Open the files; raises UserError if one cannot be read, or the store of earlier runs changed."""
        from detemplate.sites.storefile import StoreFile

        _, kind, path, known = self._recipe
        if path is not None and self._disk is None:
            self._disk = SpilledSites(kind, path, new=False)
        if known is not None and self.known is None:
            self.known = StoreFile.as_it_was(*known)

    def answer(self, site: str, query: Any) -> Any:  # noqa: ANN401
        """Tell what a site has learned about what a page asks; it does not grow by that."""
        return self[site].answer(query)

    def _spilt(self, site: str) -> Learner | None:
        self.open()
        return self._disk.get(site) if self._disk is not None else None

    def _put_away(self) -> None:
        site, _ = self._live.popitem(last=False)
        self._nbytes -= self._sizes.pop(site)
