"""Imports a compiled kernel."""

from __future__ import annotations

import importlib
from typing import Any


def compiled(module: str) -> Any:  # noqa: ANN401  # kernels carry C types, which no stub repeats
    """Import a kernel by its full name."""
    return importlib.import_module(module)
