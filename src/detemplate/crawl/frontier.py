"""The URLs of a crawl: which are worth a request, and each once."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from scrapy.core.scheduler import Scheduler
from scrapy.linkextractors import IGNORED_EXTENSIONS

from detemplate.crawl.options import ANYWHERE
from detemplate.page.urls import signed_key
from detemplate.sites.naming import domain, site_of

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.internet.defer import Deferred


LONGEST: Final = 2_000
"""Characters of a URL; longer ones are mostly made by loops of relative links and parameters."""

MOST_REPEATS: Final = 3
"""Times that one name may stand in a path: relative links that lead ever deeper repeat theirs."""

OTHER_FILES: Final = frozenset(
    """
    avif cur eot heic ico jpe otf psd svgz ttf woff woff2 flac m3u midi mkv mpeg oga ogv opus weba
    cab deb dll gz img msi rpm so tbz2 tgz wasm whl z zst atom bib class csv djvu dot epub ics json key map
    mjs mobi numbers pages rdf rtf torrent txt vcf webmanifest xsd xsl xslt
    """.split()  # noqa: SIM905  # easier to read
).union(IGNORED_EXTENSIONS)
"""Extensions of files that are no pages."""

_SESSION_IDS: Final = re.compile(
    r"(?:phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sessid|sid|cfid|cftoken|"
    r"utm_\w+|fbclid|gclid|msclkid|mc_cid|mc_eid)",
    re.IGNORECASE,
)
"""Names of parameters that tell visitors apart, or where they came from, and not pages."""

_PATH_SESSION: Final = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?;]*", re.IGNORECASE)
"""A session id within a path, as Java servers write it."""

_DIGITS: Final = re.compile(r"\d+")  # a number within a URL


def without_session(url: str) -> str:
    """Take session ids and marks of campaigns out of a canonical URL.

    >>> without_session("http://a/b;jsessionid=1F?x=1&PHPSESSID=2&utm_source=c")
    'http://a/b?x=1'
    """
    if ";" not in url and "?" not in url:
        return url
    scheme, netloc, path, query, _ = urlsplit(url)
    kept = [part for part in query.split("&") if not _SESSION_IDS.fullmatch(part.partition("=")[0])]
    return urlunsplit((scheme, netloc, _PATH_SESSION.sub("", path), "&".join(kept), ""))


def shape(url: str) -> str:
    """Return what many URLs of one endless space share.

    It has the directory with all numbers alike, and the sorted names of parameters. A calendar's URLs have
    one shape, whether its days stand in the path or in parameters.

    >>> shape("http://a/calendar/2026/11/03?view=day&zone=2")
    'http://a/calendar/#/#/#?view&zone'
    >>> shape("http://a/wiki/Suffix_array")
    'http://a/wiki/'
    """
    scheme, netloc, path, query, _ = urlsplit(url)
    directory = _DIGITS.sub("#", path[: path.rfind("/") + 1])
    if not query:
        return f"{scheme}://{netloc}{directory}"
    names = sorted({_DIGITS.sub("#", part.partition("=")[0]) for part in query.split("&")})
    last = _DIGITS.sub("#", path[path.rfind("/") + 1 :])
    return f"{scheme}://{netloc}{directory}{last}?{'&'.join(names)}"


def refusal(url: str) -> str | None:
    """Tell why a URL is not worth a request; None if it may be."""
    if len(url) > LONGEST:
        return "too long"
    path = urlsplit(url).path
    names = [name for name in path.split("/") if name]
    if len(names) > MOST_REPEATS and max(map(names.count, set(names))) > MOST_REPEATS:
        return "trap"
    stem, dot, extension = path[path.rfind("/") + 1 :].rpartition(".")
    if not (dot and stem) or extension.lower() not in OTHER_FILES:
        return None
    return None if path.endswith(".xml.gz") else "file type"  # sitemaps have such names


MOST_WAITING: Final = 1_000_000
"""URLs that wait at most; further ones are dropped and counted."""

MOST_REDIRECTS: Final = 10
"""Redirects in a row that are followed."""

_MOST_SHAPES: Final = 200_000  # shapes of URLs that are counted; beyond, the rarer half is forgotten


class Frontier(Scheduler):
    """Scrapy's scheduler, which refuses what is not worth a request, and counts why.

    Its dupefilter would keep the priority that a URL had first. Here, a URL that waits is taken again where
    its new priority is greater.
    """

    def open(self, spider: Any) -> Deferred[None] | None:  # noqa: ANN401  # a CrawlSpider
        """Begin; the given URLs' sites are the scope of the crawl."""
        self._crawl = spider
        self._options = spider.options
        self._starts = frozenset(spider.starts)
        self._domains = {domain(url) for url in self._starts}
        self._scope = {self._site(url) for url in self._starts}
        self._waiting: dict[int, int] = {}
        self._claimed: set[int] = set()
        self._shapes: Counter[str] = Counter()
        return super().open(spider)

    def enqueue_request(self, request: Request) -> bool:
        """Take a request, unless its URL is known or not to be fetched."""
        if "retry_times" not in request.meta:
            key = signed_key(request.url)
            if key in self._claimed:
                return False
            waits = self._waiting.get(key)
            if waits is None and (reason := self._refusal(request)) is not None:
                self._crawl.summary.refused[reason] += 1
                return False
            if waits is not None and request.priority <= waits:
                return False
            self._waiting[key] = request.priority
            self._crawl.summary.waiting = len(self._waiting)
        return super().enqueue_request(request)

    def next_request(self) -> Request | None:
        """Return the best request whose URL was not asked for."""
        while not self._crawl.ended and (request := super().next_request()) is not None:
            if "retry_times" in request.meta or self.claim(request.url):
                return request
        return None

    def claim(self, url: str) -> bool:
        """Tell whether a URL was not asked for; from now on, it was."""
        key = signed_key(url)
        new = key not in self._claimed
        self._claimed.add(key)
        self._waiting.pop(key, None)
        self._crawl.summary.waiting = len(self._waiting)
        return new

    def _site(self, url: str) -> str:
        return "" if self._options.scope == ANYWHERE else site_of(url, self._options.scope)

    def _in_scope(self, url: str) -> bool:
        site = self._site(url)
        if self._options.scope == "directory":
            return site.startswith(tuple(self._scope))
        return site in self._scope

    def _refusal(self, request: Request) -> str | None:  # noqa: PLR0911  # a reason each
        """Tell why a URL is not to be fetched, if so."""
        url, depth = request.url, request.meta["depth"]
        redirects = request.meta["redirect_times"]
        if url in self._starts:
            return None
        # A site that is given as http://example.org may be served at https://www.example.org.
        if redirects and depth == 0 and domain(url) in self._domains:
            self._scope.add(self._site(url))
        if not url.startswith(("http://", "https://")):
            return "no web address"
        if not self._in_scope(url):
            return "other site"
        if depth > self._options.depth:
            return "too deep"
        if redirects > MOST_REDIRECTS:
            return "redirects"
        if (reason := refusal(url)) is not None:
            return reason
        if len(self._waiting) >= MOST_WAITING:
            return "too many waiting"
        alike = shape(url)
        if self._shapes[alike] >= self._options.max_alike:
            return "too many alike"
        self._shapes[alike] += 1
        if len(self._shapes) > _MOST_SHAPES:
            self._shapes = Counter(dict(self._shapes.most_common(_MOST_SHAPES // 2)))
        return None
