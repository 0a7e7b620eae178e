"""Which columns of a table hold the pages' URLs and markup, by the names that people use."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

URL_NAMES: Final = (
    "url", "page_url", "uri", "warc_target_uri", "target_uri", "final_url", "source_url", "document_url",
    "original_url", "request_url", "canonical_url", "link", "href",
)  # fmt: skip
"""Names for the URL, in the order in which they are tried.

Case does not matter, nor what stands between the parts of a name: ``WARC-Target-URI``, ``pageUrl``.
"""

HTML_NAMES: Final = (
    "html", "raw_html", "html_content", "content_html", "page_html", "html_body", "html_raw", "outer_html",
    "markup",
)  # fmt: skip
"""Names that say HTML: the value is the page, whatever it holds."""

BODY_NAMES: Final = (
    "body", "content", "raw_content", "page_content", "page_source", "source_code", "response_body",
    "payload",
)  # fmt: skip
"""Names that mostly mean HTML. Tried after the others; where values are seen, one with a tag is the page."""

GENERAL_NAMES: Final = (*BODY_NAMES, "response", "raw", "document", "page", "text", "data")
"""The same, with names that may as well mean text: only where values are seen."""

_LONGEST: Final = 40  # longest name in characters that is compared with the known ones


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return a name as it is compared: its letters and digits, in lower case."""
    return "".join(filter(str.isalnum, name)).casefold()


@lru_cache(maxsize=16)
def _places(names: tuple[str, ...]) -> dict[str, int]:
    return {plain(name): place for place, name in enumerate(names)}


def named(given: Iterable[str], names: tuple[str, ...]) -> list[str]:
    """Return those of the given names that are among the known ones, or like one.

    ``given``: names of fields or columns.
    ``names``: known names, the preferred one first.
    Returns: in the order of ``names``; of equals, the one that is spelled alike stands first.
    """
    places = _places(names)
    found = [name for name in given if len(name) <= _LONGEST and plain(name) in places]
    if len(found) < 2:
        return found
    return sorted(found, key=lambda name: (places[plain(name)], name not in names))


def url_column(names: Iterable[str]) -> str | None:
    """Choose the column of URLs by its name (:data:`URL_NAMES`); None if there is none."""
    return next(iter(named(names, URL_NAMES)), None)


def html_column(names: Iterable[str]) -> str | None:
    """Choose the column of markup by its name (HTML_NAMES, then BODY_NAMES); None if there is none."""
    return next(iter(named(names, (*HTML_NAMES, *BODY_NAMES))), None)
