"""What a node looks like, in numbers: the features of Chakrabarti, Kumar, Punera 2007, section 5.2.

The paper names closeness to the margins of the page, distance from its centre, area, links per word,
the share of text inside anchors, the size of the anchors, the share of links that stay on the site,
visible characters per HTML character and the words shared with the title; and "several other features
from the position and area annotations of DOM nodes as well as from the text, links, anchortext they
contain". ``docs/features.md`` defines each. Where the paper removes stop words, nothing is removed here:
that takes a list a language.

A node's text, links and images are those in its subtree. All are sums over slices of the columns, so
one pass has them for all nodes; the compiled kernel's reference is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from detemplate.features.sitelinks import LEADS, LINK, STAYS, site_links
from detemplate.features.words import count_words
from detemplate.kernels import compiled
from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.integer]
    Floats = npt.NDArray[np.floating]
    Rows = npt.NDArray[np.int32]

KERNEL: Final[Any] = compiled("detemplate.features._node")
"""The kernel, None if it was not compiled."""

NAMES: Final[tuple[str, ...]] = (
    # where it is
    "margin",
    "margin_left",
    "margin_right",
    "margin_top",
    "margin_bottom",
    "centre",
    "centre_x",
    "centre_y",
    # how large it is
    "width",
    "height",
    "area",
    "log_area",
    # its text
    "log_words",
    "log_words_a_text",
    "text",
    "text_per_html",
    "in_title",
    "of_title",
    # its links
    "log_links",
    "links_per_word",
    "anchor_text",
    "log_anchor_size",
    "intra_site",
    # its markup
    "log_images",
    "log_depth",
    "log_children",
    "log_nodes",
)
"""Names of the columns of :func:`node_features`."""

_IMG: Final = tags.IDS["img"]
_SVG: Final = tags.IDS["svg"] | tags.IN_SVG
_LOGS: Final = [number for number, name in enumerate(NAMES) if name.startswith("log_")]


def node_features(page: Page, layout: Layout) -> npt.NDArray[np.float32]:
    """Give the features of all nodes of a page.

    Parameters
    ----------
    page
        The page.
    layout
        Its layout, estimated or rendered.

    Returns
    -------
    array of float32, nodes × features
        A row a row of ``page.columns``, comments and scripts included; a column a name of :data:`NAMES`.
        Finite; column after column in memory; within the ranges that ``docs/features.md`` gives.

    Raises
    ------
    ValueError
        The layout is another page's: it has not as many rows.
    """
    nodes = len(page.columns)
    if len(layout) != nodes:
        raise ValueError(f"the layout has {len(layout)} rows, the page has {nodes} nodes")
    across, down = max(layout.page_width, 1.0), max(layout.page_height, 1.0)
    table = np.empty((len(NAMES), nodes), np.float32)
    if KERNEL is None:
        found = {**_positions(layout, across, down), **_contents(page)}
        for name, column in zip(NAMES, table, strict=True):
            column[:] = found[name]
        return table.T
    columns, words = page.columns, count_words(page)
    boxes = (layout.left, layout.top, layout.width, layout.height)
    # Layouts from a file are read-only, which the kernel does not take.
    KERNEL.place(*(np.require(box, requirements=("C", "W")) for box in boxes), across, down, table)
    names = ("kind", "tag", "parent", "end", "start", "stop", "chars")
    KERNEL.fill(
        page.canonical,
        *(np.ascontiguousarray(getattr(columns, name)) for name in names),
        words.counts,
        words.title,
        site_links(page),
        _IMG,
        _SVG,
        np.zeros((10, nodes), np.int32),
        table,
    )
    for number in _LOGS:
        np.log1p(table[number], out=table[number])
    return table.T


def _positions(layout: Layout, across: float, down: float) -> dict[str, Floats]:
    """Give the features of boxes. A node without a box is as far out as can be."""
    left, top, width, height = (
        lengths.astype(np.float64) for lengths in (layout.left, layout.top, layout.width, layout.height)
    )
    boxed = (width > 0) | (height > 0)
    found = {
        "margin_left": _share(left, across) * boxed,
        "margin_right": _share(across - left - width, across) * boxed,
        "margin_top": _share(top, down) * boxed,
        "margin_bottom": _share(down - top - height, down) * boxed,
        "centre_x": np.where(boxed, _share(np.abs(2 * left + width - across), across), 1.0),
        "centre_y": np.where(boxed, _share(np.abs(2 * top + height - down), down), 1.0),
        "width": _share(width, across),
        "height": _share(height, down),
        "area": _share(width * height, across * down),
        "log_area": np.log1p(np.minimum(width * height, 3e38)),
    }
    found["margin"] = np.minimum.reduce(
        [found[f"margin_{side}"] for side in ("left", "right", "top", "bottom")]
    )
    found["centre"] = np.hypot(found["centre_x"], found["centre_y"]) / np.sqrt(2)
    return found


def _share(lengths: Floats, whole: float) -> Floats:
    clipped: Floats = np.clip(lengths / whole, 0, 1)
    return clipped


def _contents(page: Page) -> dict[str, Floats]:
    """Give the features of what is in subtrees."""
    columns = page.columns
    nodes, segments = len(columns), columns.segments
    words, links = count_words(page), site_links(page)
    element = columns.kind == ELEMENT
    inside, its_link = _enclosed(columns.end, np.flatnonzero(links))

    given = np.zeros((9, nodes), np.int32)
    given[:3] = words.counts
    given[3, segments] = columns.chars[segments] * inside[segments]
    given[4, segments] = 1
    given[5:8] = [(links & flag) != 0 for flag in (LINK, LEADS, STAYS)]
    given[8] = ((columns.tag == _IMG) | (columns.tag == _SVG)) & element
    upto = np.zeros((len(given), nodes + 1), np.int32)
    np.cumsum(given, axis=1, out=upto[:, 1:])
    held = upto.take(columns.end, axis=1)
    held -= upto[:, :-1]
    count, titled, different, anchors, texts, linked, lead, stay, images = held
    # What is inside of a link is that link: its text is no other than the link's.
    part = np.flatnonzero(inside & (linked == 0))
    linked[part] = 1
    lead[part] = given[6, its_link[part]]
    stay[part] = given[7, its_link[part]]

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
        "anchor_text": _ratio(anchors, np.maximum(chars, 1)),
        "log_anchor_size": _log(_ratio(anchors, np.maximum(linked, 1))),
        "intra_site": _ratio(stay, np.maximum(lead, 1)),
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
    # The bytes 80 to BF are those that do not begin a character.
    within = np.flatnonzero(np.frombuffer(page.canonical, np.int8) < -0x40)
    return size - (np.searchsorted(within, stop) - np.searchsorted(within, start))


def _depths(end: Rows, element: Bools) -> Ints:
    """Give the number of elements around each node."""
    opened = element.astype(np.int64)
    closed = np.bincount(end[element], minlength=len(end) + 1)[: len(end)]
    return np.cumsum(opened - closed) - opened


def _enclosed(end: Rows, links: Ints) -> tuple[Bools, Ints]:
    """Tell which rows are in a link, the link itself included, and the outermost one's row."""
    if not len(links):
        return np.zeros(len(end), np.bool_), np.full(len(end), -1)
    past = np.maximum.accumulate(end[links])
    outer = np.flatnonzero(links >= np.concatenate([[0], past[:-1]]))
    begins = np.zeros(len(end), np.int64)
    begins[links[outer]] = 1
    last = np.cumsum(begins) - 1
    around = links[outer[last]]
    return (last >= 0) & (np.arange(len(end)) < end[around]), around
