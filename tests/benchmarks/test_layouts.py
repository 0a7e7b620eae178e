"""Agreement of layouts: rank correlation, figures, the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.layouts import agreement, agreement_table, rank_correlation
from detemplate.layout.layout import Layout, estimated_layout
from detemplate.page.page import Page


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=30))
def test_rank_correlation_is_spearmans(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr  # takes long

    first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    found = rank_correlation(first, second)
    if len(pairs) < 5 or len(set(first)) < 2 or len(set(second)) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(first, second)[0])


def test_agreement_of_a_layout_with_itself_and_with_its_mirror() -> None:
    page = Page("http://e.org/", "<h1>Head</h1>" + "".join(f"<p><b>{'x' * n}</b>" for n in range(1, 90, 9)))
    layout = estimated_layout(page)
    same = agreement(page, layout, layout)
    assert np.allclose(same, 1)
    upside_down = Layout(
        layout.left, 10_000 - layout.top, layout.width, layout.height, 1024, 10_000, "rendered"
    )
    turned = agreement(page, layout, upside_down)
    assert turned[1, 1] == pytest.approx(-1)
    assert turned[1, 0] == pytest.approx(1)
    table = agreement_table([same, turned])
    assert "| texts: vertical | 0.000 | -0.500 | 0.000 | 0.500 | 2 |" in table
