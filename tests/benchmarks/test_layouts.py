"""Agreement of layouts: rank correlation, figures, the table."""

import numpy as np
import pytest

from benchmarks.layouts import agreement, agreement_table
from detemplate.layout.layout import Layout, estimated_layout
from detemplate.page.page import Page


def test_agreement_of_a_layout_with_itself_and_with_its_mirror():
    page = Page("http://e.org/", "<h1>Head</h1>" + "".join(f"<p><b>{'x' * n}</b>" for n in range(1, 90, 9)))
    layout = estimated_layout(page)
    same = agreement(page, layout, layout)
    assert np.allclose(same, 1)
    upside_down = Layout(layout.left, 10_000 - layout.top, layout.width, layout.height, 1024, 10_000)
    turned = agreement(page, layout, upside_down)
    assert turned[1, 1] == pytest.approx(-1)
    assert turned[1, 0] == pytest.approx(1)
    table = agreement_table([same, turned])
    assert "| texts: vertical | 0.000 | -0.500 | 0.000 | 0.500 | 2 |" in table
