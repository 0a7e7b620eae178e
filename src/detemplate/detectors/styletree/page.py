"""The style tree of one page (Yi, Liu, Li: KDD 2003) as columns of hashes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import xxhash

from detemplate.algorithms.minwise import mixed, word_hashes
from detemplate.algorithms.tally import ranks
from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Hashes = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

_STYLE: Final = np.uint64(0x7374796C65)

_ELEMENT: Final = np.uint64(0x656C656D656E74)

_LINK: Final = np.uint64(0x6C696E6B)

_TEXT_LOOK: Final = xxhash.xxh64_intdigest(b"#text")
"""Hash of the presentation of all texts."""

_ANCHOR: Final = tags.IDS["a"]

_SILENT: Final = tags.numbers("base head link meta param source track")
"""Tag numbers of elements that show nothing, beside those that the page's flags mark as unseen."""

_TAG: Final = re.compile(rb"<([^\s/>]+)")

_ATTRIBUTE: Final = re.compile(rb'\s([^\s="/>]+)="([^"]*)"')
"""An attribute in a start tag, as the canonical serialisation writes it."""

_ONLY_ONE: Final = (b"html", b"body")
"""Elements that occur once a page; they count without their attributes."""

_TARGETS: Final = (b"href", b"src", b"data", b"poster")
"""Attributes whose value is a link or source; the first that is there counts."""


class StylePage(NamedTuple):
    """The visible elements and texts of a page as nodes of a style tree.

    Attributes
    ----------
    rows
        The nodes' rows in the page's columns, ascending.
    key, parent, element, children, depth
        As in :class:`~detemplate.algorithms.stylenodes.StyleNodes`.
    leaf, feature
        The features of the leaves' content: pairs of the leaf's key and the feature's hash, distinct and
        ascending.
    """

    rows: Numbers
    key: Hashes
    parent: Hashes
    element: Hashes
    children: Numbers
    depth: Numbers
    leaf: Hashes
    feature: Hashes


@lru_cache(maxsize=1 << 14)
def _described(head: bytes, attributes: tuple[bytes, ...]) -> tuple[int, int]:
    """Hash a start tag: its presentation, and the target of its link or source (0: none)."""
    tag = _TAG.match(head)
    name = tag[1] if tag else b""
    values = dict(reversed(_ATTRIBUTE.findall(head))) if b"=" in head else {}
    parts = [name]
    if name not in _ONLY_ONE:
        parts += [
            b"%b=%b" % (attribute, values[attribute]) for attribute in attributes if attribute in values
        ]
    target = next((values[each] for each in _TARGETS if values.get(each)), b"")
    return xxhash.xxh64_intdigest(b"\0".join(parts)), xxhash.xxh64_intdigest(target) if target else 0


def _shown(page: Page) -> npt.NDArray[np.bool_]:
    """Mark the nodes of the style tree: no comments, no elements that show nothing, nor their content."""
    columns = page.columns
    elements = columns.kind == ELEMENT
    names = np.minimum(columns.tag & (tags.IN_MATH - 1), len(tags.NAMES) - 1)
    foreign = columns.tag >= tags.IN_MATH
    silent = (tags.FLAGS & tags.UNSEEN) > 0
    silent[list(_SILENT)] = True
    silent[list(tags.numbers(tags.REPLACED))] = False
    hidden = np.where(foreign, (tags.FLAGS & tags.FOREIGN_UNSEEN)[names] > 0, silent[names])
    # Segments are visible by definition, whatever elements they are in.
    hidden &= elements & (columns.chars == 0)
    change = np.zeros(len(columns) + 1, np.int64)
    change[:-1] += hidden
    np.subtract.at(change, columns.end[hidden], 1)
    covered = np.cumsum(change[:-1]) > 0
    shown: npt.NDArray[np.bool_] = (elements | (columns.kind == TEXT)) & ~covered
    return shown


def _path_sums(values: Hashes, end: Numbers) -> Hashes:
    """Add up, for each node, the values of the node and of its ancestors."""
    change = np.append(values, np.uint64(0))
    np.subtract.at(change, end, values)
    return np.cumsum(change[:-1], dtype=np.uint64)


def style_page(page: Page, attributes: tuple[bytes, ...], features: int) -> StylePage:
    """Build a page's style tree.

    The key of a node is a hash of a sum over the node and its ancestors. There is no recursion and no loop
    over levels, so the time does not depend on the page's depth.

    Parameters
    ----------
    page
        The page.
    attributes
        Names of the attributes that belong to an element's presentation.
    features
        Maximum number of features of a leaf; those with the smallest hashes are kept.
    """
    columns = page.columns
    shown = _shown(page)
    rows = np.flatnonzero(shown)
    number = np.concatenate([[0], np.cumsum(shown)])
    end = number[columns.end[rows]]
    up = columns.parent[rows]
    parent = np.where(up >= 0, number[up], -1)
    nodes = np.arange(len(rows))
    closed = np.cumsum(np.bincount(end, minlength=len(rows) + 1)[: len(rows)])
    depth = nodes - closed
    look, link, anchor = _looks(page, rows, attributes)

    # A sequence of children is hashed as the sum of its items' hashes; an item's hash contains its position.
    by_parent = np.argsort(parent, kind="stable")
    sorted_parents = parent[by_parent]
    place = np.empty(len(rows), np.int64)
    place[by_parent] = nodes - np.searchsorted(sorted_parents, sorted_parents)
    item = mixed(look ^ mixed(place.astype(np.uint64)))
    sequence = np.zeros(len(rows), np.uint64)
    children = np.bincount(parent[parent >= 0], minlength=len(rows))
    np.add.at(sequence, parent[parent >= 0], item[parent >= 0])

    step = mixed(item ^ mixed(depth.astype(np.uint64) + _ELEMENT))
    style = mixed(step ^ mixed(sequence))
    path = _path_sums(style, end)
    key = mixed(path ^ _STYLE)
    inside = mixed((path - style) ^ _STYLE)
    element = mixed((path - style + step) ^ _ELEMENT)

    link_around = _path_sums(np.where(anchor, link, np.uint64(0)), end)
    leaf, feature = _content(page, rows, children, link, link_around)
    return StylePage(rows, key, inside, element, children, depth, *_sampled(key[leaf], feature, features))


def _looks(
    page: Page, rows: Numbers, attributes: tuple[bytes, ...]
) -> tuple[Hashes, Hashes, npt.NDArray[np.bool_]]:
    """Return, for each node, the hashes of its presentation and its target, and whether it is a link."""
    columns, canonical = page.columns, page.canonical
    elements = columns.kind[rows] == ELEMENT
    at = rows[elements]
    # A start tag ends before the first node inside; white space after the tag does no harm.
    following = np.minimum(at + 1, len(columns) - 1)
    stop = np.where(columns.end[at] > at + 1, columns.start[following], columns.stop[at])
    pairs = [
        _described(canonical[a:b], attributes)
        for a, b in zip(columns.start[at].tolist(), stop.tolist(), strict=True)
    ]
    look = np.full(len(rows), _TEXT_LOOK, np.uint64)
    link = np.zeros(len(rows), np.uint64)
    look[elements] = np.fromiter((pair[0] for pair in pairs), np.uint64, len(pairs))
    link[elements] = np.fromiter((pair[1] for pair in pairs), np.uint64, len(pairs))
    return look, link, elements & (columns.tag[rows] == _ANCHOR)


def _content(
    page: Page, rows: Numbers, children: Numbers, link: Hashes, link_around: Hashes
) -> tuple[Numbers, Hashes]:
    """Return the words, sources and link targets of leaves: numbers of the leaves, and hashes."""
    columns, canonical = page.columns, page.canonical
    texts = np.flatnonzero(columns.kind[rows] == TEXT)
    ranges = zip(columns.start[rows[texts]].tolist(), columns.stop[rows[texts]].tolist(), strict=True)
    words, counts = word_hashes([canonical[start:stop] for start, stop in ranges])
    sources = np.flatnonzero((children == 0) & (link != 0))
    linked = np.flatnonzero((children == 0) & (link_around != 0))
    leaves = np.concatenate([np.repeat(texts, counts), sources, linked])
    return leaves, np.concatenate([words, mixed(link[sources] ^ _LINK), mixed(link_around[linked] ^ _LINK)])


def _sampled(leaf: Hashes, feature: Hashes, most: int) -> tuple[Hashes, Hashes]:
    """Sort pairs, drop repeated ones, and keep the features of each leaf with the smallest hashes."""
    order = np.lexsort((feature, leaf))
    leaf, feature = leaf[order], feature[order]
    new = np.ones(len(leaf), np.bool_)
    new[1:] = (leaf[1:] != leaf[:-1]) | (feature[1:] != feature[:-1])
    leaf, feature = leaf[new], feature[new]
    kept = ranks(leaf) < most
    return leaf[kept], feature[kept]
