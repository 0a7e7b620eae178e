"""What cleaned HTML leaves out beside template: scripts, style sheets and event handlers.

Scripts that hold data stay: JSON-LD, and formulas for MathJax. So do ``style`` attributes: they say what is
hidden. An element that held nothing but what went goes, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np

from detemplate.output.remains import inert_candidates
from detemplate.page import tags
from detemplate.page.columns import COMMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

_CODE: Final = tags.numbers("script style")
"""Numbers of the tags of scripts and style sheets, also inside SVG."""

_SCRIPT: Final = tags.IDS["script"]
"""Number of the tag ``script``."""

_LINK: Final = tags.IDS["link"]
"""Number of the tag ``link``."""

_CANDIDATE: Final = np.isin(np.arange(1 << 16) & tags.NUMBER, [*_CODE, _LINK])
"""By value of the column ``tag``: whether the element may be a script or a style sheet."""

_TYPE: Final = re.compile(rb'<script(?: =?[^ =/>]*="[^"]*")*? type="\s*([^"]*)"')
"""Start tag of a script up to its type."""

_RELATION: Final = re.compile(rb'<link(?: =?[^ =/>]*="[^"]*")*? rel="([^"]*)"')
"""Start tag of a link up to its relation."""

_DATA: Final = (b"application/ld+json", b"math/")
"""Starts of the types of scripts that hold data which readers or programs read."""

_FETCHED: Final = frozenset((b"stylesheet", b"modulepreload", b"preload", b"prefetch"))
"""Relations of links to style sheets, and to what is fetched for scripts and style sheets."""

_STAYS: Final = tags.numbers(
    "html head body frameset td th audio button canvas embed iframe map math object optgroup picture select "
    "svg textarea title video"
)
"""Numbers of the tags of elements that mean something when they are empty."""

_NAME: Final = re.compile(rb"<[^ \t\n\f\r/>]*")
"""The start of a start tag, before its attributes."""

_ATTRIBUTE: Final = re.compile(rb'[ \t\n\f\r]+(=?[^ \t\n\f\r=/>]*)="([^"]*)"')
"""An attribute as turbohtml writes it: name, value."""

_URL_SCRIPT: Final = re.compile(
    rb"[\x00-\x20]*(?:(?:javascript|vbscript)[\x00-\x20]*:|data:(?:text|application)/(?:html|xhtml|xml))",
    re.IGNORECASE,
)
"""Start of a URL that is a script, or a document that may have one; without tabs and line breaks."""

_BREAKS: Final = b"\t\n\r"
"""Bytes that browsers ignore in URLs."""

_URLS: Final = frozenset(
    b"action archive background cite classid code codebase data dynsrc formaction from href longdesc lowsrc "
    b"manifest ping poster profile src to usemap values xlink:href".split()
)
"""Names of attributes that hold URLs."""


def script_nodes(page: Page) -> list[int]:
    """Return the rows of scripts, style sheets, links to these, and conditional comments.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    list of int
        In document order; no node is inside another.
    """
    columns, canonical = page.columns, page.canonical
    kind, start = columns.kind.data, columns.start.data
    rows = ((columns.kind == COMMENT) | _CANDIDATE[columns.tag]).nonzero()[0].tolist()
    found = []
    for row in rows:
        if kind[row] == COMMENT:
            if canonical.startswith(b"<!--[if", start[row]):
                found.append(row)
        elif _is_code(page, row):
            found.append(row)
    return found


def _is_code(page: Page, row: int) -> bool:
    """Tell whether a ``script``, ``style`` or ``link`` is code."""
    number = page.columns.tag.data[row] & tags.NUMBER
    at = page.columns.start.data[row]
    if number == _SCRIPT:
        match = _TYPE.match(page.canonical, at)
        return match is None or not match[1].lower().startswith(_DATA)
    if number == _LINK:
        match = _RELATION.match(page.canonical, at)
        return match is not None and not _FETCHED.isdisjoint(match[1].lower().split())
    return True


def with_emptied(page: Page, template: list[int], scripts: list[int]) -> list[int]:
    """Join the nodes to cut, and add the elements that hold nothing else.

    An element of which a script was cut and only comments are left is cut as well. Elements that mean
    something without contents stay (cells, media, controls), and those that a link of the page points to.

    Parameters
    ----------
    page
        The page.
    template, scripts
        Rows of the nodes to cut, each list in document order.

    Returns
    -------
    list of int
        In document order; no node is inside another.
    """
    columns = page.columns
    parent, end, tag = columns.parent.data, columns.end.data, columns.tag.data
    gone = bytearray((columns.kind == COMMENT).tobytes())  # 1 for each node that goes
    for row in template:
        gone[row : end[row]] = b"\1" * (end[row] - row)
    for row in scripts:
        gone[row : end[row]] = b"\1" * (end[row] - row)
    emptied = []
    reach = 0
    for row in scripts:
        if row < reach:
            continue
        top = row
        above = parent[row]
        while (
            above >= 0
            and tag[above] & tags.NUMBER not in _STAYS
            and not gone[above]
            and gone[end[above] - 1]
            and gone.find(0, above + 1, end[above]) < 0
            and not _is_target(page, above)
        ):
            top = above
            gone[top] = 1
            above = parent[top]
        if top != row:
            emptied.append(top)
            reach = end[top]
    rows, reach = [], 0
    for row in sorted({*template, *scripts, *emptied}):
        if row >= reach:
            rows.append(row)
            reach = end[row]
    return rows


def _is_target(page: Page, row: int) -> bool:
    """Tell whether a link of the page points to an element."""
    names = [value for name, value in _attributes(page, row) if name in (b"id", b"name") and value]
    return any(b'#%b"' % form in page.canonical for value in names for form in {value, quote(value).encode()})


def _attributes(page: Page, row: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the attributes of an element: name, and value as it is written."""
    for match in _attribute_matches(page, row):
        yield match[1].lower(), match[2]


def _attribute_matches(page: Page, row: int) -> Iterator[re.Match[bytes]]:
    canonical = page.canonical
    match = _NAME.match(canonical, page.columns.start.data[row])
    while match is not None and (match := _ATTRIBUTE.match(canonical, match.end())) is not None:
        yield match


def inert_tags(page: Page, rows: list[int]) -> list[tuple[int, int]]:
    """Return the byte ranges of attributes that hold scripts, outside of the nodes to cut.

    These are event handlers (``on…``), URLs that are scripts, documents inside attributes (``srcdoc`` and
    ``data:`` URLs), and the names of URLs that an SVG animation would change.

    Parameters
    ----------
    page
        The page.
    rows
        Rows of the nodes to cut (:func:`with_emptied`).

    Returns
    -------
    list of (int, int)
        Start and stop, ascending.
    """
    return [
        match.span()
        for row in inert_candidates(page, rows)
        for match in _attribute_matches(page, row)
        if _is_script(match)
    ]


def _is_script(attribute: re.Match[bytes]) -> bool:
    """Tell whether an attribute holds a script, or a document that may."""
    name, value = attribute[1].lower(), attribute[2]
    if name == b"attributename":
        return value.lower().endswith(b"href")
    if name in _URLS:
        return _URL_SCRIPT.match(value.translate(None, _BREAKS)) is not None
    return name == b"srcdoc" or (name.startswith(b"on") and name[2:].isalnum())
