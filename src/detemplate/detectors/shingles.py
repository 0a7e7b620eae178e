"""The batch baseline: blocks that recur by shingle (Ma, Goharian, Chowdhury, Chung: CIKM 2003).

As Wang et al. 2008, section 3, compare with it: the blocks of a batch of pages are known by min-wise
shingles, and a block that occurs on many pages of the batch is template.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from detemplate.algorithms.minwise import min_wise, word_hashes
from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.tabled import TableDetector, TableOptions
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.base import Options
    from detemplate.page.page import Page

_VERSION: Final = 1


@dataclasses.dataclass(frozen=True, slots=True)
class ShinglesOptions(TableOptions):
    """Options of :class:`Shingles`.

    ``min_df`` is that of :class:`~detemplate.detectors.segments.SegmentsOptions`, so that the two
    methods differ in what they count, not in how often.
    """

    min_df: int = dataclasses.field(
        default=5, metadata={"help": "a block whose shingle is on at least this many pages is template"}
    )
    width: int = dataclasses.field(default=5, metadata={"help": "w: words a gram"})
    sketch: int = dataclasses.field(
        default=4,
        metadata={"help": "k: minima a shingle; blocks of resemblance r share one with probability r^k"},
    )
    max_shingles: int = dataclasses.field(
        default=4_000_000, metadata={"help": "shingles to remember a site at most; the rarest go first"}
    )

    def check(self) -> None:
        """Refuse values out of range."""
        self.require(1 <= self.min_df <= 10_000, "min_df", "between 1 and 10,000")
        for name in ("width", "sketch"):
            value: object = getattr(self, name)
            self.require(isinstance(value, int) and 1 <= value <= 100, name, "a number from 1 to 100")
        self.require(1 <= self.max_shingles <= MOST_ENTRIES, "max_shingles", "at least 1 and below 2**31")

    @property
    def most(self) -> int:
        """Shingles to remember at most."""
        return self.max_shingles

    def lifetimes(self) -> npt.NDArray[np.int64]:
        """Give the lifetimes of the table's entries: none ends; one queue a frequency up to ``min_df``."""
        return np.full(self.min_df, -1, np.int64)


class Shingles(TableDetector):
    """Blocks of text that recur over a batch of a site's pages, known by shingles.

    Parameters
    ----------
    options
        See :class:`ShinglesOptions`.

    Notes
    -----
    A block is a maximal run of segments between block-level tags, as in ``segments``. It is the set
    of its words' w-grams; a block of fewer words is one gram. Its shingle is ``sketch`` min-wise
    minima together (:func:`~detemplate.algorithms.minwise.min_wise`): two blocks of resemblance r
    share it with probability ``r**sketch``. Where a block stands on its page does not count.

    The score of a block on df pages is ``df / (df + min_df)``; the threshold lies between the scores
    of ``min_df - 1`` and ``min_df`` pages. Neither the order of the pages nor their grouping matters
    while no more than ``max_shingles`` shingles have been seen; beyond it, the rarest are forgotten,
    among these the longest unseen.
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

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> ShinglesOptions:  # noqa: ARG003
        """Complete the options; they are the same for one pass and two."""
        return ShinglesOptions(**given)

    @property
    def shingles(self) -> int:
        """Shingles in the table."""
        return len(self._table)

    def block_shingles(self, page: Page) -> npt.NDArray[np.uint64]:
        """Give the shingle of each block of a page."""
        columns, rows = page.columns, page.segments
        canonical = page.canonical
        ranges = zip(columns.start[rows].tolist(), columns.stop[rows].tolist(), strict=True)
        words, counts = word_hashes([canonical[start:stop] for start, stop in ranges])
        in_block = np.bincount(page.blocks, counts).astype(np.int64)
        return min_wise(words, in_block, self._options.width, self._options.sketch)

    def learn(self, page: Page) -> None:
        """Count a page's block shingles, each once."""
        self._table.observe(self.block_shingles(page))

    def score(self, page: Page) -> Verdict:
        """Give each segment its block's score."""
        least, pages = self._options.min_df, self.pages
        df = self._table.counts(self.block_shingles(page))[page.blocks]
        scores = (df / (df + least)).astype(np.float32)
        # Half way between the two scores: rounding to 32 bits cannot reach it.
        threshold = ((least - 1) / (2 * least - 1) + 0.5) / 2

        def explain(segment: int) -> str:
            return f"in a block that is on {df[segment]} of {pages} pages"

        return Verdict(scores, threshold, explain)
