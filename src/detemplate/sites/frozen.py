"""The detectors of a run that learns nothing more, as several processes share them."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.sites.spilled import SpilledSites
from detemplate.sites.storetables import plain_state, site_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from detemplate.detectors.base import Detector
    from detemplate.sites.storefile import StoreFile

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
        File with detectors that do not fit into memory (:class:`~detemplate.sites.spilled.SpilledSites`).
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
