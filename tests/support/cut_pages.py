"""Pages of which some segments are cut."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import assume

from detemplate.errors import PageError
from detemplate.output.cutting import removed_nodes
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence


def cut_at_random(url: str, html: str, seed: int, shares: Sequence[float]) -> tuple[Page, list[int]]:
    """Give a page and the nodes to cut: a drawn share of its segments. Hypothesis passes by what is no page."""
    try:
        page = Page(url, html)
    except PageError:
        assume(False)
    rng = random.Random(seed)
    share = rng.choice(shares)
    return page, removed_nodes(page, np.array([rng.random() < share for _ in page.segments], bool))
