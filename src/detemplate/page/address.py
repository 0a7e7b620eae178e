"""Parts of a URL that group pages: host, directory, file name."""

from __future__ import annotations

import re
import reprlib
from typing import Final
from urllib.parse import urlsplit

import xxhash

# A URL whose host is in its final form.
_PLAIN: Final = re.compile(r"https?://([a-z0-9.-]*[a-z0-9])(?=[/?#]|$)")

_LONGEST_SITE: Final = 1000  # longest name of a site in characters; hosts have 253 at most
_SHOWN: Final = 60  # characters of a URL that a ``repr`` shows at most


def at_home(url: str) -> bool:
    """Tell whether a URL is that of a site's first page: it has no path."""
    return not url.partition("//")[2].partition("/")[2]


def host(url: str) -> str:
    """Give the host of a URL, in lower case, with its port unless that is the scheme's default.

    URLs without a host give their scheme (``"file:"``): all pages from files form one site.
    """
    plain = _PLAIN.match(url)
    if plain:
        return plain[1]
    try:
        parts = urlsplit(url)
        name = parts.netloc.rpartition("@")[2].lower().rstrip(".")
    except ValueError:  # for example a broken IPv6 address
        return url.partition("//")[2].partition("/")[0].lower()
    for scheme, port in (("http", ":80"), ("https", ":443")):
        if parts.scheme == scheme:
            name = name.removesuffix(port)
    return name or (f"{parts.scheme}:" if parts.scheme else "")


def site_name(name: str) -> str:
    """Give the name of a site, any string, in bounded length: a hash stands for the end of a long one."""
    if len(name) <= _LONGEST_SITE:
        return name
    return f"{name[: _LONGEST_SITE - 33]}~{xxhash.xxh3_128_hexdigest(name.encode('utf-8', 'surrogatepass'))}"


def directory(url: str) -> str:
    """Give host and directory of a URL: all up to the last slash of its path."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    return f"{host(url)}{path.rpartition('/')[0]}/"


def file_name(url: str) -> str:
    """Give the last part of a URL's path, with its query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return parts.path.rpartition("/")[2] + (f"?{parts.query}" if parts.query else "")


def shortened(url: str) -> str:
    """Give a URL as a ``repr`` shows it: in quotes, on one line, a long one without its middle."""
    shown = reprlib.Repr()
    shown.maxstring = _SHOWN
    return shown.repr(url)
