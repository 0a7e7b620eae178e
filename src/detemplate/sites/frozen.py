"""The detectors of a run that learns nothing more, as several processes share them."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.sites.packedstate import plain_state
from detemplate.sites.storetables import site_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from detemplate.detectors.base import Detector
    from detemplate.sites.storefile import StoreFile

_MOST_READ: Final = 256
"""Detectors that a process keeps of those that it reads from disk."""


class FrozenSites(Mapping[str, "Detector"]):
    """Detectors by site, for reading only.

    Processes that are forked share those in memory. What is on disk is read by each process when it is asked
    for; the last used ones are kept.

    Parameters
    ----------
    live
        Detectors in memory.
    files
        SQLite files with a table ``site`` (``name``, ``state``). The first that has a site counts.
    known
        Sites of earlier runs.
    make, restore
        As for :class:`~detemplate.sites.store.SiteStore`.
    """

    def __init__(
        self,
        live: Mapping[str, Detector],
        files: Sequence[str],
        known: StoreFile | None,
        make: Callable[[], Detector],
        restore: Callable[[bytes], Detector],
    ) -> None:
        self._live = dict(live)
        self._files = files
        self._known = known
        self._make = make
        self._restore = restore
        self._opened: list[sqlite3.Connection] | None = None
        self._own: StoreFile | None = None
        self._read: OrderedDict[str, Detector] = OrderedDict()

    def __getitem__(self, site: str) -> Detector:
        """Return the site's detector; one that knows nothing for an unknown site."""
        found = self._live.get(site) or self._read.get(site)
        if found is not None:
            return found
        found = self._from_disk(site) or self._from_known(site) or self._make()
        self._read[site] = found
        if len(self._read) > _MOST_READ:
            self._read.popitem(last=False)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._live)

    def __len__(self) -> int:
        return len(self._live)

    def _from_disk(self, site: str) -> Detector | None:
        if self._opened is None:  # each process opens the files for itself
            uris = [f"{Path(path).resolve().as_uri()}?mode=ro" for path in self._files]
            self._opened = [sqlite3.connect(uri, uri=True) for uri in uris]
        for file in self._opened:
            row = file.execute("SELECT state FROM site WHERE name = ?", (site_key(site),)).fetchone()
            if row is not None:
                return self._restore(plain_state(row[0]))
        return None

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
