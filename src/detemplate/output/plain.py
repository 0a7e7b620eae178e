"""A cleaned page as plain text, with the default options: the kernel where it can, else the reference.

The kernel lays out most pages, without a DOM. It gives nothing where a page has what it does not do:
formulas, inline text in lists but in no item, code with line numbers. The reference changes the DOM, and
turbohtml renders that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.kernels import compiled
from detemplate.output import plain_reference
from detemplate.output.formulas import LEVEL_PARTS, level_written
from detemplate.output.remains import Remains, remaining, spaces
from detemplate.output.roles import BLOCK_OF_CODE, FORMULA, LOOSE, MATH
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

KERNEL: Final[Any] = compiled("detemplate.output._plain")
"""The kernel; None where it was not compiled."""

_NOT_DONE: Final = FORMULA | MATH
"""Flags of pages that the kernel does not do."""

_ROLES: Final = {
    1: "html body header footer nav aside main figcaption address hr details summary",
    2: "datalist head noembed noframes rp script style template title",
    3: "br",
    4: "img wbr",
    5: "ul menu",
    6: "ol",
    7: "li",
    8: "blockquote",
    9: "pre",
    10: "table",
    11: "dl",
    12: "dt",
    13: "dd",
    14: "a",
    15: "tbody thead tfoot",
    16: "tr",
    17: "td",
    18: "th",
    19: "caption",
    20: "div section article figure",
    21: "h1 h2 h3 h4 h5 h6",
    22: "p",
    23: "button",
    24: "code",
    25: "math plaintext",
    26: "sub",
    27: "sup",
}
"""Tags by role: how turbohtml lays an element out, and what the changes of the DOM make of it."""

_VOID, _UNESCAPED, _LABELLED, _SEPARATE, _CODE_LINE, _LEVEL_PART = 32, 64, 128, 256, 512, 1024


def _roles() -> npt.NDArray[np.uint16]:
    """Give role and flags for every value of the column ``tag``."""
    table: npt.NDArray[np.uint16] = tags.marked(_ROLES, np.uint16)
    numbers = np.arange(len(tags.FLAGS))
    table[numbers[tags.FLAGS & tags.VOID != 0]] |= _VOID
    table[numbers[tags.FLAGS & tags.RAW != 0]] |= _UNESCAPED
    table[numbers[tags.FLAGS & tags.BLOCK != 0]] |= _SEPARATE
    table[list(tags.numbers("button div figure span header figcaption section dl dt dd"))] |= _LABELLED
    table[list(tags.numbers("div li p tr pre ol ul table tbody section figure"))] |= _CODE_LINE
    table[list(tags.numbers(" ".join(LEVEL_PARTS)))] |= _LEVEL_PART
    for name in ("script", "style"):
        table[[tags.IDS[name] | tags.IN_SVG, tags.IDS[name] | tags.IN_MATH]] = 2
    return table


ROLES: Final[npt.NDArray[np.uint16]] = _roles()
"""Role and flags by value of the column ``tag``."""


def plain_text(page: Page, removed: list[int]) -> str:
    """Render a page without the removed nodes as plain text, with the default options.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut (:func:`~detemplate.output.cutting.removed_nodes`).

    Returns
    -------
    str
        As :func:`~detemplate.output.render.to_text` gives it.
    """
    rows, present = remaining(page, removed)
    if KERNEL is not None and not present & _NOT_DONE:
        columns = page.columns
        text: str | None = KERNEL.plain(
            *(page.canonical, columns.kind, columns.tag, columns.parent, columns.end, columns.start),
            *(columns.stop, columns.children, ROLES, rows, spaces(page, rows)),
            *(bool(present & BLOCK_OF_CODE), bool(present & LOOSE), level_written),
        )
        if text is not None:
            page.document = None  # frees its memory, as the reference does
            return text
    return plain_reference.plain_text(page, Remains(rows.tolist(), present))
