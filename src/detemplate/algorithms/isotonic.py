"""Regularised isotonic regression on trees (Chakrabarti, Kumar, Punera: WWW 2007, section 4).

The scores of a tree's nodes are smoothed so that no node scores higher than its children and few nodes
score differently from their parents. Nodes of one score that hang together are a section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Rows = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]
    Numbers = Sequence[float] | npt.NDArray[np.floating[Any] | np.integer[Any]]
    Nodes = Sequence[int] | npt.NDArray[np.integer[Any]]

MOST_CELLS: Final = 50_000_000
"""Nodes times candidate values up to which :func:`isotonic_smooth` is exact by default."""

FEWEST_VALUES: Final = 64
"""Candidate values that it takes however many nodes there are."""

_KEEP: Final = 1
_LEAST: Final = 2


class Smoothed(NamedTuple):
    """Smoothed scores, one row a node.

    Attributes
    ----------
    scores
        Each is one of the scores given; a node's is at least its parent's.
    sections
        Row of the node that the node's section starts with.
    """

    scores: Reals
    sections: Rows


class Task(NamedTuple):
    """What is to be smoothed, checked and in full.

    Attributes
    ----------
    parent, x, penalty, weight
        One row a node.
    values
        The scores that the result may have, ascending.
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
    """Smooth the scores of a tree: find the y with the least cost.

    The cost is ``Σ γ_i [i starts a section] + Σ w_i |x_i - y_i|``, under ``y(parent) ≤ y(child)``. A node
    starts a section if it has no parent or if its y differs from its parent's.

    Parameters
    ----------
    parent
        Row of each node's parent, which comes before the node; -1: it has none. Several nodes may have
        none.
    x
        Scores, finite; of any range.
    penalty
        γ, one number for all or one a node, at least 0. ``inf``: the node never starts a section. Nodes
        without a parent always do, so theirs changes nothing.
    weight
        w, one number for all or one a node, finite and at least 0; by default 1.
    max_values
        Take at most so many of the x, at least 2, into consideration for y. By default as many as
        keep nodes times values within 50 million, but at least 64: all for up to 7,071 nodes.

    Returns
    -------
    Smoothed
        Scores and sections.

    Raises
    ------
    ValueError
        Columns of unequal length; a parent that does not come before its child; numbers that are not
        what they must be; differences of x times weights that are beyond a float's range.

    Notes
    -----
    Exact as long as all different x, m of them, are considered: O(n m) time, n m bytes and O(m log n)
    floats of memory. With q of them, weighted quantiles, the cost is at most ``W R / (2 (q - 1))`` above
    the least, where W is the sum of the weights and R the range of the x. Why: between neighbouring
    candidates a < b lies a weight of W / (q - 1) at most. Draw a number t between them, and move every y
    in between down to a if it is below t, up to b otherwise. The order of the y stays and no section is
    added. On average over t, y moves nowhere, and ``|x - y|`` grows for those x only that are in between
    too: by (b - a) / 2 at most. So some t costs no more than half of W / (q - 1) times (b - a), and all
    b - a together are R at most.

    Of results with equal cost, it is the one that is found from the top down: a node without a parent
    takes the least score that is optimal for its subtree; any other keeps its parent's score where that
    is optimal, and takes the least one that is optimal otherwise. (One section for everything is at
    the lower median.) Costs are floats: x that are no multiples of a power of 2 may miss a tie.

    Examples
    --------
    A list with one doubtful entry, and a paragraph:

    >>> isotonic_smooth([-1, 0, 1, 1, 1, 0], [0.1, 0.9, 0.9, 0.4, 0.9, 0.1], penalty=0.6).scores.tolist()
    [0.1, 0.9, 0.9, 0.9, 0.9, 0.1]
    """
    return solve(smoothing_task(parent, x, penalty, weight, max_values))


def solve(task: Task) -> Smoothed:
    """Smooth as :func:`isotonic_smooth` does what is known to be right; nothing is checked.

    Parameters
    ----------
    task
        Columns of the types that :class:`Task` names, rows following each other in memory. ``values`` holds
        every ``x`` for the result to be exact.
    """
    if not len(task.x):
        return Smoothed(np.zeros(0), np.zeros(0, np.int32))
    return Smoothed(*KERNEL.solve(*task)) if KERNEL is not None else reference_smooth(task)


def smoothing_task(
    parent: Nodes,
    x: Numbers,
    penalty: float | Numbers,
    weight: float | Numbers | None = None,
    max_values: int | None = None,
) -> Task:
    """Check what :func:`isotonic_smooth` is given, and choose the values that y may have."""
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


def _column(given: float | Numbers, count: int, name: str) -> Reals:
    numbers = np.asarray(given, np.float64)
    if numbers.shape not in ((), (count,)):
        message = f"{name} must be one number or one a node"
        raise ValueError(message)
    if not (numbers >= 0).all():  # also false for what is no number
        message = f"{name} must be at least 0"
        raise ValueError(message)
    return np.array(np.broadcast_to(numbers, count))


def _candidates(x: Reals, weight: Reals, most: int) -> Reals:
    """Give the different x, ascending; of more than ``most`` the weighted quantiles."""
    values, where = np.unique(x, return_inverse=True)
    if len(values) > most:
        sums = np.cumsum(np.bincount(where, weight))
        values = values[np.unique(np.searchsorted(sums, np.linspace(0, 1, most) * sums[-1]))]
    return values


def reference_smooth(task: Task) -> Smoothed:
    """Solve a task that has nodes: the uncompiled reference."""
    return _follow(task, _build_choices(task))


def _build_choices(task: Task) -> npt.NDArray[np.uint8]:
    """Find what is best for each node i and each score j of its parent (the paper's BUILDERROR).

    ``err'(i, j)``, without the penalty, is the cost of i's subtree when i has score j. Where the parent
    has score j, i either keeps j, or pays its penalty and takes the best k ≥ j. The value has a 0 where i
    takes the best instead of keeping; 2 where j is a best itself, so that the best k ≥ j is the next 2.

    The sum of the children's errors lies on a stack, which the largest subtree enters first: its last
    row becomes its parent's sum. So two rows of the stack belong to trees of which the upper has at most
    half the nodes of the lower, and there are at most 1 + log₂ n rows.
    """
    parent, x, values, penalty, weight = task
    order, leaf, largest = _visits(parent.tolist())
    choices = np.empty((len(x), len(values)), np.uint8)
    stack: list[Reals] = []
    for i in reversed(order):
        below = np.zeros(len(values)) if leaf[i] else stack.pop()
        stay = below + weight[i] * np.abs(x[i] - values)
        best = np.minimum.accumulate(stay[::-1])[::-1]
        move = penalty[i] + best
        choices[i] = _KEEP * (stay <= move)
        choices[i][stay == best] = _LEAST
        if parent[i] >= 0:
            error = np.minimum(stay, move)
            stack.append(error if largest[i] else stack.pop() + error)
    return choices


def _visits(parent: list[int]) -> tuple[list[int], list[bool], list[bool]]:
    """Order the nodes of all trees: each tree together, parents first, the largest subtree last.

    The values are the rows in this order, and of each node, whether it has no children and whether its
    subtree is the largest (the first of the largest) below its parent.
    """
    count = len(parent)
    size, largest = [1] * count, [-1] * count
    for i in reversed(range(count)):
        above = parent[i]
        if above >= 0:
            size[above] += size[i]
            if largest[above] < 0 or size[i] >= size[largest[above]]:
                largest[above] = i
    order, start, free, top = [0] * count, [0] * count, [0] * count, 0
    for i, above in enumerate(parent):
        if above < 0:
            start[i] = top
            top += size[i]
        elif largest[above] == i:
            start[i] = start[above] + size[above] - size[i]
        else:
            start[i] = free[above]
            free[above] += size[i]
        free[i] = start[i] + 1
        order[start[i]] = i
    chosen = [above >= 0 and largest[above] == i for i, above in enumerate(parent)]
    return order, [nodes == 1 for nodes in size], chosen


def _follow(task: Task, choices: npt.NDArray[np.uint8]) -> Smoothed:
    """Choose from the top down (the paper's ISOTONESMOOTH)."""
    taken = np.zeros(len(task.x), np.int64)
    sections = np.arange(len(task.x), dtype=np.int32)
    for i, above in enumerate(task.parent.tolist()):
        least = taken[above] if above >= 0 else 0
        if above >= 0 and choices[i, least]:
            taken[i], sections[i] = least, sections[above]
        else:
            taken[i] = least + np.argmax(choices[i, least:] == _LEAST)
    return Smoothed(task.values[taken], sections)


KERNEL: Final[Any] = compiled("detemplate.algorithms._isotonic")
