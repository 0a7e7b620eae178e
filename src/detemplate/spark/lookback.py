"""What the pages shortly before a page have, for method ``auto``: copies, and what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detemplate.spark.grouping import GROUP, groups, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt
    import pyarrow as pa  # type: ignore[import-untyped]

    from detemplate.spark.grouping import Columns


def repeated(batches: Iterable[pa.RecordBatch], window: int) -> Iterator[Columns]:
    """Find the pages that have a key of one of the pages before.

    Parameters
    ----------
    batches
        Rows ``site``, ``key``, ``chunk``, ``place``, ``pos``, ``own``, sorted by the first four. ``place`` is
        the page's number in its site; ``own`` is 0 for pages of the chunk before, which are only looked at.
    window
        Number of pages before a page that are looked at.

    Yields
    ------
    dict of arrays
        ``pos``: the pages; one may come several times.
    """
    for rows in groups(batches):
        seen = _seen(rows, window) & (rows["own"] > 0)
        yield {"pos": rows["pos"][seen]}


def new(batches: Iterable[pa.RecordBatch], window: int) -> Iterator[Columns]:
    """Find the keys that count for a page because a mark on it is new.

    Parameters
    ----------
    batches
        As for :func:`repeated`, also with ``fresh``, the key that counts, ``tick``, ``end`` and ``several``.
    window
        As for :func:`repeated`.

    Yields
    ------
    dict of arrays
        The given columns, with ``key`` for what was ``fresh``; repeated where several marks are new.
    """
    for rows in groups(batches):
        kept = ~_seen(rows, window) & (rows["own"] > 0) & (rows["tick"] > 0)
        found = {name: rows[name][kept] for name in ("site", "chunk", "tick", "pos", "end", "several")}
        yield {**found, "key": rows["fresh"][kept]}


def _seen(rows: Columns, window: int) -> npt.NDArray[np.bool_]:
    """Tell of each row whether one of the pages before its page is in its group."""
    place = rows["place"]
    size = len(place)
    seen = np.zeros(size, np.bool_)
    if not size:
        return seen
    # The first row of each page's rows in a group, and that of the page before it.
    begins = np.ones(size, np.bool_)
    starts = starts_of(rows, GROUP)
    begins[1:] = place[1:] != place[:-1]
    begins[starts] = True
    first = np.flatnonzero(begins)
    before = np.full(len(first), -1, np.int64)
    before[1:] = place[first[:-1]]
    fresh = np.zeros(size, np.bool_)
    fresh[starts] = True
    near = (before >= 0) & ~fresh[first] & (place[first] - before <= window)
    return np.repeat(near, np.diff(np.append(first, size)))
