"""A page without its template, as HTML.

Cleaning cuts the byte ranges of whole nodes out of the canonical serialisation, so cleaned HTML is always
well formed. A node that is cut out of a line leaves a space, so that the words around it are not joined. A
picture whose caption is cut stays or goes by what stands beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.output.remains import highest_nodes, spaced_nodes
from detemplate.output.scripts import data_changes, sanitised_tags, script_nodes, unread_tags, with_emptied
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from turbohtml.clean import Sanitizer

    from detemplate.output.choice import Chosen
    from detemplate.page.page import Page


_IMAGE: Final = tags.IDS["img"]
_FIGURES: Final = tags.numbers("figure figcaption")
_HEADINGS: Final = tags.numbers("h1 h2 h3 h4 h5 h6 form nav aside footer")
_BUTTON: Final = tags.IDS["button"]
_LINK: Final = tags.IDS["a"]

# A class of a caption, or of a line that names who took the picture.
_CAPTION: Final = re.compile(
    rb"""[ ]class="[^"]*?(?:caption|credit|legend|copyright|photo-?by)""", re.IGNORECASE | re.VERBOSE
)

_LONGEST: Final = 600  # maximum characters of a caption


def with_pictures(page: Page, removed: list[int], template: npt.NDArray[np.bool_]) -> list[int]:
    """Leave pictures in the page whose captions are cut.

    A picture and its caption are a node with at most 600 characters between kept texts. It is a ``figure``
    or has one, or has a class of captions; there are neither headings, forms, navigation nor buttons with
    text in it. Some of its text is in no link: what is a link as a whole is a teaser of another page.

    ``page``, ``removed``: the page, and the rows of the nodes to cut, in document order; none is inside
        another.
    ``template``: whether each of the page's segments is template.
    Returns: the rows, those of the captions instead of those of the nodes around captions and pictures.
    """
    images = (page.columns.tag == _IMAGE).nonzero()[0].tolist()
    if not images:
        return removed
    end = page.columns.end.data
    rows: list[int] = []
    for row in removed:
        place = bisect_left(images, row)
        if place < len(images) and images[place] < end[row] and _is_captioned(page, row, template):
            rows += _without_images(page, row, images)
        else:
            rows.append(row)
    return rows


def _is_captioned(page: Page, row: int, template: npt.NDArray[np.bool_]) -> bool:
    """Tell whether a node that is cut is a picture with its caption, between kept texts."""
    columns, inside = page.columns, page.segments_in(row)
    if not 0 < inside.start < inside.stop < len(template) or columns.chars.data[row] > _LONGEST:
        return False
    if template[inside.start - 1] or template[inside.stop]:
        return False
    below = slice(row, columns.end.data[row])
    nodes = columns.tag[below].tolist()
    labelled = (columns.tag[below] == _BUTTON) & (columns.chars[below] > 0)
    if (
        not _HEADINGS.isdisjoint(nodes)
        or labelled.any()
        or (
            _FIGURES.isdisjoint(nodes)
            and not _CAPTION.search(page.canonical, columns.start[row], columns.stop[row])
        )
    ):
        return False
    tag, texts = columns.tag.data, page.segments.data
    return not all(any(tag[above] == _LINK for above in columns.above(texts[each])) for each in inside)


def _without_images(page: Page, row: int, images: list[int]) -> list[int]:
    """Give the highest nodes in a node that have its texts and no image."""
    columns = page.columns
    parent, end = columns.parent.data, columns.end.data
    rows: list[int] = []
    for segment in page.segments_in(row):
        top = int(page.segments[segment])
        if rows and top < end[rows[-1]]:
            continue
        while (up := parent[top]) >= row:
            place = bisect_left(images, up)
            if place < len(images) and images[place] < end[up]:
                break
            top = up
        rows.append(top)
    return rows


_SHELL: Final = tags.marked({1: "html head body frameset"}, np.uint8)  # marks the tags that are never cut

# Numbers of the tags after which a parser ignores a line break.
_SKIP_NEWLINE: Final = tags.numbers("listing pre textarea")

# Elements of which sanitized HTML has nothing.
_NO_CONTENT: Final = frozenset((
    "head", "iframe", "noembed", "noframes", "noscript", "object", "script", "style", "svg", "template",
    "textarea", "title",
))  # fmt: skip

_BASE: Final = tags.IDS["base"]


def removed_nodes(page: Page, template: npt.NDArray[np.bool_], chosen: Chosen | None = None) -> list[int]:
    """Return the rows of the nodes to cut.

    An element whose segments are all template is cut as a whole, with the images, forms, embeds and rules in
    it. Of other elements, only the template segments are cut, and of a picture with its caption only the
    caption (:mod:`detemplate.output.cutting`). ``html``, ``head`` and ``body`` stay.

    ``template``: whether each of its segments is template.
    ``chosen``: what a person says of its elements.
    Returns: in document order; no node is inside another.
    """
    removed = with_pictures(page, highest_nodes(page, template, _SHELL), template)
    return removed if chosen is None else chosen.cut(page, removed)


def to_html(page: Page, removed: list[int], *, keep_scripts: bool = False) -> str:
    """Render a page without the removed nodes as HTML.

    The page's first ``base`` stays, so that its links lead where they led.

    ``page``, ``removed``: the page, and the rows of the nodes to cut (:func:`removed_nodes`).
    ``keep_scripts``: whether scripts, style sheets and event handlers stay
        (:mod:`detemplate.output.scripts`). If so, and without removed nodes, the HTML is the canonical
        serialisation.
    Returns: the HTML.
    """
    kept = _base_cut(page, removed)
    if keep_scripts:
        return cut(page, removed, kept)
    rows = with_emptied(page, removed, sorted([*script_nodes(page), *unread_tags(page)]))
    return cut(page, rows, kept, [*sanitised_tags(page, rows), *data_changes(page, rows)])


def sanitized(html: str) -> str:
    """Return a fragment of HTML that is harmless inside of other pages.

    It has the elements of text (headings, lists, tables, links, images, …), their harmless attributes and
    addresses of the web, by turbohtml's list; of most other elements it has the content.
    """
    return _sanitizer().sanitize(html)


@cache
def _sanitizer() -> Sanitizer:
    from turbohtml.clean import OnDisallowed, Policy, Sanitizer

    policy = replace(
        Policy.relaxed(),
        on_disallowed_tag=OnDisallowed.STRIP,
        remove_with_content=_NO_CONTENT,
    )
    return Sanitizer(policy)


def _base_cut(page: Page, removed: list[int]) -> int:
    """Return the row of the page's first ``base`` if it is inside a removed node, else -1."""
    columns = page.columns
    bases = page.landmarks.get(_BASE)
    if bases and removed:
        base = bases[0]
        place = bisect_left(removed, base + 1) - 1
        if place >= 0 and base < columns.end.data[removed[place]]:
            return base
    return -1


def cut(
    page: Page, removed: list[int], base: int = -1, changes: Sequence[tuple[int, int, bytes]] = ()
) -> str:
    """Cut nodes out of the serialisation, and change byte ranges; without any, return all of it.

    ``page``, ``removed``: the page, and the rows of the nodes to cut.
    ``base``: row of an element inside a removed node that stays in its place; -1 for none.
    ``changes``: byte ranges outside of the removed nodes, and what is written for them.
    """
    columns = page.columns
    start, stop = columns.start.data, columns.stop.data
    parent, place, tag = columns.parent.data, columns.place.data, columns.tag.data
    canonical = page.canonical
    cuts = [
        (start[row], stop[row], row, spaced, b"")
        for row, spaced in zip(removed, spaced_nodes(page, removed), strict=True)
    ]
    if changes:
        cuts = sorted([*cuts, *((low, high, -1, False, new) for low, high, new in changes)])
    pieces = []
    at = 0
    after_start = False  # whether the next piece follows a start tag of _SKIP_NEWLINE
    for low, high, row, spaced, new in [*cuts, (len(canonical), 0, -1, False, b"")]:
        piece = canonical[at:low]
        if after_start and piece.startswith(b"\n"):
            pieces.append(b"\n")
        pieces.append(piece)
        at = high
        if row >= 0:
            first = place[row] == 0 and parent[row] >= 0 and tag[parent[row]] in _SKIP_NEWLINE
            after_start = first or (after_start and not piece)
            if base >= 0 and low <= start[base] < high:
                pieces.append(canonical[start[base] : stop[base]])
                after_start = False
            if spaced:
                pieces.append(b" ")
                after_start = False
        else:
            pieces.append(new)
            after_start = False
    return b"".join(pieces).decode()
