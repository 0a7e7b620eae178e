"""A real browser for the tests; they are skipped where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from detemplate.errors import UserError
from lab.layouts.browser import BrowserSettings, LayoutBrowser, find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def chromium() -> str:
    """The installed Chromium; skips the test where it, or Playwright, is missing."""
    pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install 'detemplate[lab]'"
    )
    try:
        return find_chromium()
    except UserError as error:
        pytest.skip(f"no browser: {error}")


@pytest.fixture
def browser(chromium: str) -> Iterator[LayoutBrowser]:
    with LayoutBrowser(BrowserSettings(seconds=30)) as started:
        yield started
