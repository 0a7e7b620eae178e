"""Hubs and authorities (Kleinberg 1999) by power iteration on a sparse matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Scores:
    """Hub and authority scores.

    Attributes
    ----------
    hubs, authorities
        One a row and one a column of the matrix; non-negative, each of Euclidean norm 1, or all 0
        where there are no edges. float64.
    rounds
        Iterations done.
    converged
        Whether the last one changed the authorities by no more than the tolerance.
    """

    hubs: npt.NDArray[np.float64]
    authorities: npt.NDArray[np.float64]
    rounds: int
    converged: bool


def hits(
    weights: Any,  # noqa: ANN401  # SciPy has no types; a dense array will do, too
    *,
    tolerance: float = 1e-9,
    max_rounds: int = 1000,
) -> Scores:
    """Score the hubs and the authorities of a bipartite graph.

    Repeats ``h = W a``, ``a = Wᵀ h``, each divided by its Euclidean norm, from authorities that are all
    equal. The fixed point is a singular vector of the greatest singular value. Where several share
    that value (several components of the graph that are equally dense, say), it is the projection of the
    equal start on their space: each gets its share. Components with smaller values tend to 0, so that of a
    disconnected graph the densest component takes all. The same matrix always gives the same scores.

    Parameters
    ----------
    weights
        Hubs × authorities, non-negative; the graph of pages has them the same on both sides.
    tolerance
        Stop where the authorities change by no more than this (Euclidean norm of the difference).
    max_rounds
        Stop after so many rounds in any case.

    Returns
    -------
    Scores
        All zeros, after no round, for a matrix without edges.
    """
    count, width = weights.shape
    backwards = weights.T.tocsr() if hasattr(weights, "tocsr") else weights.T
    authorities = np.full(width, width**-0.5 if width else 0.0)
    hubs = _unit(weights @ authorities)
    if not hubs.any():
        return Scores(np.zeros(count), np.zeros(width), 0, True)
    for done in range(1, max_rounds + 1):
        before = authorities
        authorities = _unit(backwards @ hubs)
        hubs = _unit(weights @ authorities)
        if _norm(authorities - before) <= tolerance:
            return Scores(hubs, authorities, done, True)
    return Scores(hubs, authorities, max_rounds, False)


def _norm(vector: npt.NDArray[np.float64]) -> float:
    # No BLAS: its threads cost more than such sums, and their number changes the last digits.
    return math.sqrt(np.square(vector).sum())


def _unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    norm = _norm(vector)
    return vector / norm if norm else vector
