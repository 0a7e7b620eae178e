"""Hubs and authorities of a bipartite graph (HITS; Kleinberg 1999)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of a bipartite graph, which lead from hubs to authorities.

    ``hubs``, ``authorities``: numbers of the hub and of the authority of each edge; no edge occurs twice.
    ``weights``: weight of each edge, 0 or more.
    ``shape``: number of hubs, and of authorities.
    """

    hubs: npt.NDArray[np.int64]
    authorities: npt.NDArray[np.int64]
    weights: Reals
    shape: tuple[int, int]

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of hubs and authorities.

    ``hubs``, ``authorities``: one score each; float64, non-negative. Each array has the Euclidean norm 1, or
        is all 0 if there are no edges.
    ``rounds``: number of iterations.
    ``converged``: whether the last iteration changed the authorities by at most the tolerance.
    """

    hubs: Reals
    authorities: Reals
    rounds: int
    converged: bool


def hits(edges: Edges, *, tolerance: float = 1e-9, max_rounds: int = 1000) -> Scores:
    """Score the hubs and the authorities of a bipartite graph.

    With the matrix W of the weights, repeats ``h = W a``, ``a = Wᵀ h``, each divided by its Euclidean norm,
    from equal authorities. The fixed point is a singular vector of the greatest singular value. If several
    singular vectors have that value (as for equally dense components of the graph), it is the projection of
    the start onto their space: each component gets its share. Scores of components with smaller values tend
    to 0: in a disconnected graph, only the densest component keeps scores. Equal edges give equal scores.

    ``edges``: the graph.
    ``tolerance``: stop when the authorities change by at most this much (Euclidean norm of the difference).
    ``max_rounds``: stop after this many rounds at the latest.
    Returns: all 0 after 0 rounds for a graph without weights above 0.
    """
    count, width = edges.shape

    def of_hubs(authorities: Reals) -> Reals:
        return _unit(edges.hubs, edges.weights * authorities[edges.authorities], count)

    authorities = np.full(width, width**-0.5 if width else 0.0)
    hubs = of_hubs(authorities)
    if not hubs.any():
        return Scores(np.zeros(count), np.zeros(width), 0, True)
    for done in range(1, max_rounds + 1):
        before = authorities
        authorities = _unit(edges.authorities, edges.weights * hubs[edges.hubs], width)
        hubs = of_hubs(authorities)
        if _norm(authorities - before) <= tolerance:
            return Scores(hubs, authorities, done, True)
    return Scores(hubs, authorities, max_rounds, False)


def _norm(vector: Reals) -> float:
    # Not BLAS: its threads cost more than these sums, and their number changes the last digits.
    return math.sqrt(np.square(vector).sum())


def _unit(places: npt.NDArray[np.int64], values: Reals, count: int) -> Reals:
    """Sum values at places; divide the sums by their norm."""
    vector = np.bincount(places, values, count).astype(np.float64, copy=False)
    norm = _norm(vector)
    return vector / norm if norm else vector
