"""The detectors of a run, for reading in other processes."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from detemplate.sites.spilled import SpilledSites
from detemplate.sites.storefile import StoreFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Detector

_BYTES: Final = 1 << 28
"""Memory for the detectors that a process has read; the last used one stays whatever its size."""

_OVERHEAD: Final = 4096  # bytes added to each detector's own size


class FrozenSites:
    """Detectors in files; each is read when it is asked for, and the last used ones are kept.

    It can be pickled; each process opens the files for itself.

    Parameters
    ----------
    make, kind
        As for :class:`~detemplate.sites.store.SiteStore`.
    path
        What a run has learnt (:meth:`~detemplate.sites.store.SiteStore.frozen`); None: nothing.
    known
        Path and hash of a store of earlier runs' sites; None: there is none.
    """

    def __init__(
        self,
        make: Callable[[], Detector],
        kind: type[Detector],
        path: str | None,
        known: tuple[str, str] | None,
    ) -> None:
        self._recipe = make, kind, path, known
        self._file: SpilledSites | None = None
        self._known: StoreFile | None = None
        self._read: OrderedDict[str, tuple[Detector, int]] = OrderedDict()
        self._bytes = 0

    def __reduce__(self) -> tuple[type[FrozenSites], tuple[Any, ...]]:
        return FrozenSites, self._recipe

    def __getitem__(self, site: str) -> Detector:
        """Return the site's detector; one that knows nothing for an unknown site."""
        found = self._read.get(site)
        if found is None:
            self.open()
            detector = self._from_file(site) or self._from_known(site) or self._recipe[0]()
            found = self._read[site] = detector, detector.nbytes + _OVERHEAD
            self._bytes += found[1]
            while self._bytes > _BYTES and len(self._read) > 1:
                self._bytes -= self._read.popitem(last=False)[1][1]
        else:
            self._read.move_to_end(site)
        return found[0]

    def answer(self, site: str, query: Any) -> Any:  # noqa: ANN401  # see a detector's
        """Tell what a site has learnt about what a page asks."""
        return self[site].answer(query)

    def open(self) -> None:
        """Open the files.

        Raises
        ------
        UserError
            A file cannot be read, or the store of earlier runs has changed.
        """
        _, kind, path, known = self._recipe
        if path is not None and self._file is None:
            self._file = SpilledSites(kind, path)
        if known is not None and self._known is None:
            self._known = StoreFile.as_it_was(*known)

    def _from_file(self, site: str) -> Detector | None:
        return self._file.get(site) if self._file is not None else None

    def _from_known(self, site: str) -> Detector | None:
        return self._known.detector(site) if self._known is not None else None
