"""Pictures whose captions go: they stay with the text around them."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from detemplate.page.page import Page

_IMAGE: Final = tags.IDS["img"]
_FIGURES: Final = tags.numbers("figure figcaption")
_HEADINGS: Final = tags.numbers("h1 h2 h3 h4 h5 h6 form button nav aside footer")
_LINK: Final = tags.IDS["a"]

# A class of a caption, or of a line that names who took the picture.
_CAPTION: Final = re.compile(
    rb"""[ ]class="[^"]*?(?:caption|credit|legend|copyright|photo-?by)""", re.IGNORECASE | re.VERBOSE
)

_LONGEST: Final = 600  # maximum characters of a caption


def with_pictures(page: Page, removed: list[int], template: npt.NDArray[np.bool_]) -> list[int]:
    """Leave pictures in the page whose captions are cut.

    A picture and its caption are a node with at most 600 characters between kept texts. It is a ``figure``
    or has one, or has a class of captions; there are neither headings, forms nor navigation in it. Some of
    its text is in no link: what is a link as a whole is a teaser of another page.

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
    nodes = columns.tag[row : columns.end.data[row]].tolist()
    if not _HEADINGS.isdisjoint(nodes) or (
        _FIGURES.isdisjoint(nodes)
        and not _CAPTION.search(page.canonical, columns.start[row], columns.stop[row])
    ):
        return False
    return not all(_is_linked(page, int(page.segments[each])) for each in inside)


def _is_linked(page: Page, row: int) -> bool:
    """Tell whether a node is in a link."""
    parent, tag = page.columns.parent.data, page.columns.tag.data
    while row >= 0:
        if tag[row] == _LINK:
            return True
        row = parent[row]
    return False


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
