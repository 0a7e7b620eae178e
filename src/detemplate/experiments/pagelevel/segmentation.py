"""How well two ways to group the same things agree, and the grouping that labels of leaves imply.

Chakrabarti, Kumar, Punera 2007, section 6.1, "Segmentation accuracy".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.labelled.segmentlabels import CONTENT, TEMPLATE

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Groups = npt.NDArray[np.integer[Any]]


def adjusted_rand(first: Groups, second: Groups) -> float:
    """Compare two groupings of the same things by the adjusted Rand index.

    Parameters
    ----------
    first, second
        Number of each thing's group; which number it is does not matter.

    Returns
    -------
    float
        1 where the groupings are the same, 0 on average for random ones with groups of these sizes, and
        below 0 where they agree less than that. 1 for fewer than two things.

    Raises
    ------
    ValueError
        For columns of unequal length.

    References
    ----------
    Hubert, L., Arabie, P.: Comparing partitions. Journal of Classification 2 (1985), 193-218.

    Examples
    --------
    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([7, 7, 5, 5]))
    1.0
    >>> round(adjusted_rand(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])), 3)
    0.571
    """
    if len(first) != len(second):
        message = f"{len(first)} things in one grouping, {len(second)} in the other"
        raise ValueError(message)
    rows, columns = (np.unique(groups, return_inverse=True)[1] for groups in (first, second))
    cells = np.unique(rows * (int(columns.max(initial=0)) + 1) + columns, return_counts=True)[1]
    # Python's own numbers: products of numbers of pairs do not fit 64 bits.
    together, firsts, seconds = (
        _pairs(counts) for counts in (cells, np.bincount(rows), np.bincount(columns))
    )
    pairs = len(rows) * (len(rows) - 1) // 2
    # (together - expected) / (mean - expected) with expected = firsts * seconds / pairs, times 2 pairs
    below = pairs * (firsts + seconds) - 2 * firsts * seconds
    return 2 * (pairs * together - firsts * seconds) / below if below else 1.0


def _pairs(counts: Groups) -> int:
    return int((counts.astype(np.int64) * (counts.astype(np.int64) - 1) // 2).sum())


def labelled_sections(page: Page, label: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    """Group segments as a person would who marks the largest parts of a page that are of one kind.

    Parameters
    ----------
    page
        The page.
    label
        The label of each segment, see :mod:`detemplate.labelled.segmentlabels`. Neutral segments neither
        keep a node from being of one kind nor make it so.

    Returns
    -------
    array of int32
        For each segment the row of the greatest node around it, itself included, whose labelled segments
        all have its label; -1 for neutral ones. These nodes are an antichain that covers all labelled
        segments.
    """
    columns, segments = page.columns, page.segments
    rows = np.arange(len(columns))
    kinds = [inside(page, label == kind) for kind in (CONTENT, TEMPLATE)]
    single = (kinds[0] > 0) != (kinds[1] > 0)
    reach = np.maximum.accumulate(np.where(single, columns.end, 0))
    outermost = single.copy()
    outermost[1:] &= rows[1:] >= reach[:-1]
    roots = np.flatnonzero(outermost).astype(np.int32)
    found = np.full(len(segments), -1, np.int32)
    known = np.isin(label, (CONTENT, TEMPLATE))
    found[known] = roots[np.searchsorted(roots, segments[known], "right") - 1]
    return found


def inside(page: Page, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count the marked segments in each row's subtree; ``marked`` has one a segment."""
    upto = np.zeros(len(page.columns) + 1, np.int64)
    upto[page.segments[marked] + 1] = 1
    upto = np.cumsum(upto)
    return upto[page.columns.end] - upto[:-1]
