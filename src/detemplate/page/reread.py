"""Pages that are read again, because text stands where browsers show none.

Each rule gives the markup to read in place of a page, or None, which it nearly always gives. The rules are
applied in the order of :data:`RULES`, each once.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.columns import RAW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from detemplate.page.columns import Columns, Landmarks

    Rule = Callable[[bytes, Columns, Landmarks], str | None]

_NOTICE: Final = 200  # bytes of unseen text that are no more than a notice

# Least ratio of their text to the visible text at which ``noscript`` and ``textarea`` are shown.
_COPY: Final = 2

_OPENED: Final = 0.25  # other elements are shown if they hold over this share of the visible text
_NOSCRIPT: Final = tags.IDS["noscript"]
_BODY: Final = tags.IDS["body"]
_OBJECT: Final = tags.IDS["object"]
_IFRAME: Final = tags.IDS["iframe"]
_TEXTAREA: Final = tags.IDS["textarea"]

# Numbers of the tags of elements whose text is serialised with entities.
_ESCAPED: Final = tags.numbers("textarea title")

_TEMPLATE: Final = tags.IDS["template"]

# What a ``template`` has whose content browsers show in the place of the element around it.
_SHADOW: Final = re.compile(rb' shadowrootmode="(?:open|closed)"', re.IGNORECASE)

# Marks the values of the column ``tag`` of blocks.
_BLOCKS: Final = tags.marked(
    {1: " ".join(name for name, flags in zip(tags.NAMES, tags.FLAGS, strict=True) if flags & tags.BLOCK)},
    np.uint8,
)

# Elements whose text may be shown, by tag number, and the elements that show it.
_SHOWN_AS: Final = {
    **dict.fromkeys(tags.numbers("audio canvas object video"), b"div"),
    _TEXTAREA: b"pre",
}

# Matches the beginning of a ``noscript`` tag; group 1 is ``<`` or ``</``.
_NOSCRIPT_TAG: Final = re.compile(r"(</?)noscript(?=[\s/>])", re.IGNORECASE)

_PAGE_END: Final = re.compile(r"</(?:body|html)[\s>]", re.IGNORECASE)  # an end tag of the whole page

NO_TEXT: Final = re.compile(
    r"<(script|style)[\s/>].*?(?:</\1[^>]*+(?:>|\Z)|\Z)|<!--.*?(?:-->|\Z)|<[^>]*+(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""Markup without text. It matches up to the end of the page what has no end: no byte is tried twice."""


def _start_tags(name: str) -> re.Pattern[str]:
    """Match the start tags of an element, in any markup; an unclosed one ends with the page."""
    quoted = r"""=\s*+(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))"""
    return re.compile(rf"<{name}(?=[\s/>])(?:{quoted}|[^>])*+(?:>|\Z)", re.IGNORECASE)


# Start tags of the elements that ``<iframe/>`` and ``<textarea/>`` open, and do not close; by tag number.
_CLOSABLE: Final = {number: _start_tags(tags.NAMES[number]) for number in (_IFRAME, _TEXTAREA)}


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


def closed(canonical: bytes, columns: Columns, marks: Landmarks) -> str | None:
    """Close ``iframe`` and ``textarea`` elements that hold the rest of the page.

    They are written as ``<iframe … />``, or their end tags are missing. Their content is text to a parser.

    ``canonical``, ``columns``, ``marks``: the page, and its landmarks.
    Returns: the page with an end tag behind each such start tag, if an ``iframe`` holds markup with an end
        tag of the page, or with more text than the page shows and than a notice has; or if a ``textarea`` at
        the page's end holds text and an end tag of the page. None if there is none.
    """

    def mended(row: int, held: str) -> str | None:
        if "<" not in held and "&lt;/" not in held:
            return None
        number = int(columns.tag[row])
        if _PAGE_END.search(held):
            enough = 0 if number == _IFRAME or columns.end[row] == len(columns) else len(held)
        else:
            enough = max(_NOTICE, _visible(columns)) if number == _IFRAME else len(held)
        if len(held) <= enough or len(NO_TEXT.sub("", held).strip()) <= enough:
            return None
        return _CLOSABLE[number].sub(rf"\g<0></{tags.NAMES[number]}>", held)

    return ended_early(canonical, columns, _rows(marks, _CLOSABLE), mended)


def ended_early(
    canonical: bytes,
    columns: Columns,
    rows: Sequence[int],
    mended: Callable[[int, str], str | None],
) -> str | None:
    """End elements right behind their start tags, which hold markup as their text.

    ``canonical``, ``columns``: the page.
    ``rows``: their rows, ascending. Those with one text and nothing else are looked at.
    ``mended``: gets the row of an element and the markup that it holds. It gives the markup to follow the
        element, or None to leave the element as it is.
    Returns: the page; None where no element is ended.
    """
    pieces: list[str] = []
    at = 0
    for row in rows:
        if columns.end.data[row] != row + 2:
            continue
        start, stop = int(columns.start[row + 1]), int(columns.stop[row + 1])
        number = int(columns.tag[row])
        held = canonical[start:stop].decode()
        follows = mended(row, unescape(held) if number in _ESCAPED else held)
        if follows is not None:
            pieces += [canonical[at:start].decode(), f"</{tags.NAMES[number]}>", follows]
            at = stop
    return "".join([*pieces, canonical[at:].decode()]) if pieces else None


def opened(canonical: bytes, columns: Columns, marks: Landmarks) -> str | None:
    """Show the content of ``object`` and the like, where it is much of the page.

    Old pages have their text in an ``object``, or lack its end tag; some have it in a ``textarea``.

    ``canonical``, ``columns``, ``marks``: the page, and its landmarks.
    Returns: the page with these elements as ``div``, ``textarea`` as ``pre``, if they hold more than a
        notice, and over a quarter of what the page shows (``textarea``: over twice as much); of ``object``
        elements also those that go on to the end of the page, since nothing but their own end tag ends them.
        None if there is none.
    """
    start, stop = columns.start.data, columns.stop.data
    found = [row for row in _rows(marks, _SHOWN_AS) if stop[row] - start[row] > _NOTICE]  # they hold less
    if not found:
        return None
    rows = np.array(found, np.intp)
    sizes = _unseen(columns, rows)
    large = sizes > _NOTICE
    if not large.any():
        return None
    bodies = (columns.tag == _BODY).nonzero()[0]
    last = columns.end[bodies[0]] if len(bodies) else len(columns)
    unclosed = (columns.tag[rows] == _OBJECT) & (columns.end[rows] >= last)
    share = np.where(columns.tag[rows] == _TEXTAREA, _COPY, _OPENED)
    rows = rows[large & (unclosed | (sizes > share * _visible(columns)))]
    return _renamed(canonical, columns, {row: _SHOWN_AS[int(columns.tag[row])] for row in rows.tolist()})


def shadowed(canonical: bytes, columns: Columns, marks: Landmarks) -> str | None:
    """Show declarative shadow roots in their places.

    ``canonical``, ``columns``, ``marks``: the page, and its landmarks.
    Returns: the page with each ``template`` that has ``shadowrootmode`` as ``div``, or as ``slot``, which is
        part of a line, where there is no block in it; None if there is none.
    """
    roots = {
        row: b"div" if _BLOCKS[columns.tag[row : columns.end[row]]].any() else b"slot"
        for row in marks.get(_TEMPLATE, ())
        if _SHADOW.search(canonical, columns.start[row], canonical.find(b">", columns.start[row]))
    }
    return _renamed(canonical, columns, roots)


def _rows(marks: Landmarks, numbers: Iterable[int]) -> list[int]:
    """Return the rows of the elements of some tags, ascending."""
    return sorted(row for number in numbers for row in marks.get(number, ()))


def _renamed(canonical: bytes, columns: Columns, renamed: Mapping[int, bytes]) -> str | None:
    """Give elements other tags, by their rows, in their start tags and end tags; None without any."""
    changes: list[tuple[int, int, bytes]] = []
    for row, new in renamed.items():
        length = len(tags.NAMES[int(columns.tag[row])])
        start, stop = int(columns.start[row]) + 1, int(columns.stop[row]) - 1
        changes += [(start, start + length, new), (stop - length, stop, new)]
    pieces: list[bytes] = []
    at = 0
    for low, high, new in sorted(changes):
        pieces += [canonical[at:low], new]
        at = high
    return b"".join([*pieces, canonical[at:]]).decode() if pieces else None


def unscripted(canonical: bytes, columns: Columns, marks: Landmarks) -> str | None:
    """Read a page as browsers without scripts do, if most of its text is for them.

    Scripts would load the page's text, and ``noscript`` has a copy of it (some forum software writes such
    pages).

    ``canonical``, ``columns``, ``marks``: the page, and its landmarks.
    Returns: the page with its ``noscript`` elements as ``div``, if these hold more than a notice, and over
        twice as much as the page shows; else None.
    """
    found = marks.get(_NOSCRIPT, ())
    size = sum(columns.stop.data[row] - columns.start.data[row] for row in found)
    if size <= _NOTICE or size <= _COPY * _visible(columns):  # what they hold is shorter
        return None
    rows = np.array(found, np.intp)
    outer = rows >= np.append(0, np.maximum.accumulate(columns.end[rows])[:-1])  # inside of no other
    if _unseen(columns, rows[outer]).sum() <= max(_NOTICE, _COPY * _visible(columns)):
        return None
    return _NOSCRIPT_TAG.sub(r"\1div", canonical.decode())


def _unseen(columns: Columns, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Count the bytes of unseen text in each of some elements; of ``iframe``, whose text is markup, none."""
    texts = (columns.kind == RAW).nonzero()[0]
    texts = texts[columns.tag[columns.parent[texts]] != _IFRAME]
    before = np.append(0, (columns.stop[texts] - columns.start[texts]).cumsum(dtype=np.int64))
    return np.asarray(before[texts.searchsorted(columns.end[rows])] - before[texts.searchsorted(rows)])


def _visible(columns: Columns) -> int:
    """Count the characters of visible text."""
    chars, end = columns.chars.data, columns.end.data
    count = row = 0
    while row < len(end):  # the nodes at the top
        count += chars[row]
        row = end[row]
    return count


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


RULES: Final[tuple[Rule, ...]] = (closed, opened, shadowed, unscripted)
"""All rules, in their order."""
