"""The batch baseline: blocks that recur by shingle (Ma, Goharian, Chowdhury, Chung: CIKM 2003).

The method in the form in which Wang et al. 2008, section 3, compare with it: a block is identified by its
min-wise shingle, and a block on many pages of the batch is template.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from detemplate.algorithms.minwise import min_wise, word_hashes
from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Asked, TableDetector, TableOptions, option
from detemplate.detectors.causes import because
from detemplate.detectors.verdict import Verdict, counted_scores

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.base import Options
    from detemplate.page.page import Page


@dataclasses.dataclass(frozen=True, slots=True)
class ShinglesOptions(TableOptions):
    """Options of :class:`Shingles`.

    ``min_df`` has the same default as in :class:`~detemplate.detectors.segments.SegmentsOptions`: the two
    methods differ in the unit that they count, not in how often it must occur.
    """

    min_df: int = option(5, "a block whose shingle is on at least this many pages is template")
    width: int = option(5, "w: words in a gram")
    sketch: int = option(4, "k: minima in a shingle; blocks of resemblance r share it with probability r^k")
    max_shingles: int = option(4_000_000, "most shingles to remember per site; the rarest go first")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(1 <= self.min_df <= 10_000, "min_df", "between 1 and 10,000")
        for name in ("width", "sketch"):
            value: object = getattr(self, name)
            self.require(isinstance(value, int) and 1 <= value <= 100, name, "a number from 1 to 100")
        self.require(1 <= self.max_shingles <= MOST_ENTRIES, "max_shingles", "at least 1 and below 2**31")

    @property
    def most(self) -> int:
        """Maximum number of shingles in the table."""
        return self.max_shingles


class Shingles(TableDetector):
    """Blocks of text that recur in a batch of a site's pages, identified by shingles.

    Notes
    -----
    A block is a maximal run of segments between block-level tags, as in ``segments``. It is treated as the
    set of its w-grams of words; a block of fewer words is one gram. Its shingle is ``sketch`` min-wise
    minima together (:func:`~detemplate.algorithms.minwise.min_wise`): two blocks of resemblance r have the
    same shingle with probability ``r**sketch``. The place of a block on its page does not matter.

    The score of a block on df pages is ``df / (df + min_df)``; the threshold lies between the scores
    of ``min_df - 1`` and ``min_df`` pages. The order and grouping of the pages do not matter while at most
    ``max_shingles`` shingles have been seen. Beyond that the rarest are forgotten; of these, the one unseen
    for longest first.
    """

    name: ClassVar[str] = "shingles"
    paper: ClassVar[str] = (
        "Ma, Goharian, Chowdhury, Chung: Extracting Unstructured Data from Template Generated Web "
        "Documents (CIKM 2003)"
    )
    summary: ClassVar[str] = "blocks that recur in a batch of a site's pages by min-wise shingle"
    streams: ClassVar[bool] = False
    options_class: ClassVar[type[Options]] = ShinglesOptions

    _options: ShinglesOptions

    @property
    def shingles(self) -> int:
        """Number of shingles in the table."""
        return len(self._table)

    def block_shingles(self, page: Page) -> npt.NDArray[np.uint64]:
        """Return the shingle of each block of a page. uint64."""
        words, counts = word_hashes(page.written(page.segments))
        in_block = np.bincount(page.blocks, counts).astype(np.int64)
        return min_wise(words, in_block, self._options.width, self._options.sketch)

    def ask(self, page: Page) -> Asked:
        """Ask for the shingles of the page's blocks."""
        return Asked(self.block_shingles(page))

    def judge(self, page: Page, asked: Asked, answer: tuple[npt.NDArray[np.int32], int]) -> Verdict:  # noqa: ARG002
        """Score each segment by the document frequency of its block."""
        (counts, pages), least = answer, self._options.min_df
        df = counts[page.blocks]
        scores, threshold = counted_scores(df, least)

        def explain(segment: int) -> str:
            told = f"in a block that is on {df[segment]} of {pages} pages"
            side = 1.0 if df[segment] >= least else -1.0
            return because("block_repeated", side, told, pages=int(df[segment]), of=pages)

        return Verdict(scores, threshold, explain)
