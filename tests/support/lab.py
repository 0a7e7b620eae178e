"""Commands of the laboratory, run as the shell runs them."""

from collections.abc import Sequence
from importlib import import_module

import pytest

from lab.harness.command import run


def run_lab(arguments: Sequence[str]) -> int:
    """Run ``python -m lab.NAME``, the name first; return the exit code."""
    name, *options = arguments
    module = import_module(f"lab.{name}.__main__")
    with pytest.raises(SystemExit) as ended:
        run(lambda: module.main(options))
    return int(ended.value.code or 0)
