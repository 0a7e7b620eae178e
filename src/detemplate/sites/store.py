"""The detectors of a run, one a site, in bounded memory."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Detector

DEFAULT_BUDGET: Final = 2**30
"""Bytes that the detectors of all sites may hold in memory together."""

_OVERHEAD: Final = 4096


class SiteStore:
    """Detectors by site: those used last in memory, the others in a temporary SQLite file.

    Parameters
    ----------
    make
        Makes an empty detector for a new site.
    restore
        Makes a detector from the bytes of its ``to_bytes``.
    budget
        Bytes that the detectors in memory may hold together; the ones unused for longest go to disk.
        The detector in use always stays.
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
        self._held = 0
        self._disk: sqlite3.Connection | None = None
        self._stored = 0

    def __len__(self) -> int:
        return len(self._live) + self._stored

    def __getitem__(self, site: str) -> Detector:
        """Give the site's detector, a new one if the site is new."""
        detector = self._live.get(site)
        if detector is None:
            detector = self._take_back(site) or self._make()
            self._live[site] = detector
            self._sizes[site] = 0
            self.used(site)
        self._live.move_to_end(site)
        return detector

    def used(self, site: str) -> None:
        """Tell that a site's detector has changed, so that its size is counted anew."""
        size = self._live[site].nbytes + _OVERHEAD
        self._held += size - self._sizes[site]
        self._sizes[site] = size
        while self._held > self._budget and len(self._live) > 1:
            self._put_away()

    def _put_away(self) -> None:
        site, detector = self._live.popitem(last=False)
        self._held -= self._sizes.pop(site)
        if self._disk is None:
            # An empty name is a file of SQLite's own in the temporary directory, gone when closed.
            self._disk = sqlite3.connect("", isolation_level=None)
            self._disk.execute("PRAGMA journal_mode = OFF")
            self._disk.execute("CREATE TABLE site (name BLOB PRIMARY KEY, state BLOB) WITHOUT ROWID")
        self._disk.execute("INSERT INTO site VALUES (?, ?)", (_storable(site), detector.to_bytes()))
        self._stored += 1

    def _take_back(self, site: str) -> Detector | None:
        if self._disk is None:
            return None
        row = self._disk.execute("SELECT state FROM site WHERE name = ?", (_storable(site),)).fetchone()
        if row is None:
            return None
        self._disk.execute("DELETE FROM site WHERE name = ?", (_storable(site),))
        self._stored -= 1
        return self._restore(row[0])

    def close(self) -> None:
        """Let the temporary file go."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None


def _storable(site: str) -> bytes:
    """SQLite's text is UTF-8 only; a hostile site name can hold halves of surrogate pairs."""
    return site.encode("utf-8", "surrogatepass")
