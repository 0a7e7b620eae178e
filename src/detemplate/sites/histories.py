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
"""Histories that are held in memory, about 40 KB each; the others are in the store's transaction."""

_RELOADS: Final = 8
"""Pages for each history that is read back: where the pages of more sites than are held are mixed, some are
left out, as reading a history takes longer than adding a page to it."""

_SAVED: Final = 100.0
"""Histories that may be read back at once."""

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
        self._reloads = _SAVED

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
        self._reloads = min(self._reloads + 1 / _RELOADS, _SAVED)
        history = self._held.get(site)
        if history is None:
            if len(self._held) >= _HELD:
                if self._reloads < 1:
                    return
                self._reloads -= 1
                oldest, held = self._held.popitem(last=False)
                self._write(site_key(oldest), held)
            history = self._read(site_key(site)) or SiteHistory()
            self._held[site] = history
        self._held.move_to_end(site)
        history.add(glance, self.date_of(date), self._run)

    def date_of(self, date: str | None) -> str:
        """Return the date of a page (UTC, ISO 8601): when it was fetched, or else the run's date."""
        fetched = _MOMENT.match(date or "")
        return f"{fetched[0]}Z" if fetched else self._run

    def flush(self) -> None:
        """Write all histories that are held."""
        for site, history in self._held.items():
            self._write(site_key(site), history)
        self._held.clear()
