"""What remains of a page, uncompiled; arguments as in the kernel."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from detemplate.page.columns import CODE, ELEMENT, RAW
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

_NAME: Final = re.compile(rb"<[^ >]*")
"""The start of a start tag, before its attributes."""

_ATTRIBUTE: Final = re.compile(rb' (=?[^ =]*)="([^"]*)"')
"""An attribute as turbohtml writes it: name, value."""

_NUMBERS: Final = re.compile(rb"select-none|(?:^|[ \t\n\r\f_-])(?:line(?:-n|n[\s\S])|gutter|ln|blob-num)")
"""A class that may be that of line numbers."""

_CALLOUT: Final = re.compile(rb"alert|admonition|callout")
"""A class that may be that of a note set apart."""

_REFERENCE: Final = re.compile(rb"ref", re.IGNORECASE)
"""What the class, role, type or name of a link to a note has."""

_PLACE: Final = re.compile(rb"#[^\"]")
"""Address of a place in the page."""

_NAMING: Final = (b"class", b"role", b"epub:type", b"id", b"rel")
"""Attributes that may name such a link."""


_CONTROLS: Final = bytes(range(33))
"""Bytes that browsers strip from the beginning of a URL."""


def _attributes(data: bytes, start: int, stop: int) -> dict[bytes, bytes]:
    """Give the attributes of an element by name."""
    found: dict[bytes, bytes] = {}
    match = _NAME.match(data, start)
    while match is not None and (match := _ATTRIBUTE.match(data, match.end(), stop)) is not None:
        found[match[1]] = match[2]
    return found


def remains(  # noqa: PLR0917  # as in the kernel
    data: bytes,
    kind: Codes,
    tag: Codes,
    parent: Rows,
    end: Rows,
    start: Rows,
    stop: Rows,
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
    attributes: bool,
    link: int,
    drawing: int,
    level: int,
    opening: int,
    drawn_link: int,
    callout: int,
    note_link: int,
    math_attribute: int,
    numbered: int,
) -> tuple[int, int]:
    """Fill ``rows`` with the nodes to cut; give their number, and the flags of all others."""
    flags, above, ends, gone = roles[tag].tolist(), parent.tolist(), end.tolist(), set(removed.tolist())
    text = ((kind == RAW) | (kind == CODE)).tolist()
    cut: list[int] = []
    row = present = reach = 0  # reach: end of the elements in which unseen ones are rendered
    linked = 0  # end of the links
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
        if attributes and kind[row] == ELEMENT:
            said = _attributes(data, start[row], stop[row])
            words = said.get(b"class", b"")
            around = [*range(row + 1, ends[row]), above[row], above[above[row]] if above[row] >= 0 else -1]
            leveled = any(each >= 0 and flags[each] & level for each in around)
            numbers = _NUMBERS.search(words) or b"user-select" in said.get(b"style", b"")
            present |= math_attribute if b"data-math" in said else 0
            present |= numbered if numbers else 0
            present |= callout if flags[row] & opening and _CALLOUT.search(words) else 0
            present |= drawn_link if flags[row] & drawing and row < linked else 0
            linked = max(linked, ends[row]) if flags[row] & link else linked
            named = any(_REFERENCE.search(said.get(name, b"")) for name in _NAMING)
            if flags[row] & link and _PLACE.match(said.get(b"href", b"")) and (leveled or named):
                present |= note_link
        if flags[row] & verbatim:
            reach = max(reach, ends[row])
        if above[row] >= 0 and chars[row] and not flags[row] & item and flags[above[row]] & listing:
            present |= loose
        row += 1
    rows[: len(cut)] = cut
    return len(cut), present


def inert(  # noqa: PLR0917  # as in the kernel
    data: bytes, kind: Codes, end: Rows, start: Rows, stop: Rows, removed: Rows, rows: Rows
) -> int:
    """Fill ``rows`` with the elements whose attributes may hold scripts; give their number."""
    gone, row = set(removed.tolist()), 0
    found: list[int] = []
    while row < len(kind):
        if row in gone:
            row = int(end[row])
            continue
        if kind[row] == ELEMENT and any(
            _may_run(*each) for each in _attributes(data, int(start[row]), int(stop[row])).items()
        ):
            found.append(row)
        row += 1
    rows[: len(found)] = found
    return len(found)


def _may_run(name: bytes, value: bytes) -> bool:
    """Tell whether an attribute may hold a script."""
    if (len(name) > 2 and name[:2].lower() == b"on") or name in (b"srcdoc", b"attributeName"):
        return True
    address = value.lstrip(_CONTROLS).translate(None, b"\t\n\r").lower()
    return address.startswith((b"javas", b"vbs", b"data:"))


def highest(  # noqa: PLR0917  # as in the kernel
    template: npt.NDArray[np.uint8],
    segments: Rows,
    parent: Rows,
    end: Rows,
    tag: Codes,
    shell: npt.NDArray[np.uint8],
    rows: Rows,
) -> int:
    """Fill ``rows`` with the highest nodes that hold template segments and no other; give their number."""
    cut, kept = segments[template > 0].tolist(), segments[template == 0].tolist()
    found: list[int] = []
    for top in cut:
        if found and top < end[found[-1]]:
            continue
        place = bisect_left(kept, top)
        low, high = kept[place - 1] if place else -1, kept[place] if place < len(kept) else len(end)
        row = top
        while (above := int(parent[row])) > low and end[above] <= high and not shell[tag[above]]:
            row = above
        found.append(row)
    rows[: len(found)] = found
    return len(found)


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
