"""What remains of a page, uncompiled; arguments as in the kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from detemplate.page.columns import CODE, RAW
from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.int32]
    Codes = npt.NDArray[np.uint16]


_FORMULA: Final = re.compile(
    rb'<[^ >]+(?: =?[^ =/>]*="[^"]*")*? (?:type="math/tex|class="[^"]*(?i:tex|math|ql-...-))'
)
"""Start tag of a script or an image with the type or class of a formula, up to that."""


def remains(  # noqa: PLR0917  # as in the kernel
    data: bytes,
    kind: Codes,
    tag: Codes,
    parent: Rows,
    end: Rows,
    start: Rows,
    chars: Rows,
    roles: npt.NDArray[np.uint32],
    removed: Rows,
    rows: Rows,
    fallback: int,
    unseen: int,
    verbatim: int,
    listing: int,
    item: int,
    loose: int,
    image: int,
    script: int,
    formula: int,
) -> tuple[int, int]:
    """Fill ``rows`` with the nodes to cut; give their number, and the flags of all others."""
    flags, above, ends, gone = roles[tag].tolist(), parent.tolist(), end.tolist(), set(removed.tolist())
    text = ((kind == RAW) | (kind == CODE)).tolist()
    cut: list[int] = []
    row = present = reach = 0  # reach: end of the elements in which unseen ones are rendered
    while row < len(flags):
        is_rendered = flags[row] & fallback or (flags[row] & unseen and row < reach)
        if row in gone or (is_rendered and any(text[row + 1 : ends[row]])):
            cut.append(row)
            row = ends[row]
            continue
        present |= flags[row]
        if flags[row] & (image | script):
            found = _FORMULA.match(data, start[row])
            if found and (found[0].endswith(b"math/tex") == bool(flags[row] & script)):
                present |= formula
        if flags[row] & verbatim:
            reach = max(reach, ends[row])
        if above[row] >= 0 and chars[row] and not flags[row] & item and flags[above[row]] & listing:
            present |= loose
        row += 1
    rows[: len(cut)] = cut
    return len(cut), present


def spaced(  # noqa: PLR0917  # as in the kernel
    data: bytes,
    end: Rows,
    start: Rows,
    stop: Rows,
    block: Rows,
    segments: Rows,
    removed: Rows,
    out: npt.NDArray[np.uint8],
) -> None:
    """Set ``out`` to 1 for each removed node that leaves a space."""
    first, behind = segments.searchsorted(removed), segments.searchsorted(end[removed])
    at = 0
    while at < len(removed):
        if first[at] == behind[at]:  # no segment is cut
            at += 1
            continue
        number, last = at, behind[at]
        while at < len(removed) and first[at] <= last:
            last = behind[at]
            at += 1
        before = first[number] - 1
        if before >= 0 and last < len(segments) and block[segments[before]] == block[segments[last]]:
            beside = data[start[removed[number]] - 1], data[stop[removed[number]]]
            out[number] = WHITE_SPACE_BYTES.find(beside[0]) < 0 and WHITE_SPACE_BYTES.find(beside[1]) < 0
