"""What a page asks its site, what the site answers, and what stays beside the page meanwhile."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.auto.siteslots import NO_ROWS, PageSlots
from detemplate.detectors.auto.slottree import SlotTree

if TYPE_CHECKING:
    from typing import SupportsIndex

    import numpy.typing as npt

    from detemplate.detectors.auto.siteslots import SlotTotals
    from detemplate.detectors.auto.stages import PageOdds, PageStage

    Counts = npt.NDArray[np.int32]
    Joined = tuple[bytearray, tuple[int, ...], int, bool]

_BUFFERS: Final = 5
"""The first protocol of pickle that keeps large data apart."""


class Query(NamedTuple):
    """What a page asks its site.

    Attributes
    ----------
    keys
        Keys that other pages may have as well.
    slots
        What the page adds to the sums of its slots.
    """

    keys: SiteKeys
    slots: PageSlots

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickle the arrays as one: queries go from workers to the owner of a run, and to its checkpoint."""
        data, *others = self.joined
        return unpickled, (pickle.PickleBuffer(data) if int(protocol) >= _BUFFERS else data, *others)

    @property
    def joined(self) -> Joined:
        """The arrays one behind another, their lengths, and the rest."""
        keys, slots = self
        columns: tuple[npt.NDArray[Any], ...] = (
            keys.keys,
            keys.signatures,
            slots.tree.keys,
            slots.sums,
            keys.slot,
            keys.votes,
        )
        sizes = tuple(column.size for column in columns)
        data = bytearray().join(column.tobytes() for column in columns)
        return data, sizes, slots.prose, slots.long


class _Unpickled(Query):
    """A query that was pickled: its arrays are joined already, and a checkpoint keeps them so."""

    given: Joined

    @property
    def joined(self) -> Joined:
        return self.given


_COLUMNS: Final = (np.uint64, np.uint64, np.uint64, np.int64, np.int32, np.bool_)
"""Types of the columns in a pickle, the widest first."""


def unpickled(data: bytearray | memoryview, sizes: tuple[int, ...], prose: int, long: bool) -> Query:
    """Make a query of what is in its pickle.

    Parameters
    ----------
    data, sizes
        The columns one behind another, and their lengths.
    prose, long
        As of :class:`~detemplate.detectors.auto.siteslots.PageSlots`.

    Raises
    ------
    ValueError
        The lengths do not fit the columns.
    """
    columns: list[npt.NDArray[Any]] = []
    data = data if isinstance(data, bytearray) else bytearray(data)
    at = 0
    for kind, size in zip(_COLUMNS, sizes, strict=True):
        columns.append(np.frombuffer(data, kind, size, at) if size else np.zeros(0, kind))
        at += columns[-1].nbytes
    keys, signatures, tree, sums, slot, votes = columns
    slots = PageSlots(SlotTree(tree, NO_ROWS, NO_ROWS), sums.reshape(len(tree), -1), prose, long)
    query = _Unpickled(SiteKeys(keys, signatures, slot, votes), slots)
    query.given = data, sizes, prose, long
    return query


class Answer(NamedTuple):
    """What the site has learnt about what a page asks, where it has learnt other pages.

    Attributes
    ----------
    counts
        Document frequency of each key.
    pages
        Number of pages that were counted.
    counted
        Whether the page, or a copy of it, is one of them.
    slots
        What the pages have in the page's slots.
    """

    counts: Counts
    pages: int
    counted: bool
    slots: SlotTotals


class PageResult(NamedTuple):
    """What judging a page needs again.

    Attributes
    ----------
    stage, odds
        Results of both stages without other pages.
    slots
        What the page adds to the sums of its slots; None if other pages do not matter.
    """

    stage: PageStage
    odds: PageOdds
    slots: PageSlots | None
