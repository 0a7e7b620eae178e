"""What remains of a page: what is cut, and what the renderings have to do."""

from __future__ import annotations

import pytest

from detemplate.output.remains import remains, spaced_nodes
from detemplate.page.page import Page


def test_wrong_columns_are_refused() -> None:
    page = Page("u", "<p>x<p>y")
    with pytest.raises(ValueError, match="no row"):
        spaced_nodes(page, [len(page.columns)])
    page.columns.end = page.columns.end[:-1]
    with pytest.raises(ValueError, match="differ in length"):
        remains(page, [])
    with pytest.raises(ValueError, match="differ in length"):
        spaced_nodes(page, [])
