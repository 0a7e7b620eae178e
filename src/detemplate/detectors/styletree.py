"""The Site Style Tree (Yi, Liu, Li: Eliminating Noisy Information in Web Pages, KDD 2003).

The DOM trees of a site's pages are merged into one tree of presentation styles:
:func:`style_page` makes the tree of a page, :meth:`StyleTree.take` merges it into the site's. Elements whose
content and presentation vary over the pages are important, elements that stay the same are noise:
:mod:`detemplate.algorithms.stylenodes` has the formulas.
"""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np
import xxhash

from detemplate.algorithms.minwise import mixed, word_hashes
from detemplate.algorithms.stylenodes import StyleNodes, Tally, leaf_importance, ranks, rows_of
from detemplate.detectors.base import Asked, Detector, Options, option
from detemplate.detectors.causes import because
from detemplate.detectors.state import StateError, pages_in
from detemplate.detectors.verdict import Verdict
from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.causes import Value
    from detemplate.page.page import Page

    Hashes = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]
    Reals = npt.NDArray[np.float64]

    Leaves = tuple[Reals, Numbers, int]
    """Importance and number of pages of each segment's leaf, and the number of all pages."""

_STYLE: Final = np.uint64(0x7374796C65)

_ELEMENT: Final = np.uint64(0x656C656D656E74)

_LINK: Final = np.uint64(0x6C696E6B)

_TEXT_LOOK: Final = xxhash.xxh64_intdigest(b"#text")  # hash of the presentation of all texts

_ANCHOR: Final = tags.IDS["a"]

_SILENT: Final = tags.numbers("base head link meta param source track")
"""Tag numbers of elements that show nothing, beside those that the page's flags mark as unseen."""

_TAG: Final = re.compile(rb"<([^\s/>]+)")

_ATTRIBUTE: Final = re.compile(rb'\s([^\s="/>]+)="([^"]*)"')
_ONLY_ONE: Final = (b"html", b"body")  # elements that occur once a page; they count without their attributes

_TARGETS: Final = (b"href", b"src", b"data", b"poster")
"""Attributes whose value is a link or source; the first that is there counts."""


@dataclasses.dataclass(frozen=True, slots=True)
class StyleTreeOptions(Options):
    """Options of :class:`StyleTree`.

    The attributes are the paper's. The paper chooses the threshold by hand for each site; the default here
    is the same for all sites. The paper's γ is no option: it changes the composite importance of elements,
    but not which texts lie in noise.
    """

    threshold: float = option(0.3, "t: elements with a composite importance below t are noise")
    attributes: str = option(
        "align bgcolor border height style valign width",
        "attributes that belong to an element's presentation, separated by spaces",
    )
    features: int = option(64, "most features to remember of a leaf's content (a sample)")
    max_nodes: int = option(4_000_000, "most nodes and features to remember per site; the rarest go first")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(0 <= self.threshold <= 1, "threshold", "between 0 and 1")
        self.require(isinstance(self.attributes, str), "attributes", "names separated by spaces")
        for name in ("features", "max_nodes"):
            value: object = getattr(self, name)
            self.require(isinstance(value, int) and 1 <= value < 2**31, name, "at least 1 and below 2**31")

    def names(self) -> tuple[bytes, ...]:
        """Return the names of the attributes, distinct and sorted."""
        return tuple(sorted({name.encode("utf-8", "replace") for name in self.attributes.lower().split()}))


class StylePage(NamedTuple):
    """The visible elements and texts of a page as nodes of a style tree.

    ``rows``: the nodes' rows in the page's columns, ascending.
    ``key``: as in :class:`~detemplate.algorithms.stylenodes.StyleNodes`.
    ``leaf``, ``feature``: the features of the leaves' content: pairs of the leaf's key and the feature's
        hash, distinct and ascending.
    """

    rows: Numbers
    key: Hashes
    leaf: Hashes
    feature: Hashes


def style_page(page: Page, attributes: tuple[bytes, ...], features: int) -> StylePage:
    """Build a page's style tree.

    The key of a node is a hash of a sum over the node and its ancestors. There is no recursion and no loop
    over levels, so the time does not depend on the page's depth.

    ``attributes``: names of the attributes that belong to an element's presentation.
    ``features``: maximum number of features of a leaf; those with the smallest hashes are kept.
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
    key = mixed(_path_sums(style, end) ^ _STYLE)

    link_around = _path_sums(np.where(anchor, link, np.uint64(0)), end)
    leaf, feature = _content(page, rows, children, link, link_around)
    return StylePage(rows, key, *_sampled(key[leaf], feature, features))


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
    texts = np.flatnonzero(page.columns.kind[rows] == TEXT)
    words, counts = word_hashes(page.written(rows[texts]))
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


class StyleTree(Detector):
    """Elements whose presentation and content hardly vary over a site's pages.

    Notes
    -----
    An element node is noise if it and all nodes below it have a composite importance below t. A text is a
    leaf of the tree, so it lies in noise exactly when its own importance is below t: the maximum over a
    subtree only grows on the way up. So the composite importance of elements changes no decision, and
    neither does γ. Therefore the score of a segment is 1 minus the importance of its
    leaf, and the threshold is 1 - t. A text at a place that is not in the tree scores 0.

    The order of the pages does not matter and merging is exact while the tree has at most ``max_nodes``
    nodes and features. Beyond that the entries on the fewest pages are forgotten. A forgotten entry of one
    page keeps its importance, 1, until it occurs again.
    """

    name: ClassVar[str] = "styletree"
    paper: ClassVar[str] = (
        "Yi, Liu, Li: Eliminating Noisy Information in Web Pages for Data Mining (KDD 2003)"
    )
    summary: ClassVar[str] = "elements whose presentation and content hardly vary over a site's pages"
    streams: ClassVar[bool] = False
    options_class: ClassVar[type[Options]] = StyleTreeOptions
    version: ClassVar[int] = 2

    arrays: ClassVar[Mapping[str, str]] = {
        **{"key": "<u8", "pages": "<i4"},  # columns of the style nodes
        **{"leaf": "<u8", "feature": "<u8", "df": "<i4"},  # columns of the features
    }

    _options: StyleTreeOptions

    def __init__(self, options: StyleTreeOptions | None = None) -> None:
        super().__init__(options)
        self._names = self._options.names()
        self._since = 0  # rows added since the bound was last checked
        self._nodes = Tally(1, np.uint64, np.int32)
        self._content = Tally(2, np.uint64, np.uint64, np.int32, most=self._options.features)
        self._leaves: Reals | None = None  # importance of the leaves' content

    @property
    def nbytes(self) -> int:
        """Approximate memory of the tree, in bytes."""
        leaves = 0 if self._leaves is None else self._leaves.nbytes
        return self._nodes.nbytes + self._content.nbytes + leaves + 1000

    @property
    def nodes(self) -> StyleNodes:
        """The tree's style nodes."""
        return StyleNodes(*self._nodes.columns())

    def leaves(self) -> Reals:
        """Return the importance of the content of leaves, one number for each of :attr:`nodes`."""
        if self._leaves is None:
            leaf, _, df = self._content.columns()
            self._leaves = leaf_importance(self.nodes, leaf, df)
        return self._leaves

    def page_tree(self, page: Page) -> StylePage:
        """Return the style tree of one page."""
        return style_page(page, self._names, self._options.features)

    def ask(self, page: Page) -> Asked:
        """Ask for the leaves of the page's segments: by their numbers among the nodes of its style tree."""
        tree = self.page_tree(page)
        return Asked((tree, np.searchsorted(tree.rows, page.segments)))

    def take(self, query: tuple[StylePage, Numbers]) -> None:
        """Merge the page's style tree into the site's."""
        tree, _ = query
        self._nodes.add(tree.key, np.ones(len(tree.key), np.int32))
        self._content.add(tree.leaf, tree.feature, np.ones(len(tree.leaf), np.int32))
        self._pages += 1
        self._leaves = None
        # The check depends on learned rows only: scoring in between must not change the tree.
        self._since += len(tree.key) + len(tree.leaf)
        if self._since > max(self._options.max_nodes // 4, 1):
            self._shrink()

    def _shrink(self) -> None:
        """Forget the entries on the fewest pages, if there are more than the bound."""
        self._since = 0
        nodes, content = self.nodes, self._content.columns()
        uses = nodes.pages[rows_of(nodes.key, content[0])]
        most = self._options.max_nodes
        if len(nodes.key) + len(uses) > most:
            both = np.concatenate([nodes.pages, uses])
            floor = np.partition(both, len(both) - most - 1)[len(both) - most - 1]
            self._nodes.replace(*(column[nodes.pages > floor] for column in nodes))
            self._content.replace(*(column[uses > floor] for column in content))

    def answer(self, query: tuple[StylePage, Numbers]) -> Leaves:
        """Look up the leaves in the site's tree."""
        nodes, leaves = self.nodes, self.leaves()
        tree, at = query
        rows = rows_of(nodes.key, tree.key[at])
        known = rows >= 0
        value = np.ones(len(rows))
        value[known] = leaves[rows[known]]
        uses = np.zeros(len(rows), np.int64)
        uses[known] = nodes.pages[rows[known]]
        return value, uses, self._pages

    def judge(self, page: Page, asked: Asked, answer: Leaves) -> Verdict:  # noqa: ARG002
        """Score each segment by the importance of its leaf in the site's tree."""
        value, uses, pages = answer
        scores, threshold = (1 - value).astype(np.float32), 1 - self._options.threshold

        def explain(segment: int) -> str:
            if not uses[segment]:
                told = f"at a place of the layout that none of {pages} pages has"
                return because("new_place", -1.0, told, pages=0, of=pages)
            where = f"in an element that {uses[segment]} of {pages} pages have"
            importance = float(value[segment])
            counts: dict[str, Value] = {"pages": int(uses[segment]), "of": pages}
            side = 1.0 if scores[segment] > threshold else -1.0
            if uses[segment] == 1:
                return because("element_content", side, where, **counts)
            told = f"{where}, its content of importance {importance:.2f}"
            if importance == 0:
                told = f"{where}, its content the same on all of them"
            return because("element_content", side, told, **counts, importance=round(importance, 4))

        return Verdict(scores, threshold, explain)

    def join(self, first: Self, second: Self) -> None:
        """Merge the trees of both."""
        for each in (first, second):
            self._nodes.add(*each.nodes)
            self._content.add(*each._content.columns())
        self._pages = first._pages + second._pages
        self._shrink()

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the tree: 12 bytes a node, 20 a feature."""
        columns: tuple[npt.NDArray[Any], ...] = (*self.nodes, *self._content.columns())
        header = {"pages": self._pages, "since": self._since}
        return header, dict(zip(self.arrays, columns, strict=True))

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill the tree."""
        self._pages, self._since = pages_in(header), int(header["since"])
        columns: list[npt.NDArray[Any]] = [arrays[name] for name in self.arrays]
        nodes, content = StyleNodes(*columns[:2]), columns[2:]
        lengths = {len(column) for column in nodes}, {len(column) for column in content}
        sound = self._pages < 2**30 and 0 <= self._since < 2**62
        if not sound or any(len(each) != 1 for each in lengths):
            raise StateError("the state's tables are inconsistent")
        ascending = (nodes.key[1:] > nodes.key[:-1]).all()
        if not ascending or ((nodes.pages < 1) | (nodes.pages > self._pages)).any():
            raise StateError("the state's nodes are inconsistent")
        if not _can_be_features(nodes, self._options.features, *content):
            raise StateError("the state's features are inconsistent")
        self._nodes.replace(*nodes)
        self._content.replace(*content)


def _can_be_features(nodes: StyleNodes, most: int, leaf: Hashes, feature: Hashes, df: Numbers) -> bool:
    """Tell whether features are of nodes, each on as many pages at most, in order, and few enough."""
    rows = rows_of(nodes.key, leaf)
    ascending = (leaf[1:] > leaf[:-1]) | ((leaf[1:] == leaf[:-1]) & (feature[1:] > feature[:-1]))
    return bool(
        (rows >= 0).all()
        and ascending.all()
        and ((df >= 1) & (df <= nodes.pages[rows])).all()
        and (ranks(leaf) < most).all()
    )
