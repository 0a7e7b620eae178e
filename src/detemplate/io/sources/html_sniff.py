"""Is this HTML? Asked of bytes whose media type nobody declared."""

from __future__ import annotations

import re

SNIFF_SIZE = 1024

# The tags that the MIME Sniffing standard (section 7.1) takes as HTML, and some that fragments,
# feeds' opposites and old pages begin with.
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|html|head|script|iframe|h[1-6]|div|font|table|a|style|title|b|body|br|p"
    rb"|meta|link|span|ul|ol|center|main|article|section|header|nav|form|img|frameset)(?=[\s/>])",
    re.IGNORECASE,
)
_COMMENTS = re.compile(rb"(?:\s|<!--.*?-->)*", re.DOTALL)
_XHTML = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)


def looks_like_html(start: bytes) -> bool:
    """Tell whether bytes look like the beginning of an HTML or XHTML page.

    Parameters
    ----------
    start
        The first bytes, `SNIFF_SIZE` or more of them if there are as many.
    """
    # UTF-16 without a declaration: every other byte of markup is zero.
    start = start[: 4 * SNIFF_SIZE].replace(b"\0", b"")
    start = start.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    start = start[:SNIFF_SIZE].lstrip()
    if start.startswith(b"<?xml"):
        return _XHTML.search(start) is not None
    comments = _COMMENTS.match(start)
    rest = start[comments.end() :] if comments else start
    # A comment that is longer than what was looked at is taken for a page, as browsers do.
    return rest.startswith(b"<!--") or _HTML_START.match(rest) is not None
