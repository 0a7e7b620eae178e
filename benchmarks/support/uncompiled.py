"""Running references in the place of compiled kernels."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING
from unittest.mock import patch

from detemplate.kernels import KERNELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@contextmanager
def uncompiled(*faces: ModuleType) -> Iterator[None]:
    """Run the references of some kernels, of all by default, as on a machine without a compiler."""
    with ExitStack() as stack:
        for face in faces or [import_module(kernel.face) for kernel in KERNELS]:
            stack.enter_context(patch.object(face, "KERNEL", None))
        yield
