"""Tests that run references in the place of compiled kernels, or need the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.support.uncompiled import uncompiled

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["needs_kernel", "uncompiled"]


def needs_kernel(face: ModuleType) -> pytest.MarkDecorator:
    """Skip a test where the kernel of a face was not compiled."""
    return pytest.mark.skipif(face.KERNEL is None, reason="the kernel is not compiled")
