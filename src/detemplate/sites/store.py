"""The detectors of a run, one per site, in bounded memory."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Detector

DEFAULT_BUDGET: Final = 2**30
"""Memory for the detectors of all sites together, in bytes."""

_OVERHEAD: Final = 4096
"""Bytes added to each detector's own size."""


class SiteStore:
    """Detectors by site: the last used ones in memory, the others in a temporary SQLite file.

    Parameters
    ----------
    make
        Makes a new detector for a new site.
    restore
        Makes a detector from the bytes that its ``to_bytes`` returned.
    budget
        Memory for all detectors together, in bytes. Beyond it, the least recently used ones go to disk. The
        detector in use stays in memory.

    Notes
    -----
    A store may be used from several threads, one after the other. A pickled store holds the states of all its
    detectors.
    """

    def __init__(
        self,
        make: Callable[[], Detector],
        restore: Callable[[bytes], Detector],
        *,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._make = make
        self._restore = restore
        self._budget = budget
        self._live: OrderedDict[str, Detector] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._nbytes = 0
        self._disk: sqlite3.Connection | None = None
        self._stored = 0

    def __len__(self) -> int:
        return len(self._live) + self._stored

    def __getitem__(self, site: str) -> Detector:
        """Return the site's detector; a new one if the site is new."""
        detector = self._live.get(site)
        if detector is None:
            detector = self._take_back(site) or self._make()
            self._live[site] = detector
            self._sizes[site] = 0
            self.used(site)
        self._live.move_to_end(site)
        return detector

    def used(self, site: str) -> None:
        """Measure a site's detector again; to be called after it has learned."""
        size = self._live[site].nbytes + _OVERHEAD
        self._nbytes += size - self._sizes[site]
        self._sizes[site] = size
        while self._nbytes > self._budget and len(self._live) > 1:
            self._put_away()

    def _put_away(self) -> None:
        """Move the least recently used detector to disk."""
        site, detector = self._live.popitem(last=False)
        self._nbytes -= self._sizes.pop(site)
        if self._disk is None:
            # With an empty name, SQLite makes a temporary file and removes it when it is closed.
            # Callers use one thread at a time, though not always the same (asyncio.to_thread).
            self._disk = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            self._disk.execute("PRAGMA journal_mode = OFF")
            self._disk.execute("CREATE TABLE site (name BLOB PRIMARY KEY, state BLOB) WITHOUT ROWID")
        self._disk.execute("INSERT INTO site VALUES (?, ?)", (_key(site), detector.to_bytes()))
        self._stored += 1

    def _take_back(self, site: str) -> Detector | None:
        """Move a site's detector from disk to memory; None if it is not on disk."""
        if self._disk is None:
            return None
        row = self._disk.execute("SELECT state FROM site WHERE name = ?", (_key(site),)).fetchone()
        if row is None:
            return None
        self._disk.execute("DELETE FROM site WHERE name = ?", (_key(site),))
        self._stored -= 1
        return self._restore(row[0])

    def __getstate__(self) -> dict[str, Any]:
        stored = self._disk.execute("SELECT name, state FROM site").fetchall() if self._disk else []
        live = [(_key(site), detector.to_bytes()) for site, detector in self._live.items()]
        return {
            "make": self._make, "restore": self._restore, "budget": self._budget, "states": stored + live,
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["make"], state["restore"], budget=state["budget"])  # type: ignore[misc]
        for key, data in state["states"]:
            site = key.decode("utf-8", "surrogatepass")
            self._live[site] = self._restore(data)
            self._sizes[site] = 0
            self.used(site)

    def close(self) -> None:
        """Remove the temporary file."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None


def _key(site: str) -> bytes:
    """Encode a site's name; it may hold lone surrogates, which SQLite's text cannot."""
    return site.encode("utf-8", "surrogatepass")
