"""Regularised isotonic regression on trees (Chakrabarti, Kumar, Punera: WWW 2007, section 4).

Smooths the scores of a tree's nodes: no node scores below its parent, and few nodes score differently from
their parents. A *section* is a connected set of nodes with the same score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms import _isotonic

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


def isotonic_smooth(
    parent: Nodes,
    x: Numbers,
    penalty: float | Numbers,
    weight: float | Numbers | None = None,
    *,
    max_values: int | None = None,
) -> Smoothed:
    """Smooth the scores of a tree: find the y of minimum cost.

    The cost is ``Σ γ_i [i starts a section] + Σ w_i |x_i - y_i|``, under ``y(parent) ≤ y(child)``. A node
    starts a section if it has no parent, or if its y differs from its parent's.

    ``parent``: row of each node's parent, which is before the node's own; -1 for none. Several nodes may have
        none.
    ``x``: scores, finite, of any range.
    ``penalty``: γ, one number for all or one a node, at least 0. ``inf``: the node never starts a section. A
        node without a parent always starts one, so its penalty changes nothing.
    ``weight``: w, one number for all or one a node, finite, at least 0. Default: 1.
    ``max_values``: maximum number of candidate values, at least 2: the x that are considered for y. By
        default, nodes times values stay within 25 million, but at least 64 values are considered: all x up to
        5,000 nodes.
    Returns: scores and sections.
    Raises ValueError: columns differ in length; a parent does not come before its child; a number is out of
        its range; differences of x times weights are beyond a float's range.

    Notes
    -----
    Exact as long as all m different x are candidates: O(n m) time, n m bytes and O(m log n) floats of
    memory. With q candidates, which are weighted quantiles, the cost is at most ``W R / (2 (q - 1))`` above
    the minimum, where W is the sum of the weights and R the range of the x.

    ``docs/methods/pagelevel.md`` has the proof.

    Of results with equal cost, the one found from the top down is returned. A node without a parent takes
    the lowest score that is optimal for its subtree. Any other node keeps its parent's score where that is
    optimal, and takes the lowest optimal score otherwise. (One section for all nodes is at the lower
    median.) Costs are floats: ties between x that are no multiples of a power of 2 may be missed.

    Examples
    --------
    A list with one doubtful entry, and a paragraph:

    >>> isotonic_smooth([-1, 0, 1, 1, 1, 0], [0.1, 0.9, 0.9, 0.4, 0.9, 0.1], penalty=0.6).scores.tolist()
    [0.1, 0.9, 0.9, 0.9, 0.9, 0.1]
    """
    task = checked(parent, x, penalty, weight, max_values)
    if not len(task.x):
        return Smoothed(np.zeros(0), np.zeros(0, np.int32))
    return Smoothed(*_isotonic.solve(*task))


def smooth_leaves(
    above: Rows, group: Rows, x: Reals, weight: Reals, *, penalty: float, steps: int
) -> npt.NDArray[np.float64]:
    """Smooth the scores of leaves that hang on a tree of groups.

    As :func:`isotonic_smooth` with the groups before the leaves: groups have score 0 and weight 0, and all
    nodes the same penalty. Scores are rounded first.

    ``above``: number of the group around each group, which is before it; -1 for none. int32.
    ``group``: number of the group around each leaf, -1 for none; at least one. int32.
    ``x``: score of each leaf, in [0, 1].
    ``weight``: weight of each leaf's score, finite, at least 0.
    ``penalty``: penalty for each section, at least 0.
    ``steps``: scores are rounded to multiples of 1 / ``steps``.
    Returns: the smoothed score of each leaf.
    Raises ValueError: columns differ in length or are empty; a group comes after one in it; a score is out of
        its range.
    """
    groups, leaves = len(above), len(group)
    if not 0 < leaves == len(x) == len(weight) or steps < 1:
        raise ValueError("the columns are empty or differ in length")
    parent = np.concatenate([above, group])
    if parent.min() < -1 or group.max() >= groups or (above >= np.arange(groups)).any():
        raise ValueError("a group comes before the groups and the leaves in it")
    if not (x.min() >= 0 and x.max() <= 1):
        raise ValueError("a leaf's score is in [0, 1]")
    step = np.rint(x * steps).astype(np.intp)
    used = np.zeros(steps + 1, np.bool_)
    used[step] = True
    used[0] |= groups > 0
    scores, mass = np.zeros((2, groups + leaves))
    scores[groups:], mass[groups:] = step / steps, weight
    penalties = np.full(groups + leaves, float(penalty))
    smooth: Reals = _isotonic.solve(parent, scores, np.flatnonzero(used) / steps, penalties, mass)[0]
    return smooth[groups:]


def checked(
    parent: Nodes,
    x: Numbers,
    penalty: float | Numbers,
    weight: float | Numbers | None = None,
    max_values: int | None = None,
) -> Task:
    """Check the arguments of :func:`isotonic_smooth`, and choose the candidate values."""
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
    """Return the different x, ascending; if there are more than ``most``, their weighted quantiles."""
    values, where = np.unique(x, return_inverse=True)
    if len(values) > most:
        sums = np.cumsum(np.bincount(where, weight))
        values = values[np.unique(np.searchsorted(sums, np.linspace(0, 1, most) * sums[-1]))]
    return values
