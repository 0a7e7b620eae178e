"""Prepares a page for a browser, and reads the browser's boxes back as a layout.

The browser gets the page's canonical serialisation with a stamp on every start tag: the number of its row. So
boxes find their rows by number, whatever the browser's parser makes of the markup. If it moves an element, or
makes two of one (misnested formatting), the boxes still count for its row.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.layout.layout import Layout
from detemplate.page import tags
from detemplate.page.columns import CODE, ELEMENT, RAW, TEXT
from detemplate.page.whitespace import BLANK, collapse

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

STAMP: Final = "data-detemplate-row"
_NAME: Final = re.compile(rb"<[^ >]+")
_TAG: Final = re.compile(rb'<[^ >]+(?: .[^=]*="[^"]*")*>', re.DOTALL)
_REFRESH: Final = re.compile(rb' http-equiv="\s*refresh', re.IGNORECASE)
_SHOWS: Final = re.compile(rf"[^{BLANK}]")
_NO_REFRESH: Final = b' http-equiv="none"'
"""Disables a refresh. It stands before the page's own attributes: of two with one name the first counts."""
_NO_SOURCE: Final = b' src="about:blank"'  # leaves a frame empty
_STYLE: Final = b"<style>noscript{display:none!important}</style>"
"""Hides ``noscript``, which the browser would show since scripts are off; its text is no segment."""
_META: Final = tags.IDS["meta"]
_HEAD: Final = tags.IDS["head"]
_FRAMES: Final = tags.numbers("iframe frame")
_TEXT_NODE: Final = 3


def stamped(page: Page, *, frames: bool = False) -> bytes:
    """Write a page for the browser in UTF-8: a stamp on each start tag, no refreshes, frames if wanted."""
    columns, canonical = page.columns, page.canonical
    rows = np.flatnonzero(columns.kind == ELEMENT)
    pieces = []
    done = 0
    for row, start, tag in zip(
        rows.tolist(), columns.start[rows].tolist(), columns.tag[rows].tolist(), strict=True
    ):
        name = _NAME.match(canonical, start)
        if name is None:  # no such serialisation is known
            continue
        at = name.end()
        pieces += [canonical[done:at], b' %s="%d"' % (STAMP.encode(), row)]
        done = at
        if tag == _META and _REFRESH.search(canonical, at, int(columns.stop[row])):
            pieces.append(_NO_REFRESH)
        elif tag in _FRAMES and not frames:
            pieces.append(_NO_SOURCE)
        elif tag == _HEAD:
            whole = _TAG.match(canonical, start)
            done = whole.end() if whole is not None else at
            pieces += [canonical[at:done], _STYLE] if whole is not None else []
    pieces.append(canonical[done:])
    return b"".join(pieces)


def layout_of(page: Page, snapshot: dict[str, Any]) -> Layout:
    """Read the boxes of a page's rows from a snapshot of :func:`stamped`; zeros for rows without a box."""
    document = snapshot["documents"][0]
    rows = _rows_of_nodes(page, document["nodes"], snapshot["strings"])
    laid = document["layout"]
    bounds = np.array(laid["bounds"], np.float64).reshape(-1, 4)
    owner = rows[np.array(laid["nodeIndex"], np.int64)]
    bounds, owner = bounds[owner >= 0], owner[owner >= 0]
    count = len(page.columns)
    first = np.full((2, count), np.inf)
    last = np.full((2, count), -np.inf)
    for axis in (0, 1):
        np.minimum.at(first[axis], owner, bounds[:, axis])
        np.maximum.at(last[axis], owner, bounds[:, axis] + np.maximum(bounds[:, axis + 2], 0))
    none = ~np.isfinite(first).all(axis=0)
    first[:, none] = last[:, none] = 0
    left, top = first.astype(np.float32)
    width, height = (last - first).astype(np.float32)
    size = (float(document["contentWidth"]), float(document["contentHeight"]))
    return Layout(left, top, width, height, *size)


def _rows_of_nodes(page: Page, nodes: dict[str, Any], strings: list[str]) -> npt.NDArray[np.int64]:
    """Return the row of each of the browser's nodes; -1 for nodes that the page does not have."""
    columns = page.columns
    count = len(columns)
    rows = np.full(len(nodes["nodeType"]), -1, np.int64)
    stamp = strings.index(STAMP) if STAMP in strings else -2
    for node, attributes in enumerate(nodes["attributes"]):
        if attributes and attributes[0] == stamp:
            value = strings[attributes[1]]
            if value.isascii() and value.isdigit() and int(value) < count:
                rows[node] = int(value)
    theirs: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for node, (kind, above) in enumerate(zip(nodes["nodeType"], nodes["parentIndex"], strict=True)):
        if kind == _TEXT_NODE and above >= 0 and rows[above] >= 0:
            value = nodes["nodeValue"][node]
            text = strings[value] if value >= 0 else ""
            if _SHOWS.search(text):
                theirs[int(rows[above])].append((node, text))
    ours: dict[int, list[int]] = defaultdict(list)
    texts = np.flatnonzero((columns.kind == TEXT) | (columns.kind == RAW) | (columns.kind == CODE))
    for row, above in zip(texts.tolist(), columns.parent[texts].tolist(), strict=True):
        ours[above].append(row)
    for above, nodes_there in theirs.items():
        _pair(page, ours.get(above, []), nodes_there, rows)
    return rows


def _pair(page: Page, ours: list[int], theirs: list[tuple[int, str]], rows: npt.NDArray[np.int64]) -> None:
    """Pair the texts of one element: in order if their numbers are equal, else by their text."""
    if len(ours) == len(theirs):
        for row, (node, _) in zip(ours, theirs, strict=True):
            rows[node] = row
        return
    places: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(ours):
        places[page.text_of(row)].append(place)
    begin = 0
    for node, text in theirs:
        there = places.get(collapse(text), [])
        if (found := bisect_left(there, begin)) < len(there):
            rows[node] = ours[there[found]]
            begin = there[found] + 1
