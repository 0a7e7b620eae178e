"""What the benchmarks' reports share."""

from __future__ import annotations

import platform
from importlib import metadata

from lab.harness.command import machine


def measured_on(*packages: str) -> str:
    """Name the versions of Python and of some packages, and the machine."""
    names = {"numpy": "NumPy"}
    versions = (f"{names.get(name, name)} {metadata.version(name)}" for name in packages)
    return ", ".join((f"Python {platform.python_version()}", *versions, machine()))


def goal(text: str, *, reached: bool) -> str:
    """Write a goal and whether it is reached."""
    return f"Goal: {text}: {'reached' if reached else 'missed'}."
