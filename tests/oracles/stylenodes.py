"""Composite importance of the elements of a Site Style Tree (Yi, Liu, Li 2003): it changes no decision on texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.stylenodes import StyleNodes, rows_of

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

GAMMA: Final = 0.9
"""The paper's γ, the attenuating factor."""


def composite_importance(
    nodes: StyleNodes, leaves: Reals, pages: int, gamma: float = GAMMA
) -> npt.NDArray[np.float64]:
    """Compute composite importance from the bottom up, a level at a time.

    Let m pages contain an element E with l style nodes, of which a share p_i of the m pages shows the i-th,
    S_i. Then ``NodeImp(E) = -Σ p_i log_m p_i`` (1 if m = 1), and
    ``CompImp(E) = (1 - γ^l) NodeImp(E) + γ^l Σ p_i CompImp(S_i)``. CompImp of a style node is the mean over
    its elements. Where an element has no children on some of its pages, one of its style nodes is without
    children; the importance of that one is its content's.

    Tables may leave out what is on one page only, without a change of results: a page of an element whose
    style node is not in the table counts as a style node of its own, and an element that is not in the table
    has importance 1.

    ``leaves``: importance of the content, one number a style node; only those of style nodes without children
        count.
    ``pages``: number of pages of the tree.
    ``gamma``: γ, the attenuating factor, in [0, 1].
    """
    count = len(nodes.key)
    style, element = np.zeros(count), np.zeros(count)
    parents = np.where(nodes.depth > 0, rows_of(nodes.key, nodes.parent), -1)
    above = np.where(parents >= 0, nodes.pages[parents], pages) if count else np.zeros(0)
    known_sum, known = np.zeros(count), np.zeros(count)
    order = np.lexsort((nodes.element, nodes.depth))  # by level, then by element
    deepest = int(nodes.depth.max(initial=-1))
    bounds = np.searchsorted(nodes.depth[order], np.arange(deepest + 2))
    for depth in range(deepest, -1, -1):
        level = order[bounds[depth] : bounds[depth + 1]]
        width = nodes.children[level]
        mean = (known_sum[level] + width - known[level]) / np.maximum(width, 1)
        style[level] = np.where(width > 0, mean, leaves[level])

        names = nodes.element[level]
        starts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]]))
        sizes = np.diff(np.append(starts, len(level)))
        first = level[starts]
        m = above[first]
        share = nodes.pages[level] / np.repeat(m, sizes)
        unknown = m - np.add.reduceat(nodes.pages[level], starts)
        styles = sizes + unknown
        entropy = np.add.reduceat(-share * np.log(share), starts)
        node = np.where(m > 1, entropy / np.log(np.maximum(m, 2)) + unknown / m, 1)
        below = np.add.reduceat(share * style[level], starts) + unknown / m
        fade = gamma**styles
        composite = np.clip((1 - fade) * node + fade * below, 0, 1)
        leaf = (styles == 1) & (width[starts] == 0)
        composite = np.where(leaf, style[first], composite)

        element[level] = np.repeat(composite, sizes)
        if depth:
            np.add.at(known_sum, parents[first], composite)
            np.add.at(known, parents[first], 1)
    return element
