"""Hubs and authorities against singular vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from detemplate.links.ranking import hits

MATRICES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 7.0]),
)


def principal(matrix: np.ndarray) -> np.ndarray:
    """Project the equal start on the singular vectors of the greatest singular value."""
    _, values, vectors = np.linalg.svd(matrix)
    top = vectors[: len(values)][np.isclose(values, values[0], rtol=1e-9)]
    rest = values[len(top) :]
    assume(not len(rest) or rest[0] < 0.98 * values[0])
    projected = top.T @ (top @ np.ones(matrix.shape[1]))
    return projected / np.linalg.norm(projected)


@given(MATRICES)
def test_scores_are_principal_singular_vectors(matrix: np.ndarray) -> None:
    assume(matrix.any())
    authorities = principal(matrix)
    scores = hits(sparse.csr_array(matrix), tolerance=1e-12)
    assert scores.converged
    np.testing.assert_allclose(scores.authorities, authorities, atol=1e-8)
    hubs = matrix @ authorities
    np.testing.assert_allclose(scores.hubs, hubs / np.linalg.norm(hubs), atol=1e-8)
    assert (scores.authorities >= 0).all()
    dense = hits(matrix, tolerance=1e-12)
    np.testing.assert_allclose(dense.authorities, scores.authorities, atol=1e-12)


@given(MATRICES, st.permutations(range(9)))
def test_order_of_rows_does_not_matter(matrix: np.ndarray, order: list[int]) -> None:
    rows = [row for row in order if row < len(matrix)]
    one, other = hits(matrix, max_rounds=20), hits(matrix[rows], max_rounds=20)
    np.testing.assert_allclose(one.authorities, other.authorities, atol=1e-9)
    np.testing.assert_allclose(one.hubs[rows], other.hubs, atol=1e-9)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (2, 3)])
def test_no_edges(shape: tuple[int, int]) -> None:
    scores = hits(sparse.csr_array(shape))
    assert scores.converged
    assert (scores.hubs.shape, scores.authorities.shape) == ((shape[0],), (shape[1],))
    assert not scores.hubs.any()
    assert not scores.authorities.any()


def test_the_densest_component_takes_all() -> None:
    matrix = np.zeros((5, 5))
    matrix[:3, :3] = 1
    matrix[3:, 3:] = 1
    scores = hits(matrix)
    np.testing.assert_allclose(scores.authorities, np.array([1, 1, 1, 0, 0]) / 3**0.5, atol=1e-8)


def test_equal_components_share() -> None:
    scores = hits(np.eye(4))
    np.testing.assert_allclose(scores.authorities, np.full(4, 0.5))
    assert scores.rounds == 1


def test_rounds_are_bounded_and_told() -> None:
    matrix = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    short = hits(matrix, max_rounds=2)
    assert (short.rounds, short.converged) == (2, False)
    long = hits(matrix)
    assert long.converged
    assert long.rounds > 2
    assert hits(matrix).authorities.tobytes() == long.authorities.tobytes()
