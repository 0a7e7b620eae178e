"""Training labels that nobody had to make (Chakrabarti, Kumar, Punera: WWW 2007, section 5.1).

A node that occurs on more than a share θ of a site's pages is template. So is an internal node with more
than a share of its HTML inside such nodes. All other nodes are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.frequent import FrequencySketch
from detemplate.errors import UserError
from detemplate.page.columns import COMMENT, DOCTYPE, ELEMENT, INSTRUCTION, TEXT
from detemplate.page.subtrees import STRENGTHS, subtree_hashes

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

MIN_DF: Final = 2
"""A node on fewer pages is never template, however few the pages."""

_MAX_NODES: Final = 4_000_000
_BARE: Final = (COMMENT, DOCTYPE, INSTRUCTION)


@dataclass(frozen=True, slots=True)
class Labelling:
    """When a node is template.

    Attributes
    ----------
    theta
        On more than this share of the site's pages (the paper: 10 %).
    share
        With more than this share of its HTML inside such nodes (the paper: 85 %).
    equality
        When two nodes are the same: one of :data:`~detemplate.page.subtrees.STRENGTHS`. Nodes without
        visible text are the same only if their markup is.

    Raises
    ------
    UserError
        For a value out of range.
    """

    theta: float = 0.1
    share: float = 0.85
    equality: str = "exact"

    def __post_init__(self) -> None:
        if not 0 <= self.theta < 1:
            raise UserError(f"theta must be at least 0 and below 1, not {self.theta:g}")
        if not 0 <= self.share <= 1:
            raise UserError(f"the share of HTML must be between 0 and 1, not {self.share:g}")
        if self.equality not in STRENGTHS:
            raise UserError(f"unknown equality {self.equality!r} (choose from {', '.join(STRENGTHS)})")


class SiteLabels:
    """Counts the nodes of a site's pages, then labels the nodes of each.

    Parameters
    ----------
    labelling
        When a node is template.

    Notes
    -----
    Every element and every text counts, unseen ones and those without any text included, once a page.
    Comments do not: they belong to the nodes around them. Counts are exact up to 4 million different
    nodes a site, see :class:`~detemplate.algorithms.frequent.FrequencySketch`.
    """

    def __init__(self, labelling: Labelling) -> None:
        self._labelling = labelling
        self._nodes = FrequencySketch(_MAX_NODES)

    @property
    def pages(self) -> int:
        """Pages counted so far."""
        return self._nodes.pages

    def learn(self, page: Page) -> None:
        """Count a page's nodes."""
        self._nodes.learn(self._keys(page)[1])

    def recurring(self, page: Page) -> Bools:
        """Tell which nodes of a page occur on more than θ of the site's pages; one a row."""
        rows, keys = self._keys(page)
        counts = self._nodes.estimate(keys)
        found = np.zeros(len(page.columns), np.bool_)
        few = max(MIN_DF - 1, round(self._labelling.theta * self.pages, 6))  # 0.1 · 30 is above 3 for a float
        found[rows] = counts > few
        return found

    def template(self, page: Page) -> Bools:
        """Label the nodes of a page: whether each is template, one a row."""
        found = self.recurring(page)
        inside = html_share(page.columns, found)
        found |= (page.columns.kind == ELEMENT) & (inside > self._labelling.share)
        return found

    def _keys(self, page: Page) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint64]]:
        columns = page.columns
        rows = np.flatnonzero(~np.isin(columns.kind, _BARE))
        loose = subtree_hashes(page, self._labelling.equality)
        shown = (columns.chars > 0) & ((columns.kind == ELEMENT) | (columns.kind == TEXT))
        return rows, np.where(shown, loose, columns.content)[rows]


def html_share(columns: Columns, marked: Bools) -> npt.NDArray[np.float64]:
    """Give the share of each node's HTML that is inside marked nodes.

    Parameters
    ----------
    columns
        The page's nodes.
    marked
        Whether each is marked.

    Returns
    -------
    array of float64
        In [0, 1], one a row: bytes of the canonical serialisation inside marked nodes over all of the
        node's bytes, tags included.
    """
    size = columns.stop.astype(np.int64) - columns.start
    reach = np.maximum.accumulate(np.where(marked, columns.end, 0))
    rows = np.arange(len(columns))
    covered = rows < reach
    outermost = marked.copy()
    outermost[1:] &= rows[1:] >= reach[:-1]
    upto = np.concatenate([[0], np.cumsum(np.where(outermost, size, 0))])
    inside = np.where(covered, size, upto[columns.end] - upto[:-1])
    return np.asarray(inside / np.maximum(size, 1), np.float64)
