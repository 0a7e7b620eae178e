"""Lays a page out in the normal flow: by the compiled kernel, or by its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.kernels import compiled
from detemplate.layout import flow_reference
from detemplate.layout.defaults import DISPLAYS_BY_TAG, STYLES_BY_TAG, TRAITS_BY_TAG
from detemplate.layout.flowrows import ROWS, SIDES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns

KERNEL: Final[Any] = compiled("detemplate.layout._flow")
"""The kernel, None if it was not compiled."""


def lay_out(canonical: bytes, columns: Columns, width: float) -> npt.NDArray[np.float64]:
    """Lay a page out.

    Parameters
    ----------
    canonical
        Its canonical serialisation.
    columns
        Its nodes.
    width
        Width of the window, CSS pixels.

    Returns
    -------
    array of float64, 4 × rows
        Left, top, width and height of each node's box; zeros for nodes without one.

    Raises
    ------
    ValueError
        The columns are not those of the serialisation.
    """
    if KERNEL is None:
        return flow_reference.lay_out(canonical, columns, width)
    boxes = np.zeros((SIDES, len(columns)))
    names = ("kind", "tag", "parent", "end", "start", "stop", "chars")
    KERNEL.lay_out(
        canonical,
        *(getattr(columns, name) for name in names),
        DISPLAYS_BY_TAG,
        TRAITS_BY_TAG,
        STYLES_BY_TAG,
        width,
        np.zeros((ROWS, len(columns))),
        boxes,
    )
    return boxes
