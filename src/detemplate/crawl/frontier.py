"""The URLs of a crawl: those that wait, those that were fetched, and the bounds of both."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.crawl.options import ANYWHERE, LEVEL, CrawlOptions
from detemplate.crawl.urls import refusal, shape, without_session
from detemplate.page.urls import canonical_url, signed_key
from detemplate.sites.naming import domain, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_WAITING: Final = 1_000_000
"""URLs that wait at most; further ones are dropped and counted."""

MOST_REDIRECTS: Final = 10
"""Redirects in a row that are followed."""

_MOST_SHAPES: Final = 200_000
"""Shapes of URLs that are counted; beyond, the rarer half is forgotten."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A URL that waits to be fetched.

    Attributes
    ----------
    url
        The canonical URL.
    depth
        Number of links from a start URL.
    redirects
        Number of redirects that led to it, in a row.
    priority
        Greater ones are fetched first.
    """

    url: str
    depth: int = 0
    redirects: int = 0
    priority: int = 0

    @property
    def key(self) -> int:
        """What the frontier knows the URL by."""
        return signed_key(self.url)


class Frontier:
    """Decides which URLs are fetched, each once.

    Parameters
    ----------
    starts
        The given URLs. Their sites are the scope of the crawl.
    options
        Options of the crawl.

    Attributes
    ----------
    starts : list of Entry
        The given URLs, in their order, each once.
    refused : Counter
        Number of links that were not followed, by reason. Links to known pages are not counted.
    """

    def __init__(self, starts: Iterable[str], options: CrawlOptions) -> None:
        self._options = options
        self._waiting: dict[int, int] = {}
        self._claimed: set[int] = set()
        self._shapes: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._scope: set[str] = set()
        self.starts: list[Entry] = []
        for url in starts:
            self._scope.add(self._site(url))
            entry = Entry(url, priority=self.priority(0))
            if entry.key not in self._waiting:
                self._waiting[entry.key] = entry.priority
                self.starts.append(entry)

    def __len__(self) -> int:
        """Return the number of URLs that wait."""
        return len(self._waiting)

    def _site(self, url: str) -> str:
        return "" if self._options.scope == ANYWHERE else site_of(url, self._options.scope)

    def priority(self, depth: int, template: float = 0.0) -> int:
        """Give the priority of a link in a breadth-first crawl.

        ``template`` is the template score of the pagelet that holds it, in [0, 1]. The priority is that of
        ``links/focus.py``, with a base of minus the depth.
        """
        return round(-LEVEL * (depth + self._options.penalty * template))

    def offer(self, url: str, depth: int, *, redirects: int = 0, priority: int | None = None) -> Entry | None:
        """Take a link; give what is to be fetched, if it is.

        Parameters
        ----------
        url
            The canonical URL of its target.
        depth
            Depth of the target.
        redirects
            Number of redirects in a row, this one included.
        priority
            Its priority; None: by its depth.

        Returns
        -------
        Entry or None
            None: the target is known, or is not to be fetched (:attr:`refused` counts why). A URL that waits
            is given again where its new priority is greater: the first one that is claimed counts.
        """
        url = canonical_url(without_session(url)) or url
        wanted = self.priority(depth) if priority is None else priority
        entry = Entry(url, depth, redirects, wanted)
        key = entry.key
        if key in self._claimed:
            return None
        waits = self._waiting.get(key)
        if waits is not None:
            if wanted <= waits:
                return None
            self._waiting[key] = wanted
            return entry
        # A site that is given as http://example.org may be served at https://www.example.org.
        if redirects and depth == 0 and any(domain(start.url) == domain(url) for start in self.starts):
            self._scope.add(self._site(url))
        reason = self._refusal(entry)
        if reason is not None:
            self.refused[reason] += 1
            return None
        self._waiting[key] = wanted
        return entry

    def _in_scope(self, url: str) -> bool:
        site = self._site(url)
        if self._options.scope == "directory":
            return site.startswith(tuple(self._scope))
        return site in self._scope

    def _refusal(self, entry: Entry) -> str | None:  # noqa: PLR0911  # a reason each
        if not entry.url.startswith(("http://", "https://")):
            return "no web address"
        if not self._in_scope(entry.url):
            return "other site"
        if entry.depth > self._options.depth:
            return "too deep"
        if entry.redirects > MOST_REDIRECTS:
            return "redirects"
        if (reason := refusal(entry.url)) is not None:
            return reason
        if len(self._waiting) >= MOST_WAITING:
            return "too many waiting"
        alike = shape(entry.url)
        if self._shapes[alike] >= self._options.max_alike:
            return "too many alike"
        self._shapes[alike] += 1
        if len(self._shapes) > _MOST_SHAPES:
            self._shapes = Counter(dict(self._shapes.most_common(_MOST_SHAPES // 2)))
        return None

    def is_claimed(self, entry: Entry) -> bool:
        """Tell whether an entry's URL was claimed."""
        return entry.key in self._claimed

    def claim(self, entry: Entry) -> bool:
        """Tell whether an entry is to be fetched now; only the first of a URL is."""
        key = entry.key
        if key in self._claimed:
            return False
        self._waiting.pop(key, None)
        self._claimed.add(key)
        return True
