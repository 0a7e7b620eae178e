"""What cleaned HTML leaves out beside template: scripts, style sheets and event handlers.

Scripts that hold data stay: JSON-LD, and formulas for MathJax. So do ``style`` attributes: they say what is
hidden. An element that held nothing but what went goes, too.

Browsers may read the output in another way than turbohtml read the page: they run scripts, so that
``noscript`` holds text, and some nestings change when they are read again. So every ``<`` of the output
begins a tag whose attributes were looked at here: comments, and text that is written unescaped, have none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np

from detemplate.output.remains import script_candidates
from detemplate.page import tags
from detemplate.page.columns import COMMENT, INSTRUCTION, RAW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

# Numbers of the tags of scripts and style sheets, also inside SVG.
_CODE: Final = tags.numbers("script style")

# By value of the column ``tag``: whether the element's text is markup that browsers do not show.
_FALLBACK: Final = np.isin(np.arange(1 << 16), list(tags.numbers("iframe noembed noframes")))

_SCRIPT: Final = tags.IDS["script"]
_LINK: Final = tags.IDS["link"]
_IFRAME: Final = tags.IDS["iframe"]  # number of the tag ``iframe``, which means something without its text
_META: Final = tags.IDS["meta"]
_PARAM: Final = tags.IDS["param"]

# By value of the column ``tag``: whether the element may be a script or a style sheet.
_CANDIDATE: Final = np.isin(np.arange(1 << 16) & tags.NUMBER, [*_CODE, _LINK])

# Start tag of a script up to its type.
_TYPE: Final = re.compile(rb'<script(?: =?[^ =/>]*="[^"]*")*? type="\s*([^"]*)"')

# Start tag of a link up to its relation.
_RELATION: Final = re.compile(rb'<link(?: =?[^ =/>]*="[^"]*")*? rel="([^"]*)"')

_JSON: Final = b"application/ld+json"  # start of the type of scripts that hold JSON-LD
_FORMULA: Final = b"math/"  # start of the types of scripts that hold a formula: TeX, AsciiMath, MathML
_TAG: Final = re.compile(rb"<(?=[A-Za-z/!?])")  # what begins a tag, or a comment

# The same; or what begins and ends a comment around all of a text.
_TAG_OR_MARK: Final = re.compile(rb"\A\s*<!--|-->\s*\Z|<(?=[A-Za-z/!?])")

# Relations of links to style sheets, and to what is fetched for scripts and style sheets.
_FETCHED: Final = frozenset((b"stylesheet", b"modulepreload", b"preload", b"prefetch"))

# Numbers of the tags of elements that mean something when they are empty.
_STAYS: Final = tags.numbers(
    "html head body frameset td th audio button canvas embed iframe map math object optgroup picture select "
    "svg textarea title video"
)

_NAME: Final = re.compile(rb"<[^ \t\n\f\r/>]*")  # the start of a start tag, before its attributes

# An attribute as turbohtml writes it: name, value.
_ATTRIBUTE: Final = re.compile(rb'[ \t\n\f\r]+(=?[^ \t\n\f\r=/>]*)="([^"]*)"')

# Start of a URL that is a script, or a document that may have one; without tabs and line breaks.
_URL_SCRIPT: Final = re.compile(rb"[\x00-\x20]*(?:(?:javascript|vbscript)[\x00-\x20]*:|data:)", re.IGNORECASE)

# Start of a ``data:`` URL that is no document with scripts: none of XML, whose types end in ``+xml``.
_HARMLESS: Final = re.compile(
    rb"[\x00-\x20]*data:\s*(?:(?:image|audio|video|font)/[\w.-]+|text/(?:plain|csv)"
    rb"|application/(?:json|pdf|octet-stream))?\s*[;,]",
    re.IGNORECASE,
)

# Numbers of the tags whose ``data:`` URLs are read as images or films, in which nothing runs.
_IMAGES: Final = tags.numbers("image img input source video")

# Start of a ``data:`` URL of an image, also of SVG.
_DATA_IMAGE: Final = re.compile(rb"[\x00-\x20]*data:\s*image/", re.IGNORECASE)

# What stands before the URL in the ``content`` of a ``meta`` element that loads another page.
_REFRESH: Final = re.compile(rb"[^;,]*[;,]?\s*(?:url\s*=)?\s*[\"']?", re.IGNORECASE)

_BREAKS: Final = b"\t\n\r"  # bytes that browsers ignore in URLs

# Names of attributes that hold URLs.
_URLS: Final = frozenset(
    b"action archive background cite classid code codebase data dynsrc formaction from href longdesc lowsrc "
    b"manifest ping poster profile src to usemap values xlink:href".split()
)


def script_nodes(page: Page) -> list[int]:
    """Return the rows of scripts, style sheets, links to these, and conditional comments.

    Returns: in document order; no node is inside another.
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


def unread_tags(page: Page) -> list[int]:
    """Return the rows of comments, ``noframes``, ``noembed`` and texts of ``iframe`` that hold tags.

    Returns: in document order; no node is inside another.
    """
    columns, canonical = page.columns, page.canonical
    start, stop, tag = columns.start.data, columns.stop.data, columns.tag.data
    remark = (columns.kind == COMMENT) | (columns.kind == INSTRUCTION)
    held = _FALLBACK[columns.tag[columns.parent]] & (columns.kind == RAW) & (columns.parent >= 0)
    return [
        row if remark[row] or tag[row - 1] == _IFRAME else row - 1
        for row in (remark | held).nonzero()[0].tolist()
        if canonical.find(b"<", start[row] + 1 if remark[row] else start[row], stop[row]) >= 0
    ]


def _is_code(page: Page, row: int) -> bool:
    """Tell whether a ``script``, ``style`` or ``link`` is code, or MathML as text, which is all tags."""
    number = page.columns.tag.data[row] & tags.NUMBER
    at = page.columns.start.data[row]
    if number == _SCRIPT:
        kind = _kind(page, row)
        return not kind.startswith((_JSON, _FORMULA)) or kind.startswith(b"math/mml")
    if number == _LINK:
        match = _RELATION.match(page.canonical, at)
        return match is not None and not _FETCHED.isdisjoint(match[1].lower().split())
    return True


def _kind(page: Page, row: int) -> bytes:
    """Return the type of a ``script`` in lower case; nothing where it says none."""
    match = _TYPE.match(page.canonical, page.columns.start.data[row])
    return b"" if match is None else match[1].lower()


def data_changes(page: Page, rows: list[int]) -> list[tuple[int, int, bytes]]:
    r"""Return what is written for tags in scripts that hold data: ``\u003c`` in JSON, ``< `` in formulas.

    JSON loses a comment's marks around it.

    ``rows``: rows of the nodes to cut (:func:`with_emptied`).
    Returns: start, stop and the new bytes, ascending.
    """
    columns, canonical = page.columns, page.canonical
    scripts = (columns.tag & tags.NUMBER == _SCRIPT).nonzero()[0].tolist()
    changes: list[tuple[int, int, bytes]] = []
    place = 0
    for row in scripts:
        while place < len(rows) and columns.end.data[rows[place]] <= row:
            place += 1
        if (place < len(rows) and rows[place] <= row) or columns.end.data[row] != row + 2:
            continue
        low, high = columns.start.data[row + 1], columns.stop.data[row + 1]
        if not _kind(page, row).startswith(_JSON):
            changes += [(*found.span(), b"< ") for found in _TAG.finditer(canonical, low, high)]
            continue
        for found in _TAG_OR_MARK.finditer(canonical[low:high]):
            new = rb"\u003c" if found[0] == b"<" else b""
            changes.append((low + found.start(), low + found.end(), new))
    return changes


def with_emptied(page: Page, template: list[int], scripts: list[int]) -> list[int]:
    """Join the nodes to cut, and add the elements that hold nothing else.

    An element of which one of ``scripts`` was cut and only comments are left is cut as well. Elements stay
    that mean something without contents (cells, media, controls), or that a link of the page points to.

    ``template``, ``scripts``: rows of the nodes to cut, each list in document order.
    Returns: in document order; no node is inside another.
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
    names = [each[2] for each in _attribute_matches(page, row) if each[1].lower() in (b"id", b"name")]
    forms = {form for name in names if name for form in (name, quote(name).encode())}
    return any(b'#%b"' % form in page.canonical for form in forms)


def _attribute_matches(page: Page, row: int) -> Iterator[re.Match[bytes]]:
    canonical = page.canonical
    match = _NAME.match(canonical, page.columns.start.data[row])
    while match is not None and (match := _ATTRIBUTE.match(canonical, match.end())) is not None:
        yield match


def sanitised_tags(page: Page, rows: list[int]) -> list[tuple[int, int, bytes]]:
    """Return the byte ranges of attributes that hold scripts, outside of the nodes to cut.

    These are event handlers (``on…``), URLs that are scripts, documents inside attributes (``srcdoc`` and
    ``data:`` URLs), and the names of URLs that an SVG animation would change.

    ``rows``: rows of the nodes to cut (:func:`with_emptied`).
    Returns: start, stop and no bytes, ascending.
    """
    tag = page.columns.tag.data
    return [
        (*match.span(), b"")
        for row in script_candidates(page, rows)
        for match in _scripts_of(tag[row] & tags.NUMBER, list(_attribute_matches(page, row)))
    ]


def _scripts_of(tag: int, attributes: list[re.Match[bytes]]) -> list[re.Match[bytes]]:
    """Return those of an element's attributes that hold a script, or a document that may."""
    refresh = tag == _META and any(
        (each[1].lower(), each[2].strip().lower()) == (b"http-equiv", b"refresh") for each in attributes
    )
    return [each for each in attributes if _is_script(tag, each[1].lower(), each[2], refresh=refresh)]


def _is_script(tag: int, name: bytes, value: bytes, *, refresh: bool) -> bool:
    value = value.translate(None, _BREAKS)
    if name == b"attributename":
        return value.strip().lower().endswith(b"href")
    if refresh and name == b"content":
        value = _REFRESH.sub(b"", value, count=1)
    elif name not in _URLS and not (name == b"value" and tag == _PARAM):
        return name == b"srcdoc" or (name.startswith(b"on") and name[2:].isalnum())
    if _URL_SCRIPT.match(value) is None or _HARMLESS.match(value) is not None:
        return False
    return tag not in _IMAGES or _DATA_IMAGE.match(value) is None
