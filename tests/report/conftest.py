"""A real browser that opens what reports wrote; tests are skipped where there is none."""

import functools
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
]  # fmt: skip

AXE = "axe-core@4.14.1"
"""The accessibility checker, which npm fetches when the tests run."""


@dataclass
class Opened:
    """A file in a window: what it asked for, and what its console said."""

    page: Any
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def quiet(self, path):
        """Tell whether only the file itself was asked for, and nothing was said."""
        assert self.requests == [path.as_uri()]
        assert self.said == []
        return True


@pytest.fixture(scope="module")  # Playwright's event loop must not run on beside other modules' tests
def chromium(chromium_path):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    contexts = []

    def open_file(path, width=1280, scheme="light"):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        found = Opened(page)
        page.on("request", lambda request: found.requests.append(request.url))
        page.on("console", lambda message: found.said.append(message.text))
        page.on("pageerror", lambda error: found.said.append(str(error)))
        page.goto(path.as_uri())
        return found

    yield open_file
    for context in contexts:
        context.close()


@pytest.fixture
def picture(tmp_path):
    """Give what takes a picture of a window: for the docs, if DETEMPLATE_PICTURES names their folder."""
    folder = Path(os.environ.get("DETEMPLATE_PICTURES", tmp_path))

    def take(page, name):
        page.screenshot(path=folder / name)
        assert (folder / name).read_bytes().startswith(b"\x89PNG")

    return take


@functools.cache
def axe_script():
    """Fetch axe-core with npm; skip where that cannot be done."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: axe-core cannot be fetched")
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [npm, "pack", "--silent", AXE],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode != 0:
            pytest.skip(f"npm cannot fetch {AXE}")
        shutil.unpack_archive(next(Path(folder).glob("*.tgz")), folder)
        return (Path(folder) / "package" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def faults():
    """Give what runs axe-core in a window: the serious and critical issues of WCAG 2 A and AA that it finds.

    Frames are left out: what the explained page itself lacks is not ours.
    """

    def check(page):
        page.evaluate(axe_script())
        found = page.evaluate(
            "axe.run(document, {iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']})"
        )
        assert found["passes"], "axe-core has checked nothing"
        return [
            f"{each['id']}: {json.dumps([node['html'][:100] for node in each['nodes']])}"
            for each in found["violations"]
            if each["impact"] in {"serious", "critical"}
        ]

    return check
