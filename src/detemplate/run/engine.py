"""A cleaner as runs use it: with what was learned of its sites, and passes over pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.page.address import site_name
from detemplate.run.cleaner import Cleaner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.detectors.base import Learner
    from detemplate.run.pagework import PageWork
    from detemplate.sites.storetables import SiteRow


class Engine(Cleaner):
    """A :class:`~detemplate.run.cleaner.Cleaner` with the parts that users do not call."""

    write_sites = Cleaner._write_sites
    knows = Cleaner._knows
    unknown = Cleaner._unknown
    attempts = Cleaner._attempts
    passes = Cleaner._passes

    @property
    def work(self) -> PageWork[Any]:
        """The work on one page."""
        return self._work

    def learnt(self) -> Iterator[tuple[SiteRow, bytes]]:
        """Return the rows and states of the sites that have learned, without those of a loaded store."""
        return self._sites.learnt()

    @property
    def knows_sites(self) -> bool:
        """Whether a store of earlier sites was loaded."""
        return self._sites.known is not None

    @property
    def used_sites(self) -> int:
        """Number of sites so far, without those of a loaded store of which no page has come."""
        return self._sites.used_sites

    def detector(self, site: str) -> Learner:
        """Return the learner of a site; a new one for a new site."""
        return self._sites[site_name(site)]
