"""Recognise HTML by its first bytes, where no media type is declared."""

from __future__ import annotations

import re
from typing import Final

SNIFF_SIZE: Final = 1024
"""Number of bytes that are examined."""

_HTML_START: Final = re.compile(
    rb"<(?:!doctype\s+html|html|head|script|iframe|h[1-6]|div|font|table|a|style|title|b|body|br|p"
    rb"|meta|link|span|ul|ol|center|main|article|section|header|nav|form|img|frameset)(?=[\s/>])",
    re.IGNORECASE,
)
"""The tags of the MIME Sniffing standard (section 7.1), and tags that begin fragments and old pages."""

_COMMENTS: Final = re.compile(rb"(?:\s|<!--.*?-->)*", re.DOTALL)
"""White space and comments before the first tag."""

_XHTML: Final = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
"""What an XML document must hold to be XHTML."""


def looks_like_html(start: bytes) -> bool:
    """Return whether bytes look like the start of an HTML or XHTML page.

    ``start``: the first bytes: :data:`SNIFF_SIZE` or more, if there are that many.
    """
    # In UTF-16, every other byte of markup is zero.
    start = start[: 4 * SNIFF_SIZE].replace(b"\0", b"")
    start = start.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    start = start[:SNIFF_SIZE].lstrip()
    if start.startswith(b"<?xml"):
        return _XHTML.search(start) is not None
    comments = _COMMENTS.match(start)
    rest = start[comments.end() :] if comments else start
    # A comment without an end in these bytes counts as HTML, as in browsers.
    return rest.startswith(b"<!--") or _HTML_START.match(rest) is not None
