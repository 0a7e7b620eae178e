"""The name of the site that a page belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.files.suffixes import parts_of
from detemplate.page.address import directory, host

if TYPE_CHECKING:
    from collections.abc import Callable


def domain(url: str) -> str:
    """Return the registered domain of a URL (``news.bbc.co.uk`` → ``bbc.co.uk``), else its host.

    The public-suffix list is that of the installed tldextract package. Nothing is downloaded.
    """
    return parts_of(url).top_domain_under_public_suffix.lower() or host(url)


WAYS: Final[dict[str, Callable[[str], str]]] = {"host": host, "domain": domain, "directory": directory}
"""Functions from a URL to its site's name, by the name of the way."""


def site_of(url: str, way: str = "host") -> str:
    """Return the name of a page's site by its URL.

    The way is ``"host"``, ``"domain"`` (registered domain) or ``"directory"``; raises UserError for others.
    """
    if way in WAYS:
        return WAYS[way](url)
    raise UserError(f"unknown way to name sites: {way!r} (choose from {', '.join(WAYS)})")


def site_key(site: str) -> str | bytes:
    """Return what SQLite can hold of a site's name: the name, or its bytes if it has lone surrogates."""
    try:
        site.encode()
    except UnicodeEncodeError:
        return site.encode("utf-8", "surrogatepass")
    return site


def site_name(key: str | bytes) -> str:
    """Return the name of a site from its key."""
    return key if isinstance(key, str) else key.decode("utf-8", "surrogatepass")
