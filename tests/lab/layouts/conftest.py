"""A real browser for the tests; they are skipped where there is none."""

import pytest

from lab.layouts.browser import BrowserSettings, LayoutBrowser


@pytest.fixture
def chromium(chromium_path):
    return chromium_path


@pytest.fixture
def browser(chromium):
    with LayoutBrowser(BrowserSettings(seconds=30)) as started:
        yield started
