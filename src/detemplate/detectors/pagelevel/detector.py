"""Page-level templateness, smoothed over the DOM tree (Chakrabarti, Kumar, Punera: WWW 2007).

A classifier that was trained without human labels scores the templateness of each node of a page (section
5.2). Smoothing makes the scores monotone along the tree and cuts the page into few sections (sections 4 and
5.3). The method needs no other page of the site.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.isotonic import FEWEST_VALUES, MOST_CELLS, isotonic_smooth
from detemplate.detectors.base import Asked, SplitDetector
from detemplate.detectors.pagelevel.model import check_layouts, model_of
from detemplate.detectors.pagelevel.options import MERGE, SMOOTH, PageLevelOptions
from detemplate.detectors.pagelevel.reasons import Reasons
from detemplate.detectors.pagelevel.tree import merged, penalties, visible_tree
from detemplate.detectors.state import StateError
from detemplate.detectors.verdict import Verdict
from detemplate.errors import PageError
from detemplate.features.node import node_features
from detemplate.layout.layout import estimated_layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.base import Options
    from detemplate.layout.layout import Layout
    from detemplate.layout.store import LayoutStore
    from detemplate.page.page import Page

_THRESHOLD: Final = 0.5


class PageLevel(SplitDetector):
    """Nodes that look like template to a classifier, smoothed over the page.

    Parameters
    ----------
    options
        See :class:`~detemplate.detectors.pagelevel.options.PageLevelOptions`.

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

    def __init__(self, options: PageLevelOptions | None = None) -> None:
        super().__init__(options)
        self._pages = 0

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> PageLevelOptions:  # noqa: ARG003
        """Make options; the defaults are the same for one pass and two.

        Raises
        ------
        UserError
            A value is out of range; the model or the layout file cannot be read; the model was trained with
            rendered layouts and there is no layout file, or with estimates and there is one.
        """
        options = PageLevelOptions(**given)
        check_layouts(options.model, rendered=bool(options.layout))
        if options.layout:
            _store_of(options.layout)
        return options

    @property
    def pages(self) -> int:
        """Number of pages learnt."""
        return self._pages

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
        self._pages = header["pages"]
        if not isinstance(self._pages, int) or not 0 <= self._pages < 2**63:
            raise StateError("the state's pages are out of range")


def _taken(
    values: npt.NDArray[Any], numbers: npt.NDArray[np.integer[Any]], default: float
) -> npt.NDArray[Any]:
    """Return ``values[numbers]``, with a default for the number -1."""
    taken: npt.NDArray[Any] = np.append(values, np.array([default], values.dtype))[numbers]
    return taken


def spared(
    scores: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """If all segments are template, keep the lowest-scoring ones.

    Parameters
    ----------
    scores
        Score of each segment.

    Returns
    -------
    scores : array of float32
        The scores; those of segments to keep are lowered to the threshold.
    spared : array of bool
        Whether each segment is such a segment.
    """
    lowest = scores == scores.min(initial=np.inf)
    if not len(scores) or scores.min() <= _THRESHOLD:
        lowest[:] = False
    return np.where(lowest, np.float32(_THRESHOLD), scores), lowest


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
