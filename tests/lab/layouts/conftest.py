"""A real browser for the tests; they are skipped where there is none."""

from collections.abc import Iterator

import pytest

from lab.layouts.browser import BrowserSettings, LayoutBrowser


@pytest.fixture
def chromium(chromium_path: str) -> str:
    return chromium_path


@pytest.fixture
def browser(chromium: str) -> Iterator[LayoutBrowser]:
    with LayoutBrowser(BrowserSettings(seconds=30)) as started:
        yield started
