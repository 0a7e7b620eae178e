"""The Site Style Tree (Yi, Liu, Li: Eliminating Noisy Information in Web Pages, KDD 2003).

The DOM trees of a site's pages are merged into one tree of presentation styles. Where the pages'
contents and presentations vary, the tree is important; where they are the same, it is noise.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.stylenodes import (
    Importance,
    StyleNodes,
    composite_importance,
    leaf_importance,
    rows_of,
)
from detemplate.algorithms.tally import Tally, ranks
from detemplate.detectors.base import Detector, Options
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.styletree.page import style_page
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.styletree.page import StylePage
    from detemplate.page.page import Page

_VERSION: Final = 1
_NODE: Final = (np.uint64, np.uint64, np.uint64, np.int32, np.int32, np.int32)
_CONTENT: Final = (np.uint64, np.uint64, np.int32)
_TYPES: Final = {
    **dict.fromkeys(("key", "parent", "element"), "<u8"),
    **dict.fromkeys(("children", "depth", "pages"), "<i4"),
    **dict.fromkeys(("leaf", "feature"), "<u8"),
    "df": "<i4",
}


@dataclasses.dataclass(frozen=True, slots=True)
class StyleTreeOptions(Options):
    """Options of :class:`StyleTree`.

    γ is the paper's. The paper chooses the threshold by hand, site by site; the default here is one
    for all sites. Its display attributes are those of its time.
    """

    gamma: float = dataclasses.field(
        default=0.9, metadata={"help": "γ: how fast an element's own variety outweighs what is in it"}
    )
    threshold: float = dataclasses.field(
        default=0.3, metadata={"help": "t: elements whose composite importance is below it are noise"}
    )
    attributes: str = dataclasses.field(
        default="align bgcolor border height style valign width",
        metadata={"help": "attributes that belong to an element's presentation, separated by spaces"},
    )
    features: int = dataclasses.field(
        default=64, metadata={"help": "features of a leaf's content to remember at most (a sample)"}
    )
    max_nodes: int = dataclasses.field(
        default=4_000_000,
        metadata={"help": "nodes and features to remember a site at most; the rarest go first"},
    )

    def check(self) -> None:
        """Refuse values out of range."""
        self.require(0 <= self.gamma <= 1, "gamma", "between 0 and 1")
        self.require(0 <= self.threshold <= 1, "threshold", "between 0 and 1")
        self.require(isinstance(self.attributes, str), "attributes", "names separated by spaces")
        for name in ("features", "max_nodes"):
            value: object = getattr(self, name)
            self.require(isinstance(value, int) and 1 <= value < 2**31, name, "at least 1 and below 2**31")

    def names(self) -> tuple[bytes, ...]:
        """Give the names of the attributes, each once, in order."""
        return tuple(sorted({name.encode("utf-8", "replace") for name in self.attributes.lower().split()}))


class StyleTree(Detector):
    """Elements whose presentation and content hardly vary over a site's pages.

    Parameters
    ----------
    options
        See :class:`StyleTreeOptions`.

    Notes
    -----
    Noise is an element node that has, like all that is below it, a composite importance below t. A
    text is a leaf node of the tree, so it lies in noise exactly when its own importance is below t:
    the maximum over the subtree only grows on the way up. The score of a segment is therefore 1
    minus the importance of its leaf, and the threshold 1 - t. What stands at a place that the tree
    does not have scores 0.

    Learning does not depend on the order of the pages, and merging is exact, while the tree has no
    more than ``max_nodes`` nodes and features. Beyond it, what is on the fewest pages is forgotten;
    what was forgotten on one page counts as it would have (importance 1) until it comes again.
    """

    name: ClassVar[str] = "styletree"
    paper: ClassVar[str] = (
        "Yi, Liu, Li: Eliminating Noisy Information in Web Pages for Data Mining (KDD 2003)"
    )
    summary: ClassVar[str] = "elements whose presentation and content hardly vary over a site's pages"
    streams: ClassVar[bool] = False
    options_class: ClassVar[type[Options]] = StyleTreeOptions

    def __init__(self, options: StyleTreeOptions | None = None) -> None:
        self._options = options or StyleTreeOptions()
        self._names = self._options.names()
        self._pages = 0
        self._since = 0  # rows added since the bound was last looked at
        self._nodes = Tally(1, *_NODE)
        self._content = Tally(2, *_CONTENT, most=self._options.features)
        self._known: Importance | None = None

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> StyleTreeOptions:  # noqa: ARG003
        """Complete the options; they are the same for one pass and two."""
        return StyleTreeOptions(**given)

    @property
    def pages(self) -> int:
        """Pages learnt so far."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Memory that the tree holds, in bytes."""
        held = sum(column.nbytes for column in self._known or ())
        return self._nodes.nbytes + self._content.nbytes + held + 1000

    @property
    def nodes(self) -> StyleNodes:
        """The tree's style nodes."""
        return StyleNodes(*self._nodes.columns())

    def importance(self) -> Importance:
        """Give the composite importance of the tree's nodes, in the order of :attr:`nodes`."""
        if self._known is None:
            nodes = self.nodes
            leaf, _, df = self._content.columns()
            leaves = leaf_importance(nodes, leaf, df)
            self._known = composite_importance(nodes, leaves, self._pages, self._options.gamma)
        return self._known

    def page_tree(self, page: Page) -> StylePage:
        """Give a page's own style tree."""
        return style_page(page, self._names, self._options.features)

    def learn(self, page: Page) -> None:
        """Merge a page's style tree into the site's."""
        tree = self.page_tree(page)
        once = np.ones(len(tree.key), np.int32)
        self._nodes.add(tree.key, tree.parent, tree.element, tree.children, tree.depth, once)
        self._content.add(tree.leaf, tree.feature, np.ones(len(tree.leaf), np.int32))
        self._pages += 1
        self._known = None
        # Looked at by what was learnt alone: scoring in between must not change the tree.
        self._since += len(tree.key) + len(tree.leaf)
        if self._since > max(self._options.max_nodes // 4, 1):
            self._shrink()

    def _shrink(self) -> None:
        """Keep the bound: forget what is on the fewest pages."""
        self._since = 0
        nodes, content = self.nodes, self._content.columns()
        uses = nodes.pages[rows_of(nodes.key, content[0])]
        most = self._options.max_nodes
        if len(nodes.key) + len(uses) > most:
            both = np.concatenate([nodes.pages, uses])
            floor = np.partition(both, len(both) - most - 1)[len(both) - most - 1]
            self._nodes.replace(*(column[nodes.pages > floor] for column in nodes))
            self._content.replace(*(column[uses > floor] for column in content))

    def score(self, page: Page) -> Verdict:
        """Map a page onto the site's tree."""
        nodes, importance = self.nodes, self.importance()
        tree = self.page_tree(page)
        at = np.searchsorted(tree.rows, page.segments)
        rows = rows_of(nodes.key, tree.key[at])
        found = rows >= 0
        value = np.ones(len(rows))
        value[found] = importance.element[rows[found]]
        uses = np.zeros(len(rows), np.int64)
        uses[found] = nodes.pages[rows[found]]
        pages = self._pages

        def explain(segment: int) -> str:
            if not uses[segment]:
                return f"at a place of the layout that none of {pages} pages has"
            where = f"in an element that {uses[segment]} of {pages} pages have"
            if uses[segment] == 1:
                return where
            if value[segment] == 0:
                return f"{where}, its content the same on all of them"
            return f"{where}, its content of importance {value[segment]:.2f}"

        return Verdict((1 - value).astype(np.float32), 1 - self._options.threshold, explain)

    def merge(self, other: Self) -> Self:
        """Merge two trees."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        for each in (self, other):
            joined._nodes.add(*each.nodes)
            joined._content.add(*each._content.columns())
        joined._pages = self._pages + other._pages
        joined._shrink()
        return joined

    def to_bytes(self) -> bytes:
        """Give the tree (36 bytes a node, 20 a feature) and the options."""
        header = {"options": dataclasses.asdict(self._options), "pages": self._pages, "since": self._since}
        columns: tuple[npt.NDArray[Any], ...] = (*self.nodes, *self._content.columns())
        return pack(self.name, _VERSION, header, dict(zip(_TYPES, columns, strict=True)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave."""
        header, arrays = unpack(data, cls.name, _VERSION, _TYPES)
        try:
            restored = cls(StyleTreeOptions(**header["options"]))
            restored._pages, restored._since = int(header["pages"]), int(header["since"])
            columns: list[npt.NDArray[Any]] = [arrays[name] for name in _TYPES]
            _check_state(
                StyleNodes(*columns[:6]),
                tuple(columns[6:]),
                restored._options,
                restored._pages,
                restored._since,
            )
            restored._nodes.replace(*columns[:6])
            restored._content.replace(*columns[6:])
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


def _check_state(
    nodes: StyleNodes,
    content: tuple[npt.NDArray[Any], ...],
    options: StyleTreeOptions,
    pages: int,
    since: int,
) -> None:
    """Refuse tables that no pages can have made.

    Raises
    ------
    StateError
        If they are inconsistent.
    """
    leaf, feature, df = content
    lengths = {len(column) for column in nodes}, {len(column) for column in content}
    if any(len(each) != 1 for each in lengths) or not (0 <= pages < 2**30 and 0 <= since < 2**62):
        raise StateError("the state's tables are inconsistent")
    parents = rows_of(nodes.key, nodes.parent)
    inner = nodes.depth > 0
    order = np.argsort(nodes.element, kind="stable")
    same = nodes.element[order][1:] == nodes.element[order][:-1]
    one = [column[order][1:] == column[order][:-1] for column in (nodes.parent, nodes.depth)]
    starts = np.flatnonzero(np.concatenate([[True], ~same])) if len(order) else np.zeros(0, np.int64)
    first = order[starts]
    uses = np.add.reduceat(nodes.pages[order].astype(np.int64), starts) if len(order) else starts
    above = np.where(inner, nodes.pages[parents], pages)[first] if len(order) else starts
    known = np.bincount(parents[first][inner[first]], minlength=len(order)) if len(order) else starts
    sound = (
        (nodes.key[1:] > nodes.key[:-1]).all()
        and (nodes.pages >= 1).all()
        and (nodes.depth >= 0).all()
        and (parents[inner] >= 0).all()
        and (nodes.depth[inner] == nodes.depth[parents[inner]] + 1).all()
        and all(column[same].all() for column in one)
        and (uses <= above).all()
        and (known <= nodes.children).all()
    )
    if not sound:
        raise StateError("the state's nodes are inconsistent")
    rows = rows_of(nodes.key, leaf)
    ascending = (leaf[1:] > leaf[:-1]) | ((leaf[1:] == leaf[:-1]) & (feature[1:] > feature[:-1]))
    if not (
        (rows >= 0).all()
        and (nodes.children[rows] == 0).all()
        and ascending.all()
        and ((df >= 1) & (df <= nodes.pages[rows])).all()
        and (ranks(leaf) < options.features).all()
    ):
        raise StateError("the state's features are inconsistent")
