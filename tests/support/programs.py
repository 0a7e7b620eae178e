"""Programs that some tests need and that a machine may lack."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from detemplate.errors import UserError
from lab.layouts.browser import find_chromium

REQUIRED: Final = {
    "data_dir": "DETEMPLATE_REQUIRE_DATA",
    "java": "DETEMPLATE_REQUIRE_JAVA",
    "chromium_path": "DETEMPLATE_REQUIRE_CHROMIUM",
}
"""Fixtures that skip a test, and the variables under which that is a failure."""


def lacks_java() -> str:
    """Return why Spark would find no Java, in JAVA_HOME or else in PATH; empty if it would."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        return "no Java: set JAVA_HOME to a Java 17, or put it into PATH"
    try:
        subprocess.run([java, "-version"], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        return f"no Java: {java} does not run: {error}"
    return ""


def installed_chromium() -> str:
    """Return the path of Chromium; skips the test where it, or Playwright, is missing."""
    pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install 'detemplate[lab]'"
    )
    try:
        return find_chromium()
    except UserError as error:
        pytest.skip(f"no browser: {error}")
