"""The page in an MHTML file, as browsers save it: the root among its parts."""

from __future__ import annotations

import email
import re
from email.errors import CloseBoundaryNotFoundDefect, MessageError
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip
from detemplate.io.sources.http_body import HTML_TYPES

if TYPE_CHECKING:
    from email.message import Message

    from detemplate.io.record import SourceRef

_BOUNDARY: Final = re.compile(rb"\bboundary\s*=", re.IGNORECASE)  # the parameter that begins a multipart

_MOST_MULTIPARTS: Final = 50
"""Multiparts that are accepted: a page has one or two, and the parser takes time for each that is open."""


def mhtml_page(data: bytes, url: str, limit: int, source: SourceRef) -> Record | Skip:
    """Make a record of the root: the part that the file names, or its first HTML part.

    ``url``: the page's URL if neither the root's ``Content-Location`` nor the file's
        ``Snapshot-Content-Location`` says it.
    ``limit``: the largest page in bytes.
    ``source``: where the file is.
    """

    def lost(reason: str, detail: str) -> Skip:
        return Skip(url, reason, detail, source, rejected=True)

    if sum(1 for _ in _BOUNDARY.finditer(data)) > _MOST_MULTIPARTS:
        return lost("bad record", f"over {_MOST_MULTIPARTS} parts of parts")
    try:
        message = email.message_from_bytes(data)
        root = _root(message)
        if root is None:
            return lost("bad record", "no MHTML: it has no HTML part")
        html = root.get_payload(decode=True)
        own = _location(root.get("Content-Location")) or _location(message["Snapshot-Content-Location"])
        charset = root.get_content_charset()
        cut = _is_cut(message, root)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # The parser is lenient, but not proof against every damage.
        return lost("bad record", f"no MHTML: {type(error).__name__}: {error}")
    if cut:
        return lost("truncated", "the file ends in the middle of the page")
    if not isinstance(html, bytes) or len(html) > limit:
        return lost("too large", f"more than {limit} bytes")
    return Record(own or url, html, charset=charset, media_type=root.get_content_type(), source=source)


def _root(message: Message) -> Message | None:
    """Return the part with the page; None if there is none."""
    pages = [part for part in message.walk() if part.get_content_type() in HTML_TYPES]
    start = str(message.get_param("start") or "")
    named = [part for part in pages if start and part.get("Content-ID") == start]
    return next(iter(named or pages), None)


def _is_cut(message: Message, root: Message) -> bool:
    """Tell whether the file ends within the page: it is the last part, and an end is missing."""
    *_, last = message.walk()
    return last is root and any(
        isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects
    )


def _location(value: object) -> str:
    """Return a header as the URL of a page; empty if it is none."""
    url = "".join(str(value or "").split())  # a long URL is folded over several lines
    return url if url.lower().startswith(("http://", "https://", "file://")) else ""
