"""The sites of a cleaner, and the stores in which they are kept between runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from detemplate.page.address import site_name
from detemplate.sites.storefile import StoreWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from detemplate.detectors.base import Detector
    from detemplate.errors import PageError
    from detemplate.run.checkpoint import Checkpoint
    from detemplate.sites.settings import Settings
    from detemplate.sites.store import SiteStore
    from detemplate.sites.storetables import SiteRow


class SiteKeeper:
    """What has been learnt of sites: saved, looked up, and closed.

    A context manager: at its end it is closed.

    Parameters
    ----------
    sites
        The detectors of all sites.
    """

    def __init__(self, sites: SiteStore) -> None:
        self._sites = sites

    def _settings(self) -> Settings:
        """Give what the sites are learnt with; a store keeps it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sites into a store, all or none: into the one that was loaded, those that have learnt.

        Parameters
        ----------
        path
            The store. What is in another one than that which was loaded is replaced.

        Raises
        ------
        UserError
            The store cannot be written, another run writes it or has written it since it was loaded, or the
            file is no store.
        """
        with StoreWriter(os.fspath(path)) as store:
            self.write_sites(store)
        if self._sites.known is not None and store.wrote(self._sites.known):
            self._sites.known.refresh()

    def write_sites(self, store: StoreWriter) -> None:
        """Write what :meth:`save` saves into a store that the caller closes."""
        store.begin_at(self._sites.known)
        for row, state in self._sites.learnt():
            store.put(row, state)
        store.finish(self._settings())

    def learnt(self) -> Iterator[tuple[SiteRow, bytes]]:
        """Give the rows and states of the sites that have learnt, without those of a loaded store."""
        return self._sites.learnt()

    def restore(self, path: str) -> None:
        """Begin with all sites that an earlier process of the run had learnt (:meth:`keep_in`)."""
        self._sites.restore(path)

    def keep_in(self, checkpoint: Checkpoint, lost: Mapping[int, PageError]) -> None:
        """Keep all sites in a checkpoint, and the errors of the pages that cost their worker."""
        checkpoint.between(self._sites, lost)

    @property
    def sites(self) -> int:
        """Number of sites so far, those of a loaded store included."""
        return len(self._sites)

    @property
    def used_sites(self) -> int:
        """Number of sites so far, without those of a loaded store of which no page has come."""
        return self._sites.used_sites

    def close(self) -> None:
        """Close the loaded store, and delete the temporary file. The cleaner must not be used after it."""
        self._sites.close()

    def detector(self, site: str) -> Detector:
        """Give the detector of a site; a new one for a new site."""
        return self._sites[site_name(site)]
