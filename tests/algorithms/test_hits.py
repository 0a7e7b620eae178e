"""Hubs and authorities against singular vectors."""

import numpy as np
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as arrays

from detemplate.algorithms.hits import Edges, hits

MATRICES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 7.0]),
)


def principal(matrix):
    """Project the equal start on the singular vectors of the greatest singular value."""
    _, values, vectors = np.linalg.svd(matrix)
    top = vectors[: len(values)][np.isclose(values, values[0], rtol=1e-9)]
    rest = values[len(top) :]
    assume(not len(rest) or rest[0] < 0.98 * values[0])
    projected = top.T @ (top @ np.ones(matrix.shape[1]))
    return projected / np.linalg.norm(projected)


def edges_of(matrix):
    hubs, authorities = np.nonzero(matrix)
    return Edges(hubs, authorities, matrix[hubs, authorities], matrix.shape)


@given(MATRICES)
def test_scores_are_principal_singular_vectors(matrix):
    assume(matrix.any())
    authorities = principal(matrix)
    scores = hits(edges_of(matrix), tolerance=1e-12)
    assert scores.converged
    np.testing.assert_allclose(scores.authorities, authorities, atol=1e-8)
    hubs = matrix @ authorities
    np.testing.assert_allclose(scores.hubs, hubs / np.linalg.norm(hubs), atol=1e-8)
    assert (scores.authorities >= 0).all()


def test_rounds_are_bounded_and_told():
    edges = edges_of(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))
    short = hits(edges, max_rounds=2)
    assert (short.rounds, short.converged) == (2, False)
    long = hits(edges)
    assert long.converged
    assert long.rounds > 2
    assert hits(edges).authorities.tobytes() == long.authorities.tobytes()
