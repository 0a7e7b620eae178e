"""Buttons beside blocks of code, and the lines with them: they copy the code, or name its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.kernels import compiled
from detemplate.output import buttons_reference
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

KERNEL: Final[Any] = compiled("detemplate.output._buttons")
"""The kernel; None where it was not compiled."""

PARTS: Final[npt.NDArray[np.uint8]] = tags.marked(
    {
        buttons_reference.BLOCK: "pre",
        buttons_reference.TABLE: "table",
        buttons_reference.CELL: "td th",
        buttons_reference.LABEL: buttons_reference.LABELS,
        buttons_reference.BUTTON: "button",
        buttons_reference.CONTENT: "h1 h2 h3 h4 h5 h6 p a img input summary pre table",
    },
    np.uint8,
)
"""What elements are to code beside them, by value of the column ``tag``."""


def with_buttons(page: Page, removed: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Add the buttons beside blocks of code, and the short lines with one, to the nodes to cut.

    A line with a button has at most 40 characters and seven nodes right inside, and neither headings,
    paragraphs, links, images, fields, code nor tables. It stands right beside a ``pre`` or a table of code,
    or right beside one of the two elements around that, where these have no more than seven nodes.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut, in document order; none is inside another.

    Returns
    -------
    array of int32
        All rows of nodes to cut, in document order; none is inside another.
    """
    columns = page.columns
    kernel = buttons_reference if KERNEL is None else KERNEL
    rows = np.empty(len(columns), np.int32)
    count = kernel.beside_code(
        *(page.canonical, columns.kind, columns.tag, columns.parent, columns.end, columns.start),
        *(columns.stop, columns.chars, PARTS, removed, rows),
    )
    return rows[:count]
