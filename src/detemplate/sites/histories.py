"""The histories of the sites of a run, in bounded memory."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from detemplate.files.moment import utc_now
from detemplate.sites.sitehistory import SiteHistory
from detemplate.sites.storetables import site_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.sites.glance import Glance

_HELD: Final = 1000
"""Histories that are held in memory, about 20 KB each; the others are in the store's transaction."""

_LOOK: Final = 8
"""A run that only learns looks at no other pages of a site than each eighth."""

_LOOKS: Final = 32
"""It looks at no more than one in so many pages."""

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
"""The beginning of a date that an input states."""


class Histories:
    """Takes the glances of a run, and reads and writes the histories of their sites.

    Parameters
    ----------
    read
        Returns the history of a site's key; None if there is none.
    write
        Writes the history of a site's key.
    """

    def __init__(
        self,
        read: Callable[[str | bytes], SiteHistory | None],
        write: Callable[[str | bytes, SiteHistory], None],
    ) -> None:
        self._read = read
        self._write = write
        self._held: OrderedDict[str, SiteHistory] = OrderedDict()
        self._run = utc_now()
        self._pages = 0

    def add(self, site: str, glance: Glance, date: str | None = None) -> None:
        """Take in a cleaned page.

        Parameters
        ----------
        site
            The page's site.
        glance
            What is seen of it.
        date
            When it was fetched (``WARC-Date``), if that is known; else the run's date counts.
        """
        history = self._held.get(site)
        if history is None:
            history = self._read(site_key(site)) or SiteHistory()
            self._held[site] = history
            if len(self._held) > _HELD:
                oldest, held = self._held.popitem(last=False)
                self._write(site_key(oldest), held)
        self._held.move_to_end(site)
        fetched = _MOMENT.match(date or "")
        history.add(glance, f"{fetched[0]}Z" if fetched else self._run, self._run)

    def wants(self, pages: int) -> bool:
        """Tell whether a run that only learns is to score a page, for a glance; called for each page.

        Parameters
        ----------
        pages
            Number of pages that its site has learnt, this one included.
        """
        self._pages += 1
        if pages % _LOOK or self._pages < _LOOKS:
            return False
        self._pages -= _LOOKS
        return True

    def flush(self) -> None:
        """Write all histories that are held."""
        for site, history in self._held.items():
            self._write(site_key(site), history)
        self._held.clear()
