"""Text that readers do not see, although it stands in the page: hidden by an attribute or an inline style."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.output.remains import concealed_candidates
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

# Attributes of an element that is not shown.
_HIDDEN: Final = re.compile(
    rb"""[ ]hidden="(?!until-found)|[ ]style="[^"]*?(?<![\w-])
    (?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))""",
    re.IGNORECASE | re.VERBOSE,
)

# An element that is shown when a button is pressed; scripts have other values for themselves.
_POPOVER: Final = re.compile(rb' popover="(?:auto|manual|hint)?"')

# The style of an element with a place of its own.
_ABSOLUTE: Final = re.compile(rb"""[ ]style="[^"]*?position\s*:\s*(?:absolute|fixed)""", re.IGNORECASE)

# A style that puts such an element outside of the page, or leaves a point of it: it is read aloud.
_AWAY: Final = re.compile(
    rb"""(?<![\w-])(?:(?:margin-)?(?:left|right|top|bottom)\s*:\s*-\d{3,}|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?
    [\s,)]|clip-path\s*:\s*inset\(\s*(?:50|100)%)""",
    re.IGNORECASE | re.VERBOSE,
)

# Attributes by which a script, a link or a label may find an element, to open it.
_NAMED: Final = re.compile(
    rb"""[ ](?:id|name|role|itemprop|data-[a-z-]+|aria-(?!hidden)[a-z]+|[vx]-[a-z]+)="[^"]"""
)

_CLASS: Final = re.compile(rb' class="([^"]+)"')

# Numbers of tags that tabs and foldable sections do not have.
_LINE: Final = tags.numbers(
    "a abbr b cite code em font h1 h2 h3 h4 h5 h6 i label p small span strong sub sup u"
)

# Maximum characters of such an element that is a hint or a label; a longer one may be opened.
_LONGEST: Final = 400

# Maximum share of the page's kept characters in one hidden element; else it is the page, not yet shown.
_MOST: Final = 0.25

# The class of a note, which is shown at its sign.
_NOTE: Final = re.compile(rb' class="[^"]*?(?:foot|side|margin)-?note', re.IGNORECASE)

# Formulas, which a picture or a script may show in the place of a hidden element.
_MATH: Final = [tags.IDS["math"] | tags.IN_MATH, tags.IDS["math"]]

_DIALOG: Final = tags.IDS["dialog"]
_FOREIGN: Final = [tags.IDS[name] | tags.IN_SVG for name in ("title", "desc")]
_MARKS: Final = np.zeros(1 << 16, np.uint8)
_MARKS[[_DIALOG, *_FOREIGN]] = 1


def unseen_segments(page: Page, template: npt.NDArray[np.bool_]) -> list[range]:
    """Find kept segments that readers do not see.

    They are in elements with ``hidden``, ``display: none`` or ``visibility: hidden``, in closed dialogs and
    popovers, in elements that are placed outside of the page for screen readers, and in titles and
    descriptions of drawings. Elements that a script may open, such as tabs and foldable sections, are not
    meant: blocks that have a name, or a class that others have or that a style sheet or script of the page
    names; and elements with much of the page's text. Nor is text whose place a picture takes
    (``text-indent``).

    ``page``, ``template``: the page, and whether each of its segments is template.
    Returns: numbers of the segments in each such element, in document order.
    """
    rows = concealed_candidates(page, template, _MARKS)
    if not rows:
        return []
    most = _MOST * page.segment_chars[~template].sum()
    return [
        inside
        for row in rows
        if _is_unseen(page, row)
        and (inside := page.segments_in(row))
        and page.segment_chars[inside][~template[inside]].sum() <= most
    ]


def _is_unseen(page: Page, row: int) -> bool:
    """Tell whether an element that may be hidden is, and nothing shows it or its like elsewhere."""
    columns, canonical = page.columns, page.canonical
    tag, start = columns.tag.data[row], columns.start.data[row]
    opening = canonical[start : canonical.find(b">", start)]
    if tag in _FOREIGN:
        return True
    if _NOTE.search(opening) or np.isin(columns.tag[row : columns.end.data[row]], _MATH).any():
        return False
    if _POPOVER.search(opening) or (tag == _DIALOG and b" open=" not in opening):
        return True
    if _HIDDEN.search(opening):
        return columns.chars.data[row] <= _LONGEST if tag in _LINE else not _may_open(canonical, opening)
    return bool(_ABSOLUTE.search(opening) and _AWAY.search(opening))


def _may_open(canonical: bytes, opening: bytes) -> bool:
    """Tell whether the start tag of a hidden block has something by which a script may find it."""
    if _NAMED.search(opening):
        return True
    named = _CLASS.search(opening)
    return named is not None and (
        canonical.count(named[0]) > 1 or any(b"." + word in canonical for word in named[1].split())
    )
