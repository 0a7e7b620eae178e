"""Commands of the laboratory, run as the shell runs them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from lab.harness.command import run

if TYPE_CHECKING:
    from collections.abc import Sequence


def run_lab(arguments: Sequence[str]) -> int:
    """Run ``python -m lab.NAME``, the name first; return the exit code."""
    name, *options = arguments
    module = import_module(f"lab.{name}.__main__")
    with pytest.raises(SystemExit) as ended:
        run(lambda: module.main(options))
    return int(ended.value.code or 0)
