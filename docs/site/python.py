"""The reference of the package: pages on which mkdocstrings puts the docstrings of public names."""

from __future__ import annotations

import re
from typing import Final

from links import ROOT

import detemplate

PUBLIC: Final = """# Python

Everything public is in the module `detemplate`. [From Python](../python.md) has examples.

"""
"""What stands above the public names."""

MODULES: Final = """# Modules

What the examples of the documentation import from modules below `detemplate`. Methods are made of the parts
of `detemplate.detectors` ([add a method](../add-a-method.md)). Other modules may change at any release.

"""
"""What stands above the names of modules."""

FOR_METHODS: Final = (
    "detemplate.detectors.base.Detector",
    "detemplate.detectors.base.Options",
)
"""Names that a new method needs."""

IMPORT: Final = re.compile(r"^(?:>>> )?from (detemplate\.[\w.]+) import ([\w, ]+)$", re.MULTILINE)


def imported_names() -> list[str]:
    """Give the full names that examples of the documents import from modules that exist."""
    names = {
        f"{module}.{name.strip()}"
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if path.name != "add-a-method.md"  # makes modules of its own
        for module, listed in IMPORT.findall(path.read_text(encoding="utf-8"))
        for name in listed.split(",")
    }
    return sorted({*names, *FOR_METHODS})


def python_page() -> str:
    """Give the page of the module's public names, as Markdown."""
    names = [name for name in detemplate.__all__ if name != "__version__"]
    return PUBLIC + "\n".join(f"::: detemplate.{name}\n" for name in names)


def modules_page() -> str:
    """Give the page of the names that examples import from other modules, as Markdown."""
    return MODULES + "\n".join(f"::: {name}\n" for name in imported_names())
