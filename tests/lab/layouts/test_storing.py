from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detemplate.layout.layout import Layout
from detemplate.layout.store import LayoutStore
from detemplate.page.page import Page
from lab.layouts import storing
from lab.layouts.storing import LayoutWriter

if TYPE_CHECKING:
    from pathlib import Path


def page(number: int, words: int = 3) -> Page:
    return Page(f"http://e.org/{number}", f"<title>{number}</title>" + "<p>word" * words)


def made_layout(of: Page, seed: int) -> Layout:
    sides = np.random.default_rng(seed).normal(size=(4, len(of.columns))).astype(np.float32)
    return Layout(*sides, 1024.0, 700.0 + seed, "rendered")


def assert_same(first: Layout | None, second: Layout) -> None:
    assert first is not None
    for name in ("left", "top", "width", "height"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
        assert getattr(first, name).dtype == np.float32
    assert (first.page_width, first.page_height) == (second.page_width, second.page_height)
    assert first.provider == "rendered"


@given(st.lists(st.integers(0, 40), max_size=30), st.sampled_from([1, 3, 256]))
@settings(max_examples=30)
def test_what_is_written_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, words: list[int], group: int
) -> None:
    path = str(tmp_path_factory.mktemp("layouts") / "l.parquet")
    pages = [page(number, count) for number, count in enumerate(words)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storing, "_GROUP_PAGES", group)
        with LayoutWriter(path, {"width": 1024}) as writer:
            for number, one in enumerate(pages):
                writer.write(one, made_layout(one, number))
    opened = LayoutStore.open(path)
    assert len(opened) == len(pages)
    assert opened.settings == {"width": "1024"}
    for number, one in reversed(list(enumerate(pages))):
        assert_same(opened.layout(one), made_layout(one, number))
    assert opened.layout(page(999)) is None


def test_a_page_that_has_changed_has_no_layout(tmp_path: Path) -> None:
    path = str(tmp_path / "l.parquet")
    with LayoutWriter(path, {}) as writer:
        writer.write(page(1), made_layout(page(1), 1))
    assert LayoutStore.open(path).layout(page(1, words=4)) is None
