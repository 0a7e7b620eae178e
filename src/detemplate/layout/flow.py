"""The flow layout behind the estimate: the compiled kernel, or its reference."""

from __future__ import annotations

from typing import Any, Final

from detemplate.kernels import compiled
from detemplate.layout import flow_reference

KERNEL: Final[Any] = compiled("detemplate.layout._flow")
"""The kernel, None if it was not compiled."""


def lay_out(*given: Any) -> None:  # noqa: ANN401
    """Lay a page out; parameters as for :func:`detemplate.layout.flow_reference.lay_out`."""
    (flow_reference if KERNEL is None else KERNEL).lay_out(*given)
