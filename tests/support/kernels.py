"""Tests that run references in the place of kernels."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@contextmanager
def uncompiled(*faces: ModuleType) -> Iterator[None]:
    """Run the references of some kernels."""
    with ExitStack() as stack:
        for face in faces:
            stack.enter_context(patch.object(face, "KERNEL", None))
        yield


def needs_kernel(face: ModuleType) -> pytest.MarkDecorator:
    """Mark a test of a kernel."""
    return pytest.mark.skipif(face.KERNEL is None, reason="the kernel is not compiled")
