import math

import numpy as np
from hypothesis import given, strategies as st

from detemplate.algorithms.templatestrings import Cut, document_histogram, energy_cut

histograms = st.one_of(
    st.lists(st.integers(0, 3), min_size=2, max_size=12),
    st.lists(st.integers(0, 10**6), min_size=2, max_size=25),
)


def naive(histogram):
    """The equation, word for word: x and y."""
    best = None
    for x in range(len(histogram)):
        for y in range(x + 1, len(histogram)):
            energy = 0
            for i, count in enumerate(histogram):
                energy += ((i - x) ** 2 if i < (x + y) / 2 else (i - y) ** 2) * count
            if best is None or (energy, x + y, x) < best[:3]:
                best = (energy, x + y, x, y)
    assert best is not None
    return best[2], best[3]


@given(histograms)
def test_equals_a_double_loop(histogram):
    cut = energy_cut(np.array(histogram))
    assert cut == (*naive(histogram), len(histogram))


@given(st.integers(1, 300), st.integers(1, 120), st.data())
def test_every_share_falls_in_its_bin(total, bins, data):
    documents = data.draw(st.lists(st.integers(1, total), max_size=30))
    histogram = document_histogram(np.array(documents, np.int32), total, bins)
    wanted = [0] * bins
    for number in documents:
        wanted[next(i for i in range(bins) if i * total < number * bins <= (i + 1) * total)] += 1
    assert histogram.tolist() == wanted
    assert histogram.dtype == np.int64


@given(st.integers(1, 400), st.integers(2, 120), st.data())
def test_documents_above_the_cut(total, bins, data):
    """The least number of documents whose bin is not below the boundary."""
    x = data.draw(st.integers(0, bins - 2))
    y = data.draw(st.integers(x + 1, bins - 1))
    cut = Cut(x, y, bins)
    everywhere = document_histogram(np.arange(1, total + 1), total, bins)
    below = int(everywhere[: math.ceil((x + y) / 2)].sum())
    assert cut.documents(total) == below + 1


def test_the_lower_of_equal_cuts_is_taken():
    assert energy_cut(np.array([0, 5, 0, 0, 0, 5])) == Cut(1, 5, 6)
    assert energy_cut(np.array([0, 0, 0, 4])) == Cut(0, 3, 4)
    assert energy_cut(np.array([4, 0, 0, 0])) == Cut(0, 1, 4)
    # Bin 1 costs the same with either neighbour: the lower boundary takes it above.
    assert energy_cut(np.array([1, 1, 1])) == Cut(0, 1, 3)
