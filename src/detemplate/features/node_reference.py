"""The reference of the node features, with NumPy: sums over slices of the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from detemplate.features.linkflags import LEADS, LINK, STAYS
from detemplate.features.wordtables import COUNTS
from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from detemplate.features.words import Words
    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.integer]
    Floats = npt.NDArray[np.floating]
    Rows = npt.NDArray[np.int32]

_IMAGES: Final = (tags.IDS["img"], tags.IDS["svg"] | tags.IN_SVG)
"""Numbers of the tags of images: ``img`` and ``svg``."""

_MOST_AREA: Final = 3e38
"""Areas are cut off here: in float32 larger ones would be infinite."""


def box_features(layout: Layout, across: float, down: float) -> dict[str, Floats]:
    """Give the features of the boxes by name. A node without a box is as far out as possible.

    ``across`` and ``down`` are the width and height of the page, in pixels and above 0.
    """
    left, top, width, height = (
        lengths.astype(np.float64) for lengths in (layout.left, layout.top, layout.width, layout.height)
    )
    boxed = (width > 0) | (height > 0)
    features = {
        "margin_left": _share(left, across) * boxed,
        "margin_right": _share(across - left - width, across) * boxed,
        "margin_top": _share(top, down) * boxed,
        "margin_bottom": _share(down - top - height, down) * boxed,
        "centre_x": np.where(boxed, _share(np.abs(2 * left + width - across), across), 1.0),
        "centre_y": np.where(boxed, _share(np.abs(2 * top + height - down), down), 1.0),
        "width": _share(width, across),
        "height": _share(height, down),
        "area": _share(width * height, across * down),
        "log_area": np.log1p(np.minimum(width * height, _MOST_AREA)),
    }
    features["margin"] = np.minimum.reduce(
        [features[f"margin_{side}"] for side in ("left", "right", "top", "bottom")]
    )
    features["centre"] = np.hypot(features["centre_x"], features["centre_y"]) / np.sqrt(2)
    return features


def _share(lengths: Floats, whole: float) -> Floats:
    clipped: Floats = np.clip(lengths / whole, 0, 1)
    return clipped


def content_features(page: Page, words: Words, links: npt.NDArray[np.uint8]) -> dict[str, Floats]:
    """Give the features of the contents of subtrees by name.

    ``words`` and ``links`` are the page's word counts and the flags of its links.
    """
    columns = page.columns
    nodes, segments = len(columns), columns.segments
    element = columns.kind == ELEMENT
    inside, outermost = _enclosed(columns.end, np.flatnonzero(links))

    # Rows: the counts of words, characters in links, texts, links, links that lead to pages, links that stay
    # on the site, images.
    own = np.zeros((COUNTS + 6, nodes), np.int32)
    own[:COUNTS] = words.counts
    chars_in_links, texts, linked, leading, staying, images = own[COUNTS:]
    chars_in_links[segments] = columns.chars[segments] * inside[segments]
    texts[segments] = 1
    for flag, row in ((LINK, linked), (LEADS, leading), (STAYS, staying)):
        row[:] = (links & flag) != 0
    images[:] = np.isin(columns.tag, _IMAGES) & element
    own_leading, own_staying = leading, staying
    upto = np.zeros((len(own), nodes + 1), np.int32)
    np.cumsum(own, axis=1, out=upto[:, 1:])
    totals = upto.take(columns.end, axis=1)
    totals -= upto[:, :-1]
    count, titled, different, chars_in_links, texts, linked, leading, staying, images = totals
    # A node inside of a link counts as that link.
    part = np.flatnonzero(inside & (linked == 0))
    linked[part] = 1
    leading[part] = own_leading[outermost[part]]
    staying[part] = own_staying[outermost[part]]

    chars, some = columns.chars, np.maximum(count, 1)
    return {
        "log_words": _log(count),
        "log_words_a_text": _log(_ratio(count, np.maximum(texts, 1))),
        "text": _ratio(chars, max(int(chars[segments].sum()), 1)),
        "text_per_html": _ratio(chars, np.maximum(_html_characters(page), 1)),
        "in_title": _ratio(titled, some),
        "of_title": _ratio(different, max(words.title, 1)),
        "log_links": _log(linked),
        "links_per_word": _ratio(linked, np.maximum(some, linked)),
        "anchor_text": _ratio(chars_in_links, np.maximum(chars, 1)),
        "log_anchor_size": _log(_ratio(chars_in_links, np.maximum(linked, 1))),
        "intra_site": _ratio(staying, np.maximum(leading, 1)),
        "log_images": _log(images),
        "log_depth": _log(_depths(columns.end, element)),
        "log_children": _log(np.bincount(columns.parent[element] + 1, minlength=nodes + 1)[1:]),
        "log_nodes": _log(columns.end - np.arange(nodes)),
    }


def _ratio(part: Ints, whole: Ints | int) -> Floats:
    return np.divide(part, whole, dtype=np.float32)


def _log(values: Ints | Floats) -> Floats:
    return np.log1p(values, dtype=np.float32)


def _html_characters(page: Page) -> Ints:
    """Give the characters of each node's markup and text in the canonical serialisation."""
    start, stop = page.columns.start, page.columns.stop
    size = stop - start
    if page.canonical.isascii():
        return size
    # The bytes 80 to BF begin no character.
    within = np.flatnonzero(np.frombuffer(page.canonical, np.int8) < -0x40)
    return size - (np.searchsorted(within, stop) - np.searchsorted(within, start))


def _depths(end: Rows, element: Bools) -> Ints:
    """Give the number of elements around each node."""
    opened = element.astype(np.int64)
    closed = np.bincount(end[element], minlength=len(end) + 1)[: len(end)]
    return np.cumsum(opened - closed) - opened


def _enclosed(end: Rows, links: Ints) -> tuple[Bools, Ints]:
    """Tell which rows are in a link or are one, and give the row of the outermost link."""
    if not len(links):
        return np.zeros(len(end), np.bool_), np.full(len(end), -1)
    past = np.maximum.accumulate(end[links])
    outer = np.flatnonzero(links >= np.concatenate([[0], past[:-1]]))
    begins = np.zeros(len(end), np.int64)
    begins[links[outer]] = 1
    last = np.cumsum(begins) - 1
    around = links[outer[last]]
    return (last >= 0) & (np.arange(len(end)) < end[around]), around
