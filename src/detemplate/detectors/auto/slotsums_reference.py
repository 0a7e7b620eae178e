"""Sums of slots, uncompiled; arguments as in the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid

if TYPE_CHECKING:
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Sums = npt.NDArray[np.int64]

COLUMNS: Final = ("pages", "weight", "odds", "words", "content", "words inside", "content inside")
"""Columns of the sums of a slot.

``pages`` counts the pages with the slot. ``weight`` and ``odds`` are sums over the segments directly in the
slot, of their weights and of weight × log-odds by the page alone. ``words`` and ``content`` are shares of a
page's expected content: of the words of these segments, and of the words expected to be content. ``words
inside`` and ``content inside`` are these shares for all segments in the slot and in the slots inside it.
"""

PAGES, WEIGHT, ODDS, WORDS, CONTENT, WORDS_INSIDE, CONTENT_INSIDE = range(len(COLUMNS))
"""Numbers of the columns."""

SCALE: Final = 1 << 20
"""Sums are multiples of 1 / SCALE."""

CLIP: Final = 6.0
"""Log-odds count up to this, and down to minus this."""

MOST_WORDS: Final = 100_000
"""Words of a segment that count at most."""

HALF: Final = 0.5
"""Above this page-only probability a segment looks like content."""

TINY: Final = 1e-9
"""Least divisor of a mean."""


def page_sums(  # noqa: PLR0917  # as in the kernel
    above: Rows, own: Rows, words: Rows, weight: Reals, alone: Reals, content: Reals, running: int, sums: Sums
) -> tuple[int, int]:
    """Fill the sums of a page.

    Returns
    -------
    tuple of int and int
        Share of running text in the expected content, times :data:`SCALE`, and the words of running text that
        look like content.
    """
    counted = np.minimum(words, MOST_WORDS).astype(np.float64)
    expected = counted * sigmoid(alone)
    total = _sum(expected)
    share = SCALE / max(total, 1.0)
    heavy = np.minimum(weight, MOST_WORDS)
    values = (heavy * SCALE, heavy * alone.clip(-CLIP, CLIP) * SCALE, counted * share, expected * share)
    for column, value in enumerate(values, WEIGHT):
        sums[:, column] = np.rint(np.bincount(own, value, len(above)))
    sums[:, WORDS_INSIDE:] = sums[:, WORDS:WORDS_INSIDE]
    for slot in range(len(above) - 1, -1, -1):
        if above[slot] >= 0:
            sums[above[slot], WORDS_INSIDE:] += sums[slot, WORDS_INSIDE:]
    sums[:, PAGES] = 1
    prose = round(_sum(expected[words >= running]) * SCALE / max(total, TINY))
    return prose, int(words[(words >= running) & (content > HALF)].sum(dtype=np.int64))


def gather(known: Keys, table: Sums, keys: Keys, own: Sums, counted: bool, total: Sums) -> None:  # noqa: PLR0917
    """Fill the sums of all pages in the slots of a page."""
    place, there = _find(known, keys)
    total[:] = 0
    total[there] = table[place[there]]
    if not counted:
        total += own
    short = (total < own).any(axis=1, where=np.arange(len(COLUMNS)) != ODDS)
    total[short] = own[short]


def add(known: Keys, table: Sums, last: Sums, keys: Keys, own: Sums, page: int, places: Sums) -> int:  # noqa: PLR0917
    """Add a page to the slots that are known; write where the others would stand, -1 for known ones.

    Returns
    -------
    int
        Number of slots that are not known.
    """
    place, there = _find(known, keys)
    table[place[there]] += own[there]
    last[place[there]] = page
    places[:] = np.where(there, -1, place)
    return int((~there).sum())


def insert(known: Sums, rows: Sums, order: Sums, places: Sums, grown: Sums) -> None:
    """Insert some of the rows, in an order, into a table, each before the row at its place."""
    grown[:] = np.insert(known, places[order], rows[order], axis=0)


def _find(known: Keys, keys: Keys) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Give the place of each key, or where it would stand, and whether it is there."""
    place = known.searchsorted(keys)
    there = np.zeros(len(keys), np.bool_)
    inside = place < len(known)
    there[inside] = known[place[inside]] == keys[inside]
    return place, there


def _sum(values: Reals) -> float:
    """Sum values from the first to the last, as the kernel does."""
    return float(values.cumsum()[-1]) if len(values) else 0.0
