"""URLs that a crawl need not, or should not, fetch: session ids, other file types, endless spaces of URLs."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from scrapy.linkextractors import IGNORED_EXTENSIONS

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
