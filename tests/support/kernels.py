"""Running references in the place of compiled kernels."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from detemplate.kernels import KERNELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@contextmanager
def uncompiled(*faces: ModuleType) -> Iterator[None]:
    """Run the references of some kernels, of all by default, as on a machine without a compiler."""
    with pytest.MonkeyPatch.context() as patch:
        for face in faces or [import_module(kernel.face) for kernel in KERNELS]:
            patch.setattr(face, "KERNEL", None)
        yield


def needs_kernel(face: ModuleType) -> pytest.MarkDecorator:
    """Skip a test where the kernel of a face was not compiled."""
    return pytest.mark.skipif(face.KERNEL is None, reason="the kernel is not compiled")
