"""Marks of tags: what each tag counts as in the segment features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.segment_columns import AROUND
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

LINK, PROSE, ITEM, MEDIA, INPUT, HEADING, GROUP = (1 << bit for bit in range(7))
"""Flags of tags. ``PROSE`` is a paragraph, ``ITEM`` a list item, ``GROUP`` a grouping element."""

AROUND_BITS: Final = 8
"""Bits of a mark below its number in :data:`~detemplate.features.segment_columns.AROUND`."""

_GROUPS: Final = (
    "div section article main aside nav header footer ul ol dl table tbody tr td th form body li blockquote "
    "figure center dd dt"
)

_HEADINGS: Final = "h1 h2 h3 h4 h5 h6"

_FLAGGED: Final = {
    LINK: "a",
    PROSE: "p",
    ITEM: "li",
    MEDIA: "img picture svg video iframe",
    INPUT: "input button select textarea form option label",
    HEADING: _HEADINGS,
    GROUP: _GROUPS,
}

_AROUND: Final = {"figcaption": "figcaption caption", "heading": _HEADINGS}
"""Tag names of what :data:`~detemplate.features.segment_columns.AROUND` has other names for."""

H1: Final = tags.IDS["h1"]
"""Number of tag ``h1``."""


def _marks() -> npt.NDArray[np.uint16]:
    """Make a mark for each tag number: its flags, and above them its index in AROUND plus 1, or 0."""
    table = tags.marked(_FLAGGED, np.uint16)
    for number, name in enumerate(AROUND, 1):
        names = _AROUND.get(name, name)
        table[list(tags.numbers(names))] |= number << AROUND_BITS
    # Elements of SVG and MathML have no mark, except that every ``svg`` is a medium.
    table[[tags.IDS["svg"] | namespace for namespace in (tags.IN_SVG, tags.IN_MATH)]] |= MEDIA
    return table


MARKS: Final = _marks()
"""Marks by tag number, 65,536 of them. uint16."""
