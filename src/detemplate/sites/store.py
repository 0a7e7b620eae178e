"""The detectors of a run, one per site, in bounded memory."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from detemplate.sites.frozen import FrozenSites
from detemplate.sites.spilled import SpilledSites
from detemplate.sites.storetables import SiteRow, packed_state, plain_state, site_key, site_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from detemplate.detectors.base import Detector
    from detemplate.sites.storefile import StoreFile


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
