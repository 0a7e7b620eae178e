"""What stands around each segment of a page, uncompiled; arguments as in the kernel.

Sums run over the segments in order, so that the kernel's are equal to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detemplate.detectors.auto.surroundings_names import (
    FAR,
    HALF,
    LEAD,
    LEAST,
    NEAR,
    NONE,
    STRONG,
    STRONG_WORDS,
    SUMMARIES,
    TINY,
    UNSURE_WITHIN,
    WINDOWS,
    mean_names,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Table = npt.NDArray[np.float32]

_COLUMN = {name: number for number, name in enumerate(LEAD)}
"""Number of each column of :data:`LEAD`."""

_MEAN = {name: number for number, name in enumerate(mean_names(""))}
"""Number of each column of :func:`mean_names`."""


def groups_around(rows: Rows, groups: Rows, end: Rows) -> tuple[Rows, Rows, Rows, Rows, Rows]:
    """Find which segments are inside each group, and which group is around which.

    Parameters
    ----------
    rows
        Row of each segment in the page's columns, ascending.
    groups
        Segments × levels: row of each group around the segment, the innermost first; -1 for none.
    end
        For each row of the page's columns, the row after those inside it.

    Returns
    -------
    tuple of arrays of int32
        ``first``, ``last``, ``group``, ``held`` and ``above`` of
        :class:`~detemplate.detectors.auto.surroundings.Surroundings`.
    """
    known, some = np.maximum(groups, 0), groups >= 0
    first = np.searchsorted(rows, known) * some
    last = np.searchsorted(rows, end[known]) * some
    held = np.unique(groups[some]).astype(np.int32)
    number = np.where(some, np.searchsorted(held, groups), -1).astype(np.int32)
    above = np.full(len(held), -1, np.int32)
    inner, outer = number[:, :-1], number[:, 1:]
    pairs = outer >= 0
    above[inner[pairs]] = outer[pairs]
    return first.astype(np.int32), last.astype(np.int32), number, held, above


def numbered(keys: npt.NDArray[np.uint64]) -> Rows:
    """Give keys numbers in ascending order; equal keys get the same number."""
    return np.unique(keys, return_inverse=True)[1].astype(np.int32)


def means(  # noqa: PLR0917  # as in the kernel
    values: Reals, weight: Reals, first: Rows, last: Rows, block: Rows, slot: Rows, table: Table
) -> None:
    """Fill ``table`` with the weighted means of a column over what is around each segment.

    Parameters
    ----------
    values
        The column: one number a segment.
    weight, first, last, block, slot
        As in :class:`~detemplate.detectors.auto.surroundings.Surroundings`.
    table
        Segments × :func:`~detemplate.detectors.auto.surroundings_names.mean_names`.
    """
    count = len(values)
    weighed = values * weight
    weights, sums = running(weight), running(weighed)
    inside = weights[last] - weights[first]
    blocks_from, windows_from, slot_at = (
        _MEAN[name] for name in (f" block {-NEAR}", f" window {WINDOWS[0]}", " slot")
    )
    table[:, :blocks_from] = np.where(
        inside > 0, (sums[last] - sums[first]) / np.maximum(inside, LEAST), NONE
    )
    number = block.astype(np.intp)
    blocks = np.full(int(number[-1]) + 1 + 2 * NEAR, NONE)
    blocks[NEAR:-NEAR] = np.bincount(number, weighed) / np.bincount(number, weight)
    table[:, blocks_from:windows_from] = blocks[number[:, None] + np.arange(2 * NEAR + 1)]
    place, windows = np.arange(count)[:, None], np.array(WINDOWS)
    low, high = np.maximum(place - windows, 0), np.minimum(place + windows + 1, count)
    table[:, windows_from:slot_at] = (sums[high] - sums[low]) / (weights[high] - weights[low])
    table[:, slot_at] = slot_means(values, weight, slot)[slot]


def lead(  # noqa: PLR0917  # as in the kernel
    content: Reals, weight: Reals, words: Rows, first: Rows, last: Rows, table: Table
) -> None:
    """Fill ``table`` with what the content probabilities of a page say about each segment.

    Parameters
    ----------
    content
        Content probability of each segment, in [0, 1].
    words
        Words of each segment.
    weight, first, last
        As in :class:`~detemplate.detectors.auto.surroundings.Surroundings`.
    table
        Segments × :data:`~detemplate.detectors.auto.surroundings_names.LEAD`.
    """
    count = len(content)
    weighed = content * weight
    sums = running(weighed)
    before, total = sums[:-1], float(sums[-1])
    number = np.arange(count)
    strong = np.flatnonzero((content > STRONG) & (words >= STRONG_WORDS))
    edged = np.concatenate([[-FAR], strong, [count + FAR]])
    after = np.searchsorted(strong, number)  # the first strong one that is not before
    pure = float(np.cumsum(np.where(content > HALF, weighed, 0.0))[-1])
    columns = {
        "content": content,
        "content words": total,
        "content share": total / float(np.cumsum(weight)[-1]),
        "highest": float(content.max()),
        "unsure": float(np.mean(np.abs(content - HALF) < UNSURE_WITHIN)),
        "pure": pure / max(total, TINY),
        "content before": before / max(total, TINY),
        "words before": before,
        "words after": total - before,
        "strong before": np.minimum(number - edged[after], FAR),
        "strong after": np.minimum(edged[after + 1] - number, FAR),
    }
    for name, values in columns.items():
        table[:, _COLUMN[name]] = values
    table[:, _COLUMN["part level 0"] :] = shares(weighed, first, last)


def context(  # noqa: PLR0917  # as in the kernel
    content: Reals,
    weight: Reals,
    words: Rows,
    first: Rows,
    last: Rows,
    block: Rows,
    slot: Rows,
    features: Table,
    own: Rows,
    unknown: float,
    table: Table,
) -> None:
    """Fill the table of the site stage as if no other page of the site were known.

    Parameters
    ----------
    content, weight, words, first, last, block, slot
        As for :func:`lead` and :func:`means`.
    features, own
        Segment features, and which columns of them are copied.
    unknown
        What stands for the columns about other pages, but for their number, which is 0.
    table
        Segments × columns: :data:`~detemplate.detectors.auto.surroundings_names.LEAD`; means of ``content``;
        the copied features; and the columns of :func:`site_context`.
    """
    ends = np.cumsum((len(LEAD), len(_MEAN), len(own))).tolist()
    if table.shape[1] <= ends[-1]:
        raise ValueError("the arrays have other columns")
    lead(content, weight, words, first, last, table[:, : ends[0]])
    means(content, weight, first, last, block, slot, table[:, ends[0] : ends[1]])
    table[:, ends[1] : ends[2]] = features[:, own]
    table[:, ends[2]] = 0
    table[:, ends[2] + 1 :] = unknown


def site_context(  # noqa: PLR0917  # as in the kernel
    content: Reals,
    weight: Reals,
    first: Rows,
    last: Rows,
    block: Rows,
    slot: Rows,
    pages: int,
    shares: Reals,
    share: int,
    table: Table,
) -> None:
    """Fill the last columns of the site stage's table, which are about the site's other pages.

    Parameters
    ----------
    content, weight, first, last, block, slot
        As for :func:`lead` and :func:`means`.
    pages, shares, share
        Number of the site's other pages; segments × columns about them; and the column with the share of
        them that has the segment.
    table
        Its last columns: ``pages``; ``shares``; means of the segment's share; and
        :data:`~detemplate.detectors.auto.surroundings_names.SUMMARIES`.
    """
    widths = (1, shares.shape[1], len(_MEAN), len(SUMMARIES))
    start = table.shape[1] - sum(widths)
    ends = (start + np.cumsum(widths)).tolist()
    if start < 0 or not 0 <= share < shares.shape[1]:
        raise ValueError("the arrays have other columns")
    table[:, start] = pages
    table[:, ends[0] : ends[1]] = shares
    values = np.ascontiguousarray(shares[:, share])
    means(values, weight, first, last, block, slot, table[:, ends[1] : ends[2]])
    repeated, frequent = values > 0, values >= HALF
    parts = []
    for mass, least in ((weight, 0.0), (weight * content, TINY)):
        total = max(float(running(mass)[-1]), least)
        parts += [float(running(np.where(chosen, mass, 0.0))[-1]) / total for chosen in (repeated, frequent)]
    table[:, ends[2] :] = *parts, float(values.max())


def shares(weighed: Reals, first: Rows, last: Rows) -> Reals:
    """Give the share of a column's sum that is inside each group around each segment."""
    sums = running(weighed)
    return np.asarray((sums[last] - sums[first]) / max(float(sums[-1]), TINY))


def slot_means(values: Reals, weight: Reals, slot: Rows) -> Reals:
    """Give the weighted mean of a column over each slot."""
    return np.asarray(np.bincount(slot, values * weight) / np.bincount(slot, weight))


def running(values: Reals) -> Reals:
    """Sum what is before each place of a column; the last sum is of all."""
    return np.concatenate([[0.0], np.cumsum(values)])
