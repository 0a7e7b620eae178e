"""Buttons beside blocks of code, uncompiled; arguments as in the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.int32]
    Codes = npt.NDArray[np.uint16]

BLOCK: Final = 1
"""A block of code."""

TABLE: Final = 2
"""A table: it holds code if its first cell holds the numbers of lines."""

CELL: Final = 4
"""A cell of a table."""

LABEL: Final = 8
"""An element that may be a line with a button, or be around code and such a line."""

BUTTON: Final = 16
"""A button."""

CONTENT: Final = 32
"""What such a line does not have."""

_LONGEST: Final = 40
"""Most characters of a line with a button."""

NODES: Final = 7
"""Most nodes, white space included, right inside of such a line or around it."""

AROUND: Final = 3
"""So many elements, from the code upwards, may have such a line or line numbers beside them."""

LABELS: Final = "button div figure span header figcaption section"
"""Tags of elements that may be such a line, or be around code and what is beside it."""


def beside_code(  # noqa: PLR0917  # as in the kernel
    data: bytes,
    kind: Codes,
    tag: Codes,
    parent: Rows,
    end: Rows,
    start: Rows,
    stop: Rows,
    chars: Rows,
    parts: npt.NDArray[np.uint8],
    removed: Rows,
    rows: Rows,
) -> int:
    """Fill ``rows`` with the removed nodes and the lines with buttons beside code; give their number."""
    part, above, ends, said = parts[tag].tolist(), parent.tolist(), end.tolist(), chars.tolist()
    elements = (kind == ELEMENT).tolist()
    gone = set(removed.tolist())
    before = frozenset(gone)

    def children(row: int) -> list[int]:
        found, child = [], row + 1
        while child < ends[row]:
            found.append(child)
            child = ends[child]
        return found

    def stay(row: int) -> list[int]:
        """Give the nodes of a subtree that stay."""
        found, node = [], row
        while node < ends[row]:
            if node in gone:
                node = ends[node]
            else:
                found.append(node)
                node += 1
        return found

    def is_small(row: int) -> bool:
        return len(set(children(row)) - before) <= NODES

    def is_button_line(row: int) -> bool:
        nodes = stay(row)
        return (
            bool(part[row] & LABEL)
            and is_small(row)
            and not any(part[node] & CONTENT for node in nodes)
            and any(part[node] & BUTTON for node in nodes)
            and sum(said[node] for node in nodes if not elements[node]) <= _LONGEST
        )

    def is_numbered(table: int) -> bool:
        cell = next((row for row in range(table, ends[table]) if part[row] & CELL), None)
        if cell is None:
            return False
        texts = [row for row in range(cell + 1, ends[cell]) if not elements[row] and said[row]]
        words = b" ".join(data[start[row] : stop[row]] for row in texts).split()
        return bool(words) and all(word.isdigit() for word in words)

    def cut_beside(place: int) -> None:
        for _ in range(AROUND):
            if above[place] < 0:
                return
            siblings = [each for each in children(above[place]) if elements[each] or said[each]]
            at = siblings.index(place)
            for beside in (siblings[:at][::-1], siblings[at + 1 :]):
                for each in beside:
                    if each not in gone:
                        if not is_button_line(each):
                            break
                        gone.add(each)
            place = above[place]
            if not part[place] & LABEL or not is_small(place):
                return

    row = 0
    while row < len(ends):
        if row not in gone and (part[row] & BLOCK or (part[row] & TABLE and is_numbered(row))):
            cut_beside(row)
        row = ends[row] if row in gone else row + 1
    found = _highest(gone, ends)
    rows[: len(found)] = found
    return len(found)


def _highest(gone: set[int], ends: list[int]) -> list[int]:
    """Give those of some rows that are inside no other."""
    found: list[int] = []
    for row in sorted(gone):
        if not found or row >= ends[found[-1]]:
            found.append(row)
    return found
