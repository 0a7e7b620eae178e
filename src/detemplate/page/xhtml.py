"""XHTML pages whose text a self-closed script would hold, since pages are read as HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.reread import NO_TEXT, ended_early

if TYPE_CHECKING:
    from detemplate.page.columns import Columns
    from detemplate.page.landmarks import Landmarks

_XHTML: Final = "application/xhtml+xml"  # media type of XHTML

# How an XML declaration at the page's beginning is serialised: to HTML it is a comment.
#
# A byte-order mark before it, in text that is decoded, is the page's first text to HTML.
_XML: Final = re.compile(rb"(?:<html[^>]*><head></head><body>\xef\xbb\xbf)?<!--\?xml\s")

_ADDRESS: Final = b"http://www.w3.org/1999/xhtml"  # name of XHTML's namespace

# The start tag of XHTML's root element.
_NAMESPACE: Final = re.compile(rb"<html[^>]*\sxmlns=[\"']%b[\"']" % re.escape(_ADDRESS))

_HEAD_BYTES: Final = 4096  # bytes of a page in which it says what it is

# Whether a value of the column ``tag`` is of an element whose content is text to a parser.
_SWALLOWING: Final = np.isin(np.arange(1 << 16), [tags.IDS[name] for name in ("script", "style", "title")])

_BEGINS_TAG: Final = re.compile(r"\s*<[a-z!/]", re.IGNORECASE)  # matches markup that begins with a tag
_PAGE_TAG: Final = re.compile(r"</?(?:body|html|head)[\s>]", re.IGNORECASE)  # a tag of the whole page

# An empty element as XML writes it; group 1 is its name, group 2 its attributes.
_EMPTY: Final = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*+)((?:\s(?:\"[^\"]*\"|'[^']*'|[^\"'<>])*?)?)/>")

# Elements that are empty in HTML, too.
_VOID: Final = frozenset(name for name in tags.IDS if tags.FLAGS[tags.IDS[name]] & tags.VOID)


def says_xhtml(canonical: bytes, media_type: str | None) -> bool:
    """Tell whether a page says that it is XHTML.

    ``canonical``: the page, read as HTML.
    ``media_type``: the media type that an HTTP header declares, if any.
    Returns: whether it begins with an XML declaration; or its ``html`` element names the namespace of XHTML,
        and the header, or the page's ``head``, the media type of XHTML.
    """
    if _XML.match(canonical):
        return True
    if canonical.find(_ADDRESS, 0, _HEAD_BYTES) < 0:
        return False
    start = canonical[:_HEAD_BYTES]
    return _NAMESPACE.search(start) is not None and (media_type == _XHTML or _XHTML.encode() in start)


def self_closed(canonical: bytes, columns: Columns, _: Landmarks) -> str | None:
    """Read a page as XHTML, where ``<script … />`` and other empty elements hold what follows them.

    In XML they are empty; as HTML, a script goes on to the next ``</script>``, which often takes the page's
    text. For pages that say that they are XHTML.

    ``canonical``, ``columns``: the page.
    Returns: the page with an end tag behind each empty element that is not empty in HTML, if a ``script``,
        ``style`` or ``title`` holds markup with text; else None.
    """
    return ended_early(canonical, columns, _SWALLOWING[columns.tag].nonzero()[0].tolist(), _mended)


def _mended(_: int, held: str) -> str | None:
    """Read what an element holds as XHTML; None if it is no markup of a page with text."""
    # The start tag's own slash is not in the serialisation; only markup tells that the element was empty.
    if not _BEGINS_TAG.match(held) or not _PAGE_TAG.search(held):
        return None
    held = _EMPTY.sub(_with_end_tag, held)
    return held if NO_TEXT.sub("", held).strip() else None


def _with_end_tag(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name.lower() in _VOID else f"<{name}{match[2]}></{name}>"
