"""A tree's scores to smooth, checked, and the smoothed scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Rows = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]
    Numbers = Sequence[float] | npt.NDArray[np.floating[Any] | np.integer[Any]]
    Nodes = Sequence[int] | npt.NDArray[np.integer[Any]]

MOST_CELLS: Final = 25_000_000
"""Default limit of nodes times candidate values: smoothing is exact up to it, approximate beyond."""

FEWEST_VALUES: Final = 64
"""Candidate values that are considered by default, however many nodes there are."""


class Smoothed(NamedTuple):
    """Smoothed scores, one row a node.

    ``scores``: each is one of the original scores; no node's is below its parent's.
    ``sections``: row of the node that starts the node's section.
    """

    scores: Reals
    sections: Rows


class Task(NamedTuple):
    """Scores to smooth, checked and complete.

    ``parent``: row of each node's parent, which is before the node's own; -1 for none.
    ``x``: score of each node.
    ``values``: candidate values: the scores that the result may have, ascending.
    ``penalty``: cost of starting a section at each node.
    ``weight``: weight of each node's score.
    """

    parent: Rows
    x: Reals
    values: Reals
    penalty: Reals
    weight: Reals


def smoothing_task(
    parent: Nodes,
    x: Numbers,
    penalty: float | Numbers,
    weight: float | Numbers | None = None,
    max_values: int | None = None,
) -> Task:
    """Check what is to be smoothed, and choose the candidate values.

    Parameters, and errors that are raised, are those of
    :func:`~detemplate.algorithms.isotonic.isotonic_smooth`.
    """
    scores, above = np.array(x, np.float64), np.asarray(parent)
    if scores.ndim != 1 or above.shape != scores.shape:
        raise ValueError("parent and x must be columns of equal length")
    if len(above) and not np.issubdtype(above.dtype, np.integer):
        raise ValueError("parent must hold whole numbers")
    if ((above < -1) | (above >= np.arange(len(above)))).any():
        raise ValueError("parent must be -1 or a row before the node's own")
    if not np.isfinite(scores).all():
        raise ValueError("x must be finite")
    penalties = _column(penalty, len(scores), "penalty")
    weights = _column(1 if weight is None else weight, len(scores), "weight")
    with np.errstate(over="ignore", invalid="ignore"):
        if len(scores) and not np.isfinite((scores.max() - scores.min()) * weights.sum()):
            raise ValueError("x times weight is too large")
    if max_values is None:
        max_values = max(MOST_CELLS // max(len(scores), 1), FEWEST_VALUES)
    elif max_values < 2:
        raise ValueError("max_values must be at least 2")
    return Task(above.astype(np.int32), scores, _candidates(scores, weights, max_values), penalties, weights)


def _column(numbers: float | Numbers, count: int, name: str) -> Reals:
    """Make a column of one number a node; ``name`` is the argument's."""
    column = np.asarray(numbers, np.float64)
    if column.shape not in ((), (count,)):
        message = f"{name} must be one number or one a node"
        raise ValueError(message)
    if not (column >= 0).all():  # False for NaN, too
        message = f"{name} must be at least 0"
        raise ValueError(message)
    return np.array(np.broadcast_to(column, count))


def _candidates(x: Reals, weight: Reals, most: int) -> Reals:
    """Give the different x, ascending; if there are more than ``most``, their weighted quantiles."""
    values, where = np.unique(x, return_inverse=True)
    if len(values) > most:
        sums = np.cumsum(np.bincount(where, weight))
        values = values[np.unique(np.searchsorted(sums, np.linspace(0, 1, most) * sums[-1]))]
    return values
