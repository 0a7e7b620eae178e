"""Recall and precision of template blocks: the paper's judges label blocks (Wang et al. 2008, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.labelled.segmentlabels import NEUTRAL, TEMPLATE, label_segments

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.labelled.pages import Gold


MIN_ALIGNED: Final = 0.5
"""Least share of the gold's words that a page must show for its blocks to be labelled."""


class BlockCounts(NamedTuple):
    """Numbers of blocks."""

    both: int
    """Template blocks that were removed."""
    removed: int
    """Blocks that were removed."""
    template: int
    """Template blocks."""


class PageBlocks:
    """The blocks of a page with their labels.

    A block is template if more than half of its characters are in segments that the gold does not have
    (:mod:`lab.labelled.segmentlabels`). Blocks of neutral segments alone do not count, nor do pages
    that do not show their gold.

    Parameters
    ----------
    page
        The page.
    gold
        Its gold.
    """

    def __init__(self, page: Page, gold: Gold) -> None:
        labels = label_segments(page, gold)
        self._blocks = page.blocks
        self._chars = page.segment_chars.astype(np.float64)
        self._size = int(self._blocks.max(initial=-1)) + 1
        counted = (labels.label != NEUTRAL) & (labels.aligned >= MIN_ALIGNED)
        self._known = self._sums(counted) > 0
        self._template = self._known & (
            self._sums(counted & (labels.label == TEMPLATE)) > self._sums(counted) / 2
        )

    def _sums(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Add up the characters of chosen segments, by block."""
        return np.bincount(self._blocks, self._chars * chosen, self._size).astype(np.float64)

    def counts(self, removed: npt.NDArray[np.bool_]) -> BlockCounts:
        """Count blocks; one is removed if more than half of its characters are, in the segments `removed`."""
        gone = self._known & (self._sums(removed) > self._sums(np.ones(len(removed), np.bool_)) / 2)
        return BlockCounts(int((gone & self._template).sum()), int(gone.sum()), int(self._template.sum()))


class BlockScores(NamedTuple):
    """Recall and precision of a site's template blocks, all pages together."""

    recall: float | None
    """Share of the template blocks that are removed; None without any."""
    precision: float | None
    """Share of the removed blocks that are template; None where none is removed."""


def block_scores(counts: Iterable[BlockCounts]) -> BlockScores:
    """Add up the blocks of a site's pages."""
    both, removed, template = np.array([*counts, BlockCounts(0, 0, 0)]).sum(axis=0).tolist()
    return BlockScores(both / template if template else None, both / removed if removed else None)
