"""Page-level templateness, smoothed over the DOM tree (Chakrabarti, Kumar, Punera: WWW 2007).

A classifier that was trained without human labels scores the templateness of each visible node of a page
(section 5.2: :mod:`detemplate.detectors.pagemodel`). Smoothing makes the scores monotone along the tree and
cuts the page into few sections (section 4: :func:`~detemplate.algorithms.isotonic.isotonic_smooth`), with a
penalty for each (section 5.3: :func:`penalties`). The method needs no other page of the site.
"""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.isotonic import FEWEST_VALUES, MOST_CELLS, isotonic_smooth
from detemplate.detectors.base import Asked, Detector, Options, option
from detemplate.detectors.causes import Reason, because
from detemplate.detectors.pagemodel import check_layouts, model_of
from detemplate.detectors.state import pages_in
from detemplate.detectors.verdict import Verdict, WrittenReasons
from detemplate.errors import PageError, abridged
from detemplate.features.node import NAMES, node_features, phrase
from detemplate.layout.layout import SMALL, estimated_layout
from detemplate.layout.visible import visible_tree
from detemplate.page.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from detemplate.detectors.pagemodel import PageModel
    from detemplate.layout.layout import Layout
    from detemplate.layout.store import LayoutStore
    from detemplate.layout.visible import VisibleTree
    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]

PENALTIES: Final = ("area", "nodes", "parent")
"""Names of the paper's penalties (2), (1) and (3)."""

SMOOTH: Final = "smooth"
"""Variant: the classifier's scores, smoothed over the tree (section 4)."""

BASIC: Final = "basic"
"""Variant: the classifier's scores."""

MERGE: Final = "basic+merge"
"""Variant: the mean score of adjacent leaves with similar scores (section 6.1)."""

_THRESHOLD: Final = 0.5

_TOLD_FEATURES: Final = 2  # in a reason

_SHOWN: Final = 40  # maximum length of a text in a reason, in characters

_COLUMN: Final = {name: number for number, name in enumerate(NAMES)}

_TAG: Final = re.compile(rb"<([^\s/>]+)")


@dataclasses.dataclass(frozen=True, slots=True)
class PageLevelOptions(Options):
    """Options of :class:`PageLevel`."""

    variant: str = option(
        SMOOTH,
        "smooth: scores smoothed over the tree; basic: the classifier's scores; basic+merge: the "
        "mean score of adjacent leaves with similar scores",
    )
    penalty: str = option(
        "area",
        "penalty of a section: area (page's over node's), nodes (page's over subtree's), parent "
        "(parent's area over node's), or products and sums of them: area*parent+nodes",
    )
    factor: float = option(0.01, "c: factor of the penalty; 0: sections cost nothing")
    delta: float = option(0.1, "basic+merge: adjacent leaves whose scores differ by less are merged")
    min_area: float = option(
        float(SMALL), "smaller nodes, in square pixels, count as copies of the node around them"
    )
    max_values: int = option(
        1_000_000, "most different scores that smoothing chooses from; fewer are faster, not exact"
    )
    model: str = option("", "file of 'detemplate train' (default: the shipped model)", file=True)
    layout: str = option("", "file of browser layouts, for a model trained with one (default: an estimate)")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(self.variant in {SMOOTH, BASIC, MERGE}, "variant", f"'{SMOOTH}', '{BASIC}' or '{MERGE}'")
        self.require(
            all(name in PENALTIES for name in re.split(r"[*+]", self.penalty)),
            "penalty",
            "of area, nodes and parent, joined with * and +",
        )
        self.require(isinstance(self.model, str), "model", "the name of a file")
        self.require(isinstance(self.layout, str), "layout", "the name of a file")
        self.require(0 <= self.factor < float("inf"), "factor", "at least 0")
        self.require(0 <= self.delta <= 1, "delta", "between 0 and 1")
        self.require(0 < self.min_area < float("inf"), "min_area", "above 0")
        self.require(2 <= self.max_values < 2**31, "max_values", "at least 2")


class PageLevel(Detector):
    """Nodes that look like template to a classifier, smoothed over the page.

    Notes
    -----
    Nodes (elements and texts) smaller than ``min_area`` are hidden: neither classified nor smoothed. A
    visible node counts as k + 1 nodes of its score, where k is the number of hidden nodes that have a box
    and whose nearest visible ancestor it is. Nodes without a box (scripts, the head, ``display: none``) do
    not count. The parent of a visible node is its nearest visible ancestor; without one it is a root.

    A segment has the score of the lowest visible node around it. After smoothing, that score is at least
    the score of each node further up. A segment without a visible node around it, as on a page that hides
    everything, is not judged: it scores 0 and is kept. If all segments of a page score above 0.5, those
    with the lowest score are set to 0.5 and kept. Each verdict tells the section of each segment.

    Learning only counts pages. Time and memory are linear in the page's nodes, but for smoothing. Smoothing
    chooses from all different scores, at most ``max_values``, and takes that many bytes a visible node, at
    most 25 MB on pages with fewer than 390,000 visible nodes: it is exact with up to 5,000 visible nodes. If
    a page has more different scores, smoothing chooses from their quantiles; see
    :func:`~detemplate.algorithms.isotonic.isotonic_smooth`.
    """

    name: ClassVar[str] = "pagelevel"
    paper: ClassVar[str] = (
        "Chakrabarti, Kumar, Punera: Page-level Template Detection via Isotonic Smoothing (WWW 2007)"
    )
    summary: ClassVar[str] = (
        "nodes that look like template to a self-trained classifier, smoothed over one page's tree"
    )
    needs: ClassVar[str] = "nothing"
    options_class: ClassVar[type[Options]] = PageLevelOptions

    _options: PageLevelOptions

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> PageLevelOptions:  # noqa: ARG003
        """Make options; the defaults are the same for one pass and two.

        Raises UserError: a value is out of range; the model or the layout file cannot be read; the model was
            trained with rendered layouts and there is no layout file, or with estimates and there is one.
        """
        options = PageLevelOptions(**given)
        check_layouts(options.model, rendered=bool(options.layout))
        if options.layout:
            _store_of(options.layout)
        return options

    @property
    def nbytes(self) -> int:
        """Approximate memory of the state, in bytes; the shared model is not counted."""
        return 64

    def ask(self, page: Page) -> Asked:  # noqa: ARG002
        """Ask nothing: judging needs the page alone."""
        return Asked(None)

    def take(self, query: None) -> None:  # noqa: ARG002
        """Count a page."""
        self._pages += 1

    def answer(self, query: None) -> None:
        """Answer nothing."""

    def judge(self, page: Page, asked: Asked, answer: None) -> Verdict:  # noqa: ARG002
        """Score each segment by the lowest visible node around it."""
        options, model = self._options, model_of(self._options.model)
        layout = self._layout(page)
        tree = visible_tree(page, layout, options.min_area)
        table = node_features(page, layout)[tree.rows]
        classified = model.scores(table, tree.area)
        leaves = tree.near[page.segments]
        if options.variant == MERGE:
            scores, firsts = merged(leaves, _taken(classified, leaves, 0.0), options.delta)
            sections = np.where(leaves >= 0, page.segments[firsts], -1)
        else:
            starts = np.arange(len(classified), dtype=np.int32)
            smoothed = classified
            if options.variant == SMOOTH:
                smoothed, starts = isotonic_smooth(
                    tree.parent,
                    classified,
                    options.factor * penalties(options.penalty, page, layout, tree),
                    tree.hidden + 1,
                    max_values=min(
                        options.max_values, max(MOST_CELLS // max(len(classified), 1), FEWEST_VALUES)
                    ),
                )
            scores, sections = _taken(smoothed, leaves, 0.0), _taken(tree.rows[starts], leaves, -1)
        final, kept = spared(scores.astype(np.float32))
        sections = sections.astype(np.int32)
        explain = Reasons(page, options, model, tree, table, classified, scores, sections, kept)
        return Verdict(final, explain=explain, sections=sections)

    def _layout(self, page: Page) -> Layout:
        """Return the page's layout; raises PageError if there is a layout file that lacks the page."""
        if not self._options.layout:
            return estimated_layout(page)
        rendered = _store_of(self._options.layout).layout(page)
        if rendered is None:
            raise PageError("no layout", f"{self._options.layout} lacks this page", page.url)
        return rendered

    def join(self, first: Self, second: Self) -> None:
        """Add up the numbers of pages."""
        self._pages = first._pages + second._pages

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the number of pages; the model is not in the state."""
        return {"pages": self._pages}, {}

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:  # noqa: ARG002
        """Take in the number of pages."""
        self._pages = pages_in(header)


def penalties(formula: str, page: Page, layout: Layout, tree: VisibleTree) -> Reals:
    """Return the penalty of a section that begins at each visible node, without the factor c.

    ``formula``: names of :data:`PENALTIES` joined with ``*`` and ``+``. Section 5.3 has (1) ``nodes``, N/N_i:
        number of nodes of the page over those of the subtree; (2) ``area``, A / A_i: area of the page over
        the node's; (3) ``parent``: area of the visible parent (without one, of the page) over the node's.
    """
    whole = max(float(layout.page_width) * float(layout.page_height), float(tree.area.max(initial=1.0)))
    subtree = page.columns.end[tree.rows] - tree.rows
    ratios = {
        "area": whole / tree.area,
        "nodes": len(page.columns) / subtree,
        "parent": np.append(tree.area, whole)[tree.parent] / tree.area,
    }
    return sum(
        (np.prod([ratios[name] for name in term.split("*")], axis=0) for term in formula.split("+")),
        np.zeros(len(subtree)),
    )


def merged(leaves: Rows, scores: Reals, delta: float) -> tuple[Reals, npt.NDArray[np.intp]]:
    """Group adjacent segments whose scores differ by less than delta (section 6.1, "Basic+Merge").

    ``leaves``: number of the lowest visible node around each segment; -1 for none. Adjacent segments of one
        node are one leaf.
    Returns: mean score and number of the first segment of each segment's group.
    """
    if not len(leaves):
        return scores, np.zeros(0, np.intp)
    apart = (leaves[1:] != leaves[:-1]) & (np.abs(np.diff(scores)) >= delta)
    apart |= (leaves[1:] < 0) != (leaves[:-1] < 0)
    firsts = np.flatnonzero(np.append(True, apart))
    group = np.append(0, np.cumsum(apart))
    return (np.bincount(group, scores) / np.bincount(group))[group], firsts[group]


def spared(
    scores: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """If all segments are template, lower the lowest scores to the threshold; tell which these are."""
    lowest = scores == scores.min(initial=np.inf)
    if not len(scores) or scores.min() <= _THRESHOLD:
        lowest[:] = False
    return np.where(lowest, np.float32(_THRESHOLD), scores), lowest


def _taken(
    values: npt.NDArray[Any], numbers: npt.NDArray[np.integer[Any]], default: float
) -> npt.NDArray[Any]:
    """Return ``values[numbers]``, with a default for the number -1."""
    taken: npt.NDArray[Any] = np.append(values, np.array([default], values.dtype))[numbers]
    return taken


class _Strongest(NamedTuple):
    """What weighs most, one entry a segment.

    ``features``, ``weights``: numbers of the features that weigh most, and their shares in all that speaks
        for the segment's side; of segments that were not judged, without meaning.
    """

    features: list[list[int]]
    weights: list[list[float]]


@dataclasses.dataclass(slots=True)
class Reasons:
    """Explains the scores of a page's segments.

    ``page``: the scored page.
    ``options``, ``model``: the detector's options and its model.
    ``tree``: the page's visible nodes.
    ``table``: their features.
    ``classified``: their scores by the classifier alone.
    ``scores``: score of each segment, before :func:`spared`.
    ``sections``: row of the first node of each segment's section.
    ``spared``: whether each segment was kept as the least template of a page that is all template.
    """

    page: Page
    options: PageLevelOptions
    model: PageModel
    tree: VisibleTree
    table: npt.NDArray[np.float32]
    classified: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]
    sections: npt.NDArray[np.int32]
    spared: npt.NDArray[np.bool_]
    _found: _Strongest | None = None
    _names: dict[int, str] = dataclasses.field(default_factory=dict)

    def _strongest(self) -> _Strongest:
        """Return the features that weigh most; it is computed once a page."""
        if self._found is None:
            leaves = self.tree.near[self.page.segments]
            side = np.where(self.classified[leaves] > 0.5, 1.0, -1.0)[:, None]
            terms = side * self.model.terms(self.table[leaves], self.tree.area[leaves])
            order = np.argsort(-terms, axis=1, kind="stable")[:, :_TOLD_FEATURES]
            every = np.maximum(terms, 0).sum(axis=1, keepdims=True)
            shares = np.take_along_axis(terms, order, 1).clip(0) / np.where(every > 0, every, 1.0)
            self._found = _Strongest(order.tolist(), (side * shares).tolist())
        return self._found

    def __call__(self, segment: int) -> Reason:
        """Return the reason of a segment's score."""
        leaf = int(self.tree.near[self.page.segments[segment]])
        if leaf < 0:
            nothing = f"nothing around it takes {self.options.min_area:g} square pixels: it is not judged"
            return because("not_judged", -1.0, nothing)
        features, weights = self._strongest()
        told, causes = [], []
        for number, weight in zip(features[segment], weights[segment], strict=True):
            name = self.model.names[number]
            words, number_told = phrase(name, float(self.table[leaf, _COLUMN[name]]))
            told.append(words)
            causes.append((name, weight, {"value": number_told}))
        node, looks = self._named(int(self.tree.rows[leaf])), self.classified[leaf]
        reason = f"{node} by itself looks {looks:.0%} template, most for its {' and '.join(told)}"
        if self.options.variant != BASIC:
            where = "section that begins with" if self.options.variant == MERGE else "section of"
            section = self._named(int(self.sections[segment]))
            reason = f"{self.scores[segment]:.0%} for the {where} {section}; {reason}"
        if self.spared[segment]:
            reason = f"the least template of a page that all looks so: {reason}"
            causes.insert(0, ("least_template", -1.0, {}))
        return Reason(reason, causes)

    def _named(self, row: int) -> str:
        """Name a node in a reason: a text by its first characters, an element by its tag."""
        if row not in self._names:
            columns = self.page.columns
            if columns.kind[row] == TEXT:
                named = f"“{abridged(self.page.text_of(row), _SHOWN)}”"
            else:
                tag = _TAG.match(self.page.canonical, int(columns.start[row]))
                named = f"<{tag[1].decode('utf-8', 'replace')}>" if tag else "a node"
            self._names[row] = named
        return self._names[row]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # The tree and the features of a page take many times the room of the texts.
        return WrittenReasons.of(self, len(self.scores)).__reduce__()


def _store_of(path: str) -> LayoutStore:
    """Open a file of layouts; it is opened again only if it has changed."""
    try:
        status = Path(path).stat()
        return _opened(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return _opened(path)


@lru_cache(maxsize=2)
def _opened(path: str, *_stamp: int) -> LayoutStore:
    """Open a file of layouts; ``_stamp`` (time of modification, size) makes the cache miss after a change."""
    from detemplate.layout.store import LayoutStore

    return LayoutStore.open(path)
