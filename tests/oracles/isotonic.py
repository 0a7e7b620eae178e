"""Tree smoothing: a dynamic program from the leaves up, then choices from the top down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from detemplate.algorithms.isotonic import Smoothed, Task

if TYPE_CHECKING:
    from detemplate.algorithms.isotonic import Reals

MOVE: Final = 0
"""Best for a node whose parent has this score: start a section, at the next higher :data:`LEAST`."""

KEEP: Final = 1
"""Best for a node whose parent has this score: take the same score."""

LEAST: Final = 2
"""As :data:`KEEP`; and a section that starts at the node, below lower scores, takes this score."""


def solve(task: Task) -> Smoothed:
    """Smooth a task that has nodes."""
    return _follow(task, _choices(task))


def _choices(task: Task) -> npt.NDArray[np.uint8]:
    """Find what is best for each node i at each score j of its parent (the paper's BUILDERROR).

    ``err'(i, j)``, without the penalty, is the cost of i's subtree when i has score j. Where the parent has
    score j, node i either keeps j, or pays its penalty and takes the best k ≥ j. Each choice is
    :data:`MOVE`, :data:`KEEP`, or :data:`LEAST` where j itself is the best k ≥ j.

    The sum of the children's errors lies on a stack, which the largest subtree enters first: its last
    row becomes its parent's sum. So of two rows of the stack, the upper belongs to a tree of at most half
    the nodes of the lower's, and there are at most 1 + log₂ n rows.

    Returns
    -------
    array of uint8
        Nodes × candidate values.
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
        choices[i] = np.where(stay <= move, KEEP, MOVE)
        choices[i][stay == best] = LEAST
        if parent[i] >= 0:
            error = np.minimum(stay, move)
            stack.append(error if largest[i] else stack.pop() + error)
    return choices


def _visits(parent: list[int]) -> tuple[list[int], list[bool], list[bool]]:
    """Order the nodes of all trees: each tree together, parents first, the largest subtree last.

    Returns
    -------
    tuple of three lists
        The rows in this order. For each row, whether it is a leaf. For each row, whether its subtree is the
        largest below its parent (the first of the largest).
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
    """Choose each node's score from the top down (the paper's ISOTONESMOOTH)."""
    taken = np.zeros(len(task.x), np.int64)
    sections = np.arange(len(task.x), dtype=np.int32)
    for i, above in enumerate(task.parent.tolist()):
        lowest = taken[above] if above >= 0 else 0
        if above >= 0 and choices[i, lowest] != MOVE:
            taken[i], sections[i] = lowest, sections[above]
        else:
            taken[i] = lowest + np.argmax(choices[i, lowest:] == LEAST)
    return Smoothed(task.values[taken], sections)
