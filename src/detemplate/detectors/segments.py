"""Incremental template detection by text segments (Wang, Fang, Cheng, Guo, Xu: WWW 2008).

Each page passes four steps when it arrives: segmentation (done in the page's columns), expansion of the
segment table, detection by blocks, shrinkage of the table. No page is kept.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from detemplate.algorithms.recurrence import MOST_ENTRIES, lifetimes
from detemplate.detectors.base import Asked, TableDetector, TableOptions, option
from detemplate.detectors.causes import because
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from detemplate.detectors.base import Frequencies, Options
    from detemplate.detectors.causes import Value
    from detemplate.page.page import Page


@dataclasses.dataclass(frozen=True, slots=True)
class SegmentsOptions(TableOptions):
    """Options of :class:`Segments`; the first two defaults are the paper's.

    The paper tunes the lifetime by experiment and gives no values. With the defaults here, a segment on
    1 % of a site's pages survives until its next occurrence with a probability above 99 %. Of the segments
    that never come back, the table holds those of about 500 pages.
    """

    min_df: int = option(5, "a segment on at least this many pages is a template segment")
    ratio: float = option(
        0.7, "a block with more than this share of its text in template segments is template"
    )
    lifetime: float = option(500.0, "T_b: lifetime of a segment seen once, in pages (inf: for ever)")
    growth: float = option(100.0, "N: a frequent segment lives up to N times as long")
    forget: str = option("all", "segments that expire: all, or rare (those below min_df; for two passes)")
    max_segments: int = option(4_000_000, "most segments to remember per site; the rarest go first")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(1 <= self.min_df < 1_000_000, "min_df", "at least 1 and below 1,000,000")
        self.require(0 <= self.ratio <= 1, "ratio", "between 0 and 1")
        self.require(self.lifetime >= 1, "lifetime", "at least 1")
        self.require(1 <= self.growth < math.inf, "growth", "at least 1 and finite")
        self.require(self.forget in ("all", "rare"), "forget", "'all' or 'rare'")
        self.require(1 <= self.max_segments <= MOST_ENTRIES, "max_segments", "at least 1 and below 2**31")

    @property
    def most(self) -> int:
        """Maximum number of segments in the table."""
        return self.max_segments

    def lifetimes(self) -> npt.NDArray[np.int64]:
        """Lifetime of segments with document frequency 1, 2, …, in pages; -1: for ever."""
        lives = lifetimes(self.lifetime, self.growth)
        if self.forget == "all":
            return lives
        below = [int(lives[min(df, len(lives)) - 1]) for df in range(1, self.min_df)]
        return np.array([*below, -1], np.int64)


class Segments(TableDetector):
    """Text segments that recur on a site's pages, judged block by block.

    Notes
    -----
    A segment is identified by a 64-bit hash of its DOM path and its text with white space collapsed. Its
    score is the template ratio of its block. A page first expands the table, which then shrinks (sections 2.2
    and 2.4). Merging equals one pass over both sequences of pages unless
    a segment expired that would have lived on in the joined sequence.
    """

    name: ClassVar[str] = "segments"
    paper: ClassVar[str] = "Wang, Fang, Cheng, Guo, Xu: Incremental Web Page Template Detection (WWW 2008)"
    summary: ClassVar[str] = (
        "text segments that recur on a site's pages, judged by blocks; forgets by a logistic lifetime"
    )
    ordered: ClassVar[bool] = True
    options_class: ClassVar[type[Options]] = SegmentsOptions

    _options: SegmentsOptions

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> SegmentsOptions:
        """Make options: by default template segments do not expire in two passes."""
        return SegmentsOptions(**{"forget": "all" if streaming else "rare", **given})

    @property
    def segments(self) -> int:
        """Number of segments in the table."""
        return len(self._table)

    def ask(self, page: Page) -> Asked:
        """Ask for the page's segments (section 2.1)."""
        return Asked(page.segment_keys)

    def judge(self, page: Page, asked: Asked, answer: Frequencies) -> Verdict:  # noqa: ARG002
        """Score each segment by the template ratio of its block (section 2.3)."""
        columns = page.columns
        template = answer[0] >= self._options.min_df
        ratio = template_ratios(template, columns.block[columns.segments], columns.chars[columns.segments])
        return Verdict(ratio.astype(np.float32), self._options.ratio, self._reasons(answer, ratio))

    def _reasons(self, answer: Frequencies, ratio: npt.NDArray[np.float64]) -> Callable[[int], str]:
        """Return the function that explains a segment's score; ``ratio`` is that of each segment's block."""
        (df, pages), (least, needed) = answer, (self._options.min_df, self._options.ratio)

        def explain(segment: int) -> str:
            frequency = f"on {df[segment]} of {pages} pages of this site"
            counts: dict[str, Value] = {"pages": int(df[segment]), "of": pages}
            share = float(ratio[segment])
            side = 1.0 if np.float32(share) > needed else -1.0
            if df[segment] >= least:
                return because("repeated", side, frequency, **counts)
            told = f"{frequency}, in a block of which {share:.0%} is on {least} or more"
            return because("block", side, told, **counts, block_share=round(share, 4), least=least)

        return explain


def template_ratios(
    template: npt.NDArray[np.bool_], block: npt.NDArray[np.int32], size: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """Compute the template ratio of each segment's block (section 2.3).

    It is the share of the block's characters that are in template segments; 0 where a block has none. A block
    is a maximal run of segments with one number in ``block``; ``size`` is their number of characters.
    """
    run = np.zeros(len(block), np.intp)
    np.cumsum(block[1:] != block[:-1], out=run[1:])
    total = np.bincount(run, size)
    ratios: npt.NDArray[np.float64] = (np.bincount(run, size * template) / np.maximum(total, 1))[run]
    return ratios
