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
    """Scores of hubs and authorities.

    Attributes
    ----------
    hubs, authorities
        One score per row and one per column of the matrix; float64, non-negative. Each array has the
        Euclidean norm 1, or is all 0 if there are no edges.
    rounds
        Number of iterations.
    converged
        Whether the last iteration changed the authorities by at most the tolerance.
    """

    hubs: npt.NDArray[np.float64]
    authorities: npt.NDArray[np.float64]
    rounds: int
    converged: bool


def hits(
    weights: Any,  # noqa: ANN401  # SciPy has no types; dense arrays work, too
    *,
    tolerance: float = 1e-9,
    max_rounds: int = 1000,
) -> Scores:
    """Score the hubs and the authorities of a bipartite graph.

    Repeats ``h = W a``, ``a = Wᵀ h``, each divided by its Euclidean norm, from equal authorities. The
    fixed point is a singular vector of the greatest singular value. If several singular vectors have that
    value (as for equally dense components of the graph), it is the projection of the start onto their space:
    each component gets its share. Scores of components with smaller values tend to 0: in a disconnected
    graph, only the densest component keeps scores. Equal matrices give equal scores.

    Parameters
    ----------
    weights
        Weights of the edges, hubs × authorities; non-negative.
    tolerance
        Stop when the authorities change by at most this much (Euclidean norm of the difference).
    max_rounds
        Stop after this many rounds at the latest.

    Returns
    -------
    Scores
        All 0 after 0 rounds for a matrix without edges.
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
    # Not BLAS: its threads cost more than these sums, and their number changes the last digits.
    return math.sqrt(np.square(vector).sum())


def _unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    norm = _norm(vector)
    return vector / norm if norm else vector
