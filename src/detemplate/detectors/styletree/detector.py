"""The Site Style Tree (Yi, Liu, Li: Eliminating Noisy Information in Web Pages, KDD 2003).

The DOM trees of a site's pages are merged into one tree of presentation styles. Elements whose content and
presentation vary over the pages are important; elements that stay the same are noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.stylenodes import (
    Importance,
    StyleNodes,
    composite_importance,
    leaf_importance,
    rows_of,
)
from detemplate.algorithms.tally import Tally
from detemplate.detectors.base import Asked, SplitDetector
from detemplate.detectors.causes import because
from detemplate.detectors.styletree.options import StyleTreeOptions
from detemplate.detectors.styletree.page import style_page
from detemplate.detectors.styletree.statecheck import check_state
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.base import Options
    from detemplate.detectors.causes import Value
    from detemplate.detectors.styletree.page import StylePage
    from detemplate.page.page import Page

    Numbers = npt.NDArray[np.int64]
    Reals = npt.NDArray[np.float64]

    Leaves = tuple[npt.NDArray[np.float64], Numbers, int]
    """Importance and number of pages of each segment's leaf, and the number of all pages."""

GAMMA: Final = 0.9
"""The paper's γ, the attenuating factor of composite importance."""

_NODE: Final = (np.uint64, np.uint64, np.uint64, np.int32, np.int32, np.int32)
"""Types of a style node's columns: key, parent, element, children, depth, pages."""

_CONTENT: Final = (np.uint64, np.uint64, np.int32)
"""Types of a feature's columns: leaf, feature, document frequency."""


class StyleTree(SplitDetector):
    """Elements whose presentation and content hardly vary over a site's pages.

    Parameters
    ----------
    options
        See :class:`~detemplate.detectors.styletree.options.StyleTreeOptions`.

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

    arrays: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("key", "parent", "element"), "<u8"),  # columns of the style nodes
        **dict.fromkeys(("children", "depth", "pages"), "<i4"),
        **{"leaf": "<u8", "feature": "<u8", "df": "<i4"},  # columns of the features
    }

    _options: StyleTreeOptions

    def __init__(self, options: StyleTreeOptions | None = None) -> None:
        super().__init__(options)
        self._names = self._options.names()
        self._pages = 0
        self._since = 0  # rows added since the bound was last checked
        self._nodes = Tally(1, *_NODE)
        self._content = Tally(2, *_CONTENT, most=self._options.features)
        self._leaves: Reals | None = None  # importance of the leaves' content

    @property
    def pages(self) -> int:
        """Number of pages learnt."""
        return self._pages

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

    def importance(self, gamma: float = GAMMA) -> Importance:
        """Return the composite importance of the tree's nodes, in the order of :attr:`nodes`."""
        return composite_importance(self.nodes, self.leaves(), self._pages, gamma)

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
        once = np.ones(len(tree.key), np.int32)
        self._nodes.add(tree.key, tree.parent, tree.element, tree.children, tree.depth, once)
        self._content.add(tree.leaf, tree.feature, np.ones(len(tree.leaf), np.int32))
        self._pages += 1
        self._leaves = None
        # The check depends on learnt rows only: scoring in between must not change the tree.
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
        """Return the tree: 36 bytes a node, 20 a feature."""
        columns: tuple[npt.NDArray[Any], ...] = (*self.nodes, *self._content.columns())
        header = {"pages": self._pages, "since": self._since}
        return header, dict(zip(self.arrays, columns, strict=True))

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill the tree."""
        self._pages, self._since = int(header["pages"]), int(header["since"])
        columns: list[npt.NDArray[Any]] = [arrays[name] for name in self.arrays]
        check_state(StyleNodes(*columns[:6]), tuple(columns[6:]), self._options, self._pages, self._since)
        self._nodes.replace(*columns[:6])
        self._content.replace(*columns[6:])
