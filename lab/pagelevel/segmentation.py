"""Agreement of two segmentations of a page, and the segmentation that labels of segments imply.

Chakrabarti, Kumar, Punera 2007, section 6.1, "Segmentation accuracy". A section is a group of segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lab.labelled.segmentlabels import CONTENT, TEMPLATE

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Groups = npt.NDArray[np.integer[Any]]


def adjusted_rand(first: Groups, second: Groups) -> float:
    """Compare two groupings of things: 1 if equal, 0 on average for random ones (Hubert & Arabie 1985).

    Examples
    --------
    >>> round(adjusted_rand(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])), 3)
    0.571
    """
    rows, columns = (np.unique(groups, return_inverse=True)[1] for groups in (first, second))
    cells = np.unique(rows * (int(columns.max(initial=0)) + 1) + columns, return_counts=True)[1]
    # Python's integers: products of numbers of pairs do not fit into 64 bits.
    together, firsts, seconds = (
        _pairs(counts) for counts in (cells, np.bincount(rows), np.bincount(columns))
    )
    pairs = len(rows) * (len(rows) - 1) // 2
    # (together - expected) / (mean - expected) with expected = firsts * seconds / pairs, times 2 pairs
    below = pairs * (firsts + seconds) - 2 * firsts * seconds
    return 2 * (pairs * together - firsts * seconds) / below if below else 1.0


def _pairs(counts: Groups) -> int:
    """Count the pairs of things that are in one group."""
    return int((counts.astype(np.int64) * (counts.astype(np.int64) - 1) // 2).sum())


def labelled_sections(page: Page, label: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    """Group segments by the largest node all content or all template: its row; -1 where neutral."""
    columns, segments = page.columns, page.segments
    rows = np.arange(len(columns))
    content, template = (segments_inside(page, label == kind) for kind in (CONTENT, TEMPLATE))
    one_label = (content > 0) != (template > 0)
    covered_to = np.maximum.accumulate(np.where(one_label, columns.end, 0))
    outermost = one_label.copy()
    outermost[1:] &= rows[1:] >= covered_to[:-1]
    roots = np.flatnonzero(outermost).astype(np.int32)
    sections = np.full(len(segments), -1, np.int32)
    labelled = np.isin(label, (CONTENT, TEMPLATE))
    sections[labelled] = roots[np.searchsorted(roots, segments[labelled], "right") - 1]
    return sections


def segments_inside(page: Page, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count the marked segments in the subtree of each row; `marked` has one entry a segment."""
    before = np.zeros(len(page.columns) + 1, np.int64)
    before[page.segments[marked] + 1] = 1
    before = np.cumsum(before)
    return before[page.columns.end] - before[:-1]
