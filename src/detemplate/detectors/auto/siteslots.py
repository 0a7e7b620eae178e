"""What a site's pages have in each slot: sums over its pages, and how segments are judged by them.

News changes from page to page, but the line with its date has one slot on all pages, and so have the article
and the teasers beside it. What looks like content in a slot of the other pages is content here, too, even if
this page's own text tells little. All sums are whole numbers of fixed precision: they do not depend on the
order of the pages, and a page that was counted can be left out exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.decision import RUNNING_WORDS
from detemplate.detectors.auto.slottree import SlotTree, add_up, slot_tree

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.stages import PageStage
    from detemplate.page.page import Page

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Sums = npt.NDArray[np.int64]

COLUMNS: Final = ("pages", "weight", "odds", "words", "content", "words inside", "content inside")
"""Columns of the sums of a slot.

``pages`` counts the pages with the slot. ``weight`` and ``odds`` are sums over the segments directly in the
slot, of their weights and of weight × log-odds by the page alone. ``words`` and ``content`` are shares of a
page's expected content: of the words of these segments, and of the words expected to be content. ``words
inside`` and ``content inside`` are these shares for all segments in the slot and in the slots inside it.
"""

_PAGES, _WEIGHT, _ODDS, _WORDS, _CONTENT, _WORDS_INSIDE, _CONTENT_INSIDE = range(len(COLUMNS))
"""Numbers of the columns."""

SCALE: Final = 1 << 20
"""Sums are multiples of 1 / SCALE."""

CLIP: Final = 6.0
"""Log-odds count up to this, and down to minus this."""

MOST_WORDS: Final = 100_000
"""Words of a segment that count at most."""

LONG_WORDS: Final = 200
"""Minimum words of running text on a page of an article site's kind."""

MAX_SLOTS: Final = 1 << 16
"""Maximum slots to remember of a site, if no smaller number of keys is set."""

_HALF: Final = 0.5
"""Above this page-only probability a segment looks like content."""


class PageSlots(NamedTuple):
    """What one page adds to the sums of its site.

    Attributes
    ----------
    tree
        The page's slots.
    sums
        Slots × :data:`COLUMNS`. int64.
    prose
        Share of running text in the page's expected content, times :data:`SCALE`.
    long
        Whether the page has :data:`LONG_WORDS` words of running text that look like content.
    """

    tree: SlotTree
    sums: Sums
    prose: int
    long: bool

    @classmethod
    def of(cls, page: Page, stage: PageStage, alone: Reals) -> PageSlots:
        """Sum up a page.

        Parameters
        ----------
        page, stage
            The page and the result of its first stage.
        alone
            Log-odds of each segment by the page alone.
        """
        columns, features = page.columns, stage.features
        tree = slot_tree(columns.parent, columns.segments, features.node_slots)
        words = np.minimum(features.words, MOST_WORDS).astype(np.float64)
        expected = words * sigmoid(alone)
        total = float(expected.sum())
        share = SCALE / max(total, 1.0)
        weight = np.minimum(stage.around.weight, MOST_WORDS)
        count = len(tree.keys)
        sums = np.zeros((count, len(COLUMNS)), np.int64)
        for column, values in (
            (_WEIGHT, weight * SCALE),
            (_ODDS, weight * alone.clip(-CLIP, CLIP) * SCALE),
            (_WORDS, words * share),
            (_CONTENT, expected * share),
        ):
            sums[:, column] = np.rint(np.bincount(tree.own, values, count))
        sums[:, _WORDS_INSIDE:] = add_up(tree.above, np.ascontiguousarray(sums[:, _WORDS:_WORDS_INSIDE]))
        sums[:, _PAGES] = 1
        running = words >= RUNNING_WORDS
        prose = round(float(expected[running].sum()) * SCALE / max(total, 1e-9))
        long = float(words[running & (stage.content > _HALF)].sum()) >= LONG_WORDS
        return cls(tree, sums, prose, long)


class SlotEvidence(NamedTuple):
    """What a site's pages, a page itself included, have in the slots of that page.

    Attributes
    ----------
    tree
        The page's slots.
    own, total
        Sums of the page and of all pages. Slots × :data:`COLUMNS`. int64.
    pages
        Number of pages, the page included.
    prose
        Mean share of running text in the expected content of a page.
    long
        Share of the pages with :data:`LONG_WORDS` words of running text.
    """

    tree: SlotTree
    own: Sums
    total: Sums
    pages: int
    prose: float
    long: float

    def others(self) -> tuple[Reals, Reals]:
        """Give, for each slot, the mean log-odds on the other pages (0 for none), and the number of these."""
        rest = self.total - self.own
        weight = rest[:, _WEIGHT]
        mean = np.divide(rest[:, _ODDS], weight, out=np.zeros(len(rest)), where=weight > 0)
        return mean.clip(-CLIP, CLIP), np.where(weight > 0, rest[:, _PAGES], 0).astype(np.float64)

    def shares(self) -> tuple[Reals, Reals, Reals, Reals]:
        """Give mean shares of each slot a page: words, content, and both in slots that this page lacks."""
        total = self.total[:, _WORDS:] / (SCALE * self.pages)
        words, content = total[:, 0], total[:, 1]
        missing = total[:, 2:] - total[:, :2]
        inner = self.tree.above >= 0
        np.subtract.at(missing, self.tree.above[inner], total[inner, 2:])
        missing[np.abs(missing) < 1 / SCALE] = 0
        return words, content, missing[:, 0], missing[:, 1]


class SiteSlots:
    """Sums over the pages of a site, slot by slot.

    Parameters
    ----------
    most
        Maximum number of slots, at least 1; those on the fewest pages, then those seen longest ago, are
        dropped.

    Attributes
    ----------
    pages
        Pages learnt.
    prose
        Sum over the pages of the share of running text in the expected content, times :data:`SCALE`.
    long
        Number of pages with :data:`LONG_WORDS` words of running text.
    """

    def __init__(self, most: int = MAX_SLOTS) -> None:
        self._most = most
        self.pages = 0
        self.prose = 0
        self.long = 0
        self._keys: Keys = np.zeros(0, np.uint64)
        self._sums: Sums = np.zeros((0, len(COLUMNS)), np.int64)
        self._last: Sums = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._keys.nbytes + self._sums.nbytes + self._last.nbytes

    def learn(self, page: PageSlots) -> None:
        """Add a page."""
        self.pages += 1
        self.prose += page.prose
        self.long += page.long
        place, known = self._find(page.tree.keys)
        at = place[known]
        self._sums[at] += page.sums[known]
        self._last[at] = self.pages
        if known.all():
            return
        new = ~known
        order = page.tree.keys[new].argsort()
        place = place[new][order]
        self._keys = np.insert(self._keys, place, page.tree.keys[new][order])
        self._sums = np.insert(self._sums, place, page.sums[new][order], axis=0)
        self._last = np.insert(self._last, place, self.pages)
        if len(self._keys) > self._most:
            self._drop()

    def evidence(self, page: PageSlots, *, counted: bool) -> SlotEvidence:
        """Give what the site's pages have in the slots of a page.

        Parameters
        ----------
        page
            The page.
        counted
            Whether it has been learnt.
        """
        place, known = self._find(page.tree.keys)
        total = np.zeros_like(page.sums)
        total[known] = self._sums[place[known]]
        pages, prose, long = self.pages, self.prose, self.long
        if not counted:
            total += page.sums
            pages, prose, long = pages + 1, prose + page.prose, long + page.long
        # Slots that were dropped from the table, or a copy's, may have less than the page itself.
        short = (total < page.sums).any(axis=1, where=np.arange(len(COLUMNS)) != _ODDS)
        total[short] = page.sums[short]
        pages = max(pages, 1)
        return SlotEvidence(page.tree, page.sums, total, pages, prose / (SCALE * pages), long / pages)

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Give the columns of the table, by name."""
        sums = {f"slot {name}": self._sums[:, number].copy() for number, name in enumerate(COLUMNS)}
        return {"slots": self._keys, "slot last": self._last, **sums}

    def load(self, pages: int, prose: int, long: int, columns: dict[str, npt.NDArray[Any]]) -> None:
        """Fill an empty table with the columns of :meth:`dump`.

        Raises
        ------
        ValueError
            The columns contradict each other.
        """
        keys, last = columns["slots"], columns["slot last"]
        sums = np.stack([columns[f"slot {name}"] for name in COLUMNS], axis=1)
        counts = sums[:, _PAGES]
        whole = len(keys) == len(last) == len(sums) <= self._most and bool((keys[1:] > keys[:-1]).all())
        if not whole or ((counts < 1) | (counts > pages) | (last < 1) | (last > pages)).any():
            raise ValueError("the slots are inconsistent")
        if not 0 <= long <= pages or not 0 <= prose <= 2 * SCALE * pages or (sums[:, _WEIGHT] < 0).any():
            raise ValueError("the slots are inconsistent")
        self.pages, self.prose, self.long = pages, prose, long
        self._keys, self._sums, self._last = keys, np.ascontiguousarray(sums), last

    def _find(self, keys: Keys) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """Give the place of each key, or where it would stand, and whether it is there."""
        place = self._keys.searchsorted(keys)
        known = np.zeros(len(keys), np.bool_)
        inside = place < len(self._keys)
        known[inside] = self._keys[place[inside]] == keys[inside]
        return place, known

    def _drop(self) -> None:
        """Keep three quarters of the slots: those on most pages, of equal ones those seen last."""
        order = np.lexsort((self._keys, -self._last, -self._sums[:, _PAGES]))
        kept = np.sort(order[: max(self._most * 3 // 4, 1)])
        self._keys, self._sums, self._last = self._keys[kept], self._sums[kept], self._last[kept]


SLOT_TYPES: Final = {"slots": "<u8", "slot last": "<i8"} | {f"slot {name}": "<i8" for name in COLUMNS}
"""Columns of :meth:`SiteSlots.dump`, and their types."""
