"""Processes of Python that look for no modules in the directory in which they are started."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

SAFE_PATH: Final = "PYTHONSAFEPATH"
"""Python's own variable for its option ``-P``."""


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep processes that start in the block from importing modules of the working directory."""
    given = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.pop(SAFE_PATH)
        if given is not None:
            os.environ[SAFE_PATH] = given
