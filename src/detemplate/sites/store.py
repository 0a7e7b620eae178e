"""The detectors of a run, one per site, in bounded memory; and as several processes share them."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import zstandard

from detemplate.errors import UserError
from detemplate.sites.naming import site_key, site_name
from detemplate.sites.storetables import SiteRow, packed_state, plain_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from detemplate.detectors.base import Detector
    from detemplate.sites.storefile import StoreFile


_PAGE: Final = 1 << 16
"""Bytes of a page of the file. Of SQLite's usual pages, a state takes hundreds, and ten times the time."""

_CACHE: Final = 1 << 14  # memory for pages of the file, in KiB

_TABLES: Final = (
    "CREATE TABLE site (name PRIMARY KEY, pages INTEGER NOT NULL, state BLOB NOT NULL)",
    "CREATE TABLE part (number INTEGER PRIMARY KEY, name NOT NULL, data BLOB NOT NULL)",
    "CREATE INDEX part_name ON part (name)",
)
"""The states of sites, and their final parts, which are only added to.

States are not compressed: most of what they hold are hashes, and each is written and read many times. A part
is compressed, as it is written once and seldom read.
"""


class SpilledSites:
    """Detectors in a temporary file.

    Parameters
    ----------
    kind
        Their class.
    path
        A file that :meth:`copy_to` made, to be read only; None: a new file, removed when it is closed.

    Notes
    -----
    It may be used from several threads, one after the other.

    Raises
    ------
    UserError
        For all methods: the file cannot be read or written.
    """

    def __init__(self, kind: type[Detector], path: str | None = None) -> None:
        self._kind = kind
        self._sites = 0
        self._packer, self._unpacker = zstandard.ZstdCompressor(level=1), zstandard.ZstdDecompressor()
        with _temporary_file():
            # With an empty name, SQLite makes a temporary file and removes it when it is closed.
            self._file = sqlite3.connect(path or "", isolation_level=None, check_same_thread=False)
            if path is None:
                for pragma in (f"page_size = {_PAGE}", "journal_mode = OFF", f"cache_size = -{_CACHE}"):
                    self._file.execute(f"PRAGMA {pragma}")
                for table in _TABLES:
                    self._file.execute(table)

    def __len__(self) -> int:
        return self._sites

    def __contains__(self, site: str) -> bool:
        with _temporary_file():
            found = self._file.execute("SELECT 1 FROM site WHERE name = ?", (site_key(site),)).fetchone()
        return found is not None

    def put(self, site: str, detector: Detector) -> None:
        """Write a detector that is not in the file."""
        state, part = detector.put_away()
        key = site_key(site)
        with _temporary_file():
            self._file.execute("INSERT INTO site VALUES (?, ?, ?)", (key, detector.pages, state))
            if part:
                data = self._packer.compress(part)
                self._file.execute("INSERT INTO part (name, data) VALUES (?, ?)", (key, data))
        self._sites += 1

    def get(self, site: str) -> Detector | None:
        """Read a detector; None if it is not there."""
        with _temporary_file():
            row = self._file.execute("SELECT state FROM site WHERE name = ?", (site_key(site),)).fetchone()
        return None if row is None else self._restored(site, row[0])

    def take(self, site: str) -> Detector | None:
        """Read a detector and remove it, all but its final parts; None if it is not there."""
        detector = self.get(site)
        if detector is not None:
            with _temporary_file():
                self._file.execute("DELETE FROM site WHERE name = ?", (site_key(site),))
            self._sites -= 1
        return detector

    def each(self) -> Iterator[tuple[str, Detector]]:
        """Give all detectors, with their sites; the file must not change meanwhile."""
        with _temporary_file():
            for key, state in self._file.execute("SELECT name, state FROM site"):
                site = site_name(key)
                yield site, self._restored(site, state)

    def copy_to(self, path: str) -> None:
        """Write a copy for other processes, which learn nothing: it is without the final parts."""
        with _temporary_file():
            self._file.execute("ATTACH ? AS copy", (path,))
            try:
                self._file.execute(_TABLES[0].replace("site", "copy.site", 1))
                self._file.execute("INSERT INTO copy.site SELECT name, pages, state FROM site")
            finally:
                self._file.execute("DETACH copy")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _restored(self, site: str, state: bytes) -> Detector:
        return self._kind.taken_back(state, lambda: self._parts(site))

    def _parts(self, site: str) -> Sequence[bytes]:
        with _temporary_file():
            rows = self._file.execute(
                "SELECT data FROM part WHERE name = ? ORDER BY number", (site_key(site),)
            ).fetchall()
        return [self._unpacker.decompress(data) for (data,) in rows]


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


_MOST_READ: Final = 256  # detectors that a process keeps of those that it reads from disk


class FrozenSites(Mapping[str, "Detector"]):
    """Detectors by site, for reading only.

    Processes that are forked share those in memory. What is on disk is read by each process when it is asked
    for; the last used ones are kept.

    Parameters
    ----------
    live
        Detectors in memory.
    spilled
        File with detectors that do not fit into memory (:class:`~detemplate.sites.store.SpilledSites`).
    saved
        SQLite file of an earlier process of this run, with a table ``site`` (``name``, ``state``).
    known
        Sites of earlier runs.
    make, kind
        As for :class:`~detemplate.sites.store.SiteStore`.
    """

    def __init__(  # noqa: PLR0917  # where sites may be, and how they are made
        self,
        live: Mapping[str, Detector],
        spilled: str | None,
        saved: str | None,
        known: StoreFile | None,
        make: Callable[[], Detector],
        kind: type[Detector],
    ) -> None:
        self._live = dict(live)
        self._spilled = spilled
        self._saved = saved
        self._known = known
        self._make = make
        self._kind = kind
        self._spilled_file: SpilledSites | None = None
        self._saved_file: sqlite3.Connection | None = None
        self._own: StoreFile | None = None
        self._read: OrderedDict[str, Detector] = OrderedDict()

    def __getitem__(self, site: str) -> Detector:
        """Return the site's detector; one that knows nothing for an unknown site."""
        found = self._live.get(site) or self._read.get(site)
        if found is not None:
            return found
        found = self._from_spilled(site) or self._from_saved(site) or self._from_known(site) or self._make()
        self._read[site] = found
        if len(self._read) > _MOST_READ:
            self._read.popitem(last=False)
        return found

    def answer(self, given: object, site: str, query: Any) -> Any:  # noqa: ANN401, ARG002  # see a detector's
        """Tell what a page's site has learnt about what the page asks.

        Parameters
        ----------
        given
            The page, or its record.
        site, query
            Its site, and what it asks (:meth:`detemplate.detectors.base.Detector.answer`).
        """
        return self[site].answer(query)

    def __iter__(self) -> Iterator[str]:
        return iter(self._live)

    def __len__(self) -> int:
        return len(self._live)

    def _from_spilled(self, site: str) -> Detector | None:
        if self._spilled is None:
            return None
        if self._spilled_file is None:  # each process opens the files for itself
            self._spilled_file = SpilledSites(self._kind, self._spilled)
        return self._spilled_file.get(site)

    def _from_saved(self, site: str) -> Detector | None:
        if self._saved is None:
            return None
        if self._saved_file is None:
            uri = f"{Path(self._saved).resolve().as_uri()}?mode=ro"
            self._saved_file = sqlite3.connect(uri, uri=True)
        row = self._saved_file.execute("SELECT state FROM site WHERE name = ?", (site_key(site),)).fetchone()
        return self._kind.from_bytes(plain_state(row[0])) if row is not None else None

    def _from_known(self, site: str) -> Detector | None:
        if self._known is None:
            return None
        if self._own is None:  # each process opens the store for itself
            self._own = self._known.reopened()
        return self._own.detector(site)

    def open(self) -> None:
        """Open what is on disk, at once.

        Raises
        ------
        UserError
            The store of earlier runs has changed.
        """
        if self._known is not None:
            self._own = self._known.reopened()


class SavedSites(Protocol):
    """What an earlier process of this run has saved of its sites; states as ``packed_state`` makes them."""

    path: str
    """An SQLite file with a table ``site`` (``name``, ``pages``, ``state``)."""

    def state(self, name: str | bytes) -> bytes | None:
        """Return the state of a site; None for one that has learnt nothing."""

    def sites(self) -> Iterator[tuple[str | bytes, int, bytes]]:
        """Give name, pages and state of each site."""

    def learnt(self) -> Iterator[tuple[str, Any]]:
        """Give the sites and queries of the pages that were learnt since the states were saved, in order."""

    def learn(self, site: str, query: object) -> None:
        """Keep the site and the query of a page that is learnt."""


DEFAULT_BUDGET: Final = 2**30
"""Memory for the detectors of all sites together, in bytes."""

_OVERHEAD: Final = 4096  # bytes added to each detector's own size


class SiteStore:
    """Detectors by site: the last used ones in memory, the others in a temporary SQLite file.

    Parameters
    ----------
    make
        Makes a new detector for a new site.
    kind
        The class of the detectors.
    budget
        Memory for all detectors together, in bytes. Beyond it, the least recently used ones go to disk. The
        detector in use stays in memory.

    Attributes
    ----------
    known : StoreFile or None
        The store of earlier runs' sites; each is read when it is first used. It is closed with this one.
    saved : SavedSites or None
        Sites that this run has learnt before it was killed; they replace those of earlier runs.
    log : callable or None
        Called with the site and the query of each page that is learnt.

    Notes
    -----
    It may be used from several threads, one after the other. Pickled, it holds the states of all detectors in
    use, and the name of the store.
    """

    def __init__(
        self,
        make: Callable[[], Detector],
        kind: type[Detector],
        *,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._make = make
        self._kind = kind
        self._budget = budget
        self._live: OrderedDict[str, Detector] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._nbytes = 0
        self._disk: SpilledSites | None = None
        self._new = 0
        self.known: StoreFile | None = None
        self.saved: SavedSites | None = None
        self.log: Callable[[str, object], None] | None = None
        self._changed: set[str] = set()

    def __len__(self) -> int:
        return self._new + (self.known.sites if self.known is not None else 0)

    @property
    def used_sites(self) -> int:
        """Number of sites that were used, without those of earlier runs that were not."""
        return len(self._live) + self._spilled

    @property
    def _spilled(self) -> int:
        return len(self._disk) if self._disk is not None else 0

    def __getitem__(self, site: str) -> Detector:
        """Return the site's detector; a new one if the site is new."""
        detector = self._live.get(site)
        if detector is None:
            detector = self._spilt(site) or self._from_saved(site) or self._known(site) or self._made()
            self._live[site] = detector
            self._sizes[site] = 0
            self.used(site)
        self._live.move_to_end(site)
        return detector

    def take(self, site: str, query: Any) -> None:  # noqa: ANN401  # see a detector's
        """Let a site's detector learn the page that asks."""
        self[site].take(query)
        self._took(site, query)

    def take_and_answer(self, site: str, query: Any) -> Any:  # noqa: ANN401
        """Let a site's detector learn the page that asks, and answer it."""
        answer = self[site].take_and_answer(query)
        self._took(site, query)
        return answer

    def answer(self, site: str, query: Any) -> Any:  # noqa: ANN401
        """Tell what a site has learnt about what a page asks."""
        answer = self[site].answer(query)
        self.used(site)
        return answer

    def _took(self, site: str, query: object) -> None:
        """Note that a site's detector has taken a query, which :attr:`log` gets."""
        if self.log is not None:
            self.log(site, query)
        if self.saved is not None:
            self._changed.add(site)
        self.used(site)

    def used(self, site: str) -> None:
        """Measure a site's detector again; to be called after it was used."""
        size = self._live[site].nbytes + _OVERHEAD
        self._nbytes += size - self._sizes[site]
        self._sizes[site] = size
        while self._nbytes > self._budget and len(self._live) > 1:
            self._put_away()

    def learnt(self) -> Iterator[tuple[SiteRow, bytes]]:
        """Give the rows and states of the sites that have learnt since the known ones were read."""
        for site, detector in self._live.items():
            if self._has_learnt(site, detector.pages):
                state = detector.to_bytes()
                yield SiteRow.of(site_key(site), detector.pages, state), state
        for site, detector in self._disk.each() if self._disk is not None else ():
            if self._has_learnt(site, detector.pages):
                state = detector.to_bytes()
                yield SiteRow.of(site_key(site), detector.pages, state), state
        if self.saved is not None:
            for key, pages, stored in self.saved.sites():
                site = site_name(key)
                if site not in self._live and not self._is_on_disk(site) and self._has_learnt(site, pages):
                    state = plain_state(stored)
                    yield SiteRow.of(key, pages, state), state

    def changed(self) -> Iterator[tuple[str | bytes, int, bytes]]:
        """Give name, pages and state of the sites that have learnt since this was last asked.

        The states are compressed (:mod:`~detemplate.sites.storetables`).
        """
        changed, self._changed = self._changed, set()
        for site in changed:
            detector = self._live.get(site) or (self._disk.get(site) if self._disk is not None else None)
            if detector is not None:
                yield site_key(site), detector.pages, packed_state(detector.to_bytes())

    def _has_learnt(self, site: str, pages: int) -> bool:
        return pages > (self.known.pages(site) if self.known is not None else 0)

    def _is_on_disk(self, site: str) -> bool:
        return self._disk is not None and site in self._disk

    def _from_saved(self, site: str) -> Detector | None:
        state = self.saved.state(site_key(site)) if self.saved is not None else None
        if state is None:
            return None
        self._new += self.known is None or not self.known.pages(site)
        return self._kind.from_bytes(plain_state(state))

    def _known(self, site: str) -> Detector | None:
        return self.known.detector(site) if self.known is not None else None

    def _spilt(self, site: str) -> Detector | None:
        return self._disk.take(site) if self._disk is not None else None

    def _made(self) -> Detector:
        self._new += 1
        return self._make()

    def _put_away(self) -> None:
        """Move the least recently used detector to disk."""
        site, detector = self._live.popitem(last=False)
        self._nbytes -= self._sizes.pop(site)
        if self._disk is None:
            self._disk = SpilledSites(self._kind)
        self._disk.put(site, detector)

    def __getstate__(self) -> dict[str, Any]:
        every = [*(self._disk.each() if self._disk is not None else ()), *self._live.items()]
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

    @contextmanager
    def frozen(self) -> Iterator[FrozenSites]:
        """Give the detectors for reading in other processes; the store must not change in the block."""
        with tempfile.TemporaryDirectory(prefix="detemplate-") as directory:
            spilled = None
            if self._disk is not None and self._spilled:
                spilled = str(Path(directory) / "sites")
                self._disk.copy_to(spilled)
            saved = self.saved.path if self.saved is not None else None
            yield FrozenSites(self._live, spilled, saved, self.known, self._make, self._kind)

    def close(self) -> None:
        """Remove the temporary file, and close the store."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None
        if self.known is not None:
            self.known.close()
