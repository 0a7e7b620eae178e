"""The columns of a table that hold URLs and markup, guessed from their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

URL_NAMES: Final = (
    "url",
    "uri",
    "page_url",
    "source_url",
    "target_uri",
    "warc_target_uri",
    "original_url",
    "request_url",
    "final_url",
    "link",
    "href",
)
"""Names of columns of URLs, the preferred one first; :func:`url_column` says what is like them."""

HTML_NAMES: Final = (
    "html",
    "raw_html",
    "html_content",
    "page_html",
    "html_body",
    "markup",
    "content",
    "raw_content",
    "page_content",
    "body",
    "response_body",
    "page_source",
    "payload",
)
"""Names of columns of markup, the preferred one first: those that say HTML, then those that may be text."""


def url_column(names: Iterable[str]) -> str | None:
    """Choose the column of URLs.

    A column is chosen by its name: one of :data:`URL_NAMES`, or one like it in other letter case or with
    other signs between its words (``URL``, ``WARC-Target-URI``, ``pageUrl``). The same spelling stands before
    another one; of equals, the first column is chosen.

    Parameters
    ----------
    names
        The table's column names, in its order.

    Returns
    -------
    str or None
        One of ``names``; None if there is no such column.
    """
    return _chosen(names, URL_NAMES)


def html_column(names: Iterable[str]) -> str | None:
    """Choose the column of markup: one of :data:`HTML_NAMES`, or one like it; see :func:`url_column`."""
    return _chosen(names, HTML_NAMES)


def _chosen(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    given = list(names)
    alike: dict[str, str] = {}
    for name in given:
        alike.setdefault(_plain(name), name)
    for name in wanted:
        if name in given:
            return name
        if _plain(name) in alike:
            return alike[_plain(name)]
    return None


def _plain(name: str) -> str:
    """Give the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name)).casefold()
