"""Training labels made from repetition, without human labels (Chakrabarti, Kumar, Punera 2007, section 5.1).

A node on more than a share θ of a site's pages is template. So is an internal node with more than a given
share of its HTML inside such nodes. All other nodes are not template.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.page.columns import COMMENT, DOCTYPE, ELEMENT, INSTRUCTION, TEXT
from detemplate.page.subtrees import STRENGTHS, subtree_hashes

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

MIN_DF: Final = 2
"""A node on fewer pages is never template, however few pages the site has."""

_MAX_NODES: Final = 4_000_000  # number of different nodes of a site that are remembered
_UNCOUNTED: Final = (COMMENT, DOCTYPE, INSTRUCTION)  # kinds of nodes that do not count


@dataclass(frozen=True, slots=True)
class Labelling:
    """When a node is template.

    ``theta``: a node on more than this share of the site's pages is template (the paper: 10 %).
    ``share``: an element with more than this share of its HTML inside such nodes is template (the paper: 85
        %).
    ``equality``: when two nodes are equal: one of :data:`~detemplate.page.subtrees.STRENGTHS`. Nodes without
        visible text are equal only if their markup is.
    Raises UserError: a value is out of range.
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

    ``labelling``: when a node is template.

    Notes
    -----
    Each element and each text counts once a page, hidden and empty ones included. Comments do not count;
    they belong to the nodes around them. Beyond 4 million different nodes of a site, the rarest are
    forgotten.
    """

    def __init__(self, labelling: Labelling) -> None:
        self._labelling = labelling
        self._nodes = recurrence_table([-1], _MAX_NODES)

    @property
    def pages(self) -> int:
        """Number of pages counted."""
        return self._nodes.pages

    def learn(self, page: Page) -> None:
        """Count the page's nodes."""
        self._nodes.observe(self._keys(page)[1])

    def recurring(self, page: Page) -> Bools:
        """Return, for each row of a page, whether the node is on more than a share θ of the site's pages."""
        rows, keys = self._keys(page)
        counts = self._nodes.counts(keys)
        recurring = np.zeros(len(page.columns), np.bool_)
        few = max(MIN_DF - 1, round(self._labelling.theta * self.pages, 6))  # 0.1 · 30 is above 3 in floats
        recurring[rows] = counts > few
        return recurring

    def template(self, page: Page) -> Bools:
        """Return the labels of a page's nodes: for each row, whether the node is template."""
        template = self.recurring(page)
        inside = html_share(page.columns, template)
        template |= (page.columns.kind == ELEMENT) & (inside > self._labelling.share)
        return template

    def _keys(self, page: Page) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint64]]:
        """Return the rows of the nodes that count, and the hashes by which they are compared."""
        columns = page.columns
        rows = np.flatnonzero(~np.isin(columns.kind, _UNCOUNTED))
        loose = subtree_hashes(page, self._labelling.equality)
        shown = (columns.chars > 0) & ((columns.kind == ELEMENT) | (columns.kind == TEXT))
        return rows, np.where(shown, loose, columns.content)[rows]


def html_share(columns: Columns, marked: Bools) -> npt.NDArray[np.float64]:
    """Return the share of each node's HTML that is inside marked nodes.

    ``columns``: the page's nodes.
    ``marked``: whether each is marked.
    Returns: for each row, a share in [0, 1]: the node's bytes inside marked nodes over all its bytes in the
        canonical serialisation, tags included.
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
