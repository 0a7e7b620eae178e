"""Lays a page out in the normal flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.layout import _flow
from detemplate.layout.defaults import DISPLAYS_BY_TAG, STYLES_BY_TAG, TRAITS_BY_TAG

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns

# ``_flowrows.pxd`` repeats these numbers.
LEFT, TOP, BOX_WIDTH, BOX_HEIGHT, SIDES = range(5)
"""Rows of the boxes, and their number."""

_WORK_ROWS: Final = 16
"""Rows of the kernel's working memory."""


def lay_out(canonical: bytes, columns: Columns, width: float) -> npt.NDArray[np.float64]:
    """Lay a page out.

    ``canonical``: its canonical serialisation.
    ``width``: width of the window, CSS pixels.
    Returns: left, top, width and height of each node's box; zeros for nodes without one.
    Raises ValueError: the columns are not those of the serialisation.
    """
    boxes = np.zeros((SIDES, len(columns)))
    names = ("kind", "tag", "parent", "end", "start", "stop", "chars")
    _flow.lay_out(
        canonical,
        *(getattr(columns, name) for name in names),
        DISPLAYS_BY_TAG,
        TRAITS_BY_TAG,
        STYLES_BY_TAG,
        width,
        np.zeros((_WORK_ROWS, len(columns))),
        boxes,
    )
    return boxes
