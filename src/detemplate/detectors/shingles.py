"""The batch baseline: blocks that recur by shingle (Ma, Goharian, Chowdhury, Chung: CIKM 2003).

As Wang et al. 2008, section 3, compare with it: the blocks of a batch of pages are known by min-wise
shingles, and a block that occurs on many pages of the batch is template.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.minwise import min_wise, word_hashes
from detemplate.algorithms.recurrence import MOST_ENTRIES, merged, recurrence_table
from detemplate.detectors.base import Detector, Options
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table
    from detemplate.page.page import Page

_VERSION: Final = 1


@dataclasses.dataclass(frozen=True, slots=True)
class ShinglesOptions(Options):
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

    def table(self) -> npt.NDArray[np.int64]:
        """Give the lifetimes of the table's entries: none ends; one queue a frequency up to ``min_df``."""
        return np.full(self.min_df, -1, np.int64)


class Shingles(Detector):
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

    def __init__(self, options: ShinglesOptions | None = None) -> None:
        self._options = options or ShinglesOptions()
        self._table: Table = recurrence_table(self._options.table(), self._options.max_shingles)

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> ShinglesOptions:  # noqa: ARG003
        """Complete the options; they are the same for one pass and two."""
        return ShinglesOptions(**given)

    @property
    def pages(self) -> int:
        """Pages learnt so far."""
        return self._table.pages

    @property
    def shingles(self) -> int:
        """Shingles in the table."""
        return len(self._table)

    @property
    def nbytes(self) -> int:
        """Memory that the table holds, in bytes."""
        return self._table.nbytes

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

    def merge(self, other: Self) -> Self:
        """Add up what both have counted."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        options = self._options
        joined = type(self)(options)
        joined._table = merged(self._table, other._table, options.table(), options.max_shingles)
        return joined

    def to_bytes(self) -> bytes:
        """Give the table (16 bytes a shingle) and the options."""
        keys, dfs, lasts = self._table.dump()
        header = {"options": dataclasses.asdict(self._options), "pages": self.pages}
        return pack(self.name, _VERSION, header, {"keys": keys, "df": dfs, "last": lasts})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave."""
        header, arrays = unpack(data, cls.name, _VERSION, {"keys": "<u8", "df": "<i4", "last": "<i4"})
        try:
            restored = cls(ShinglesOptions(**header["options"]))
            keys, dfs, lasts = (arrays[key] for key in ("keys", "df", "last"))
            pages = int(header["pages"])
            if not 0 <= pages < 2**31 or len(np.unique(keys)) != len(keys):
                raise StateError("the state's shingles are inconsistent")
            restored._table.load(pages, keys, dfs, lasts)
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored
