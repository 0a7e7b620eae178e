"""Programs that some tests need and that a machine may lack."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from detemplate.errors import UserError
from lab.layouts.browser import find_chromium


def lack(reason: str, required: str) -> NoReturn:
    """Skip the test for want of a program; fail it where the environment variable says it is required."""
    if os.environ.get(required):
        pytest.fail(f"{reason} ({required} is set)")
    pytest.skip(reason)


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
    if find_spec("playwright") is None:
        lack("playwright is not installed: pip install 'detemplate[lab]'", "DETEMPLATE_REQUIRE_CHROMIUM")
    try:
        return find_chromium()
    except UserError as error:
        lack(f"no browser: {error}", "DETEMPLATE_REQUIRE_CHROMIUM")
