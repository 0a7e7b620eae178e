"""What the evidence of a page counts, node by node; uncompiled, and what the compiled kernel shares with it.

*Prose* is text in a ``p`` and outside of links; *long* text has 80 characters or more and is outside of
links; a *group* is an element that authors put around what belongs together. Characters count as
:mod:`detemplate.features.scripts` says: an ideograph is worth three letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features import scripts
from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Found = dict[str, npt.NDArray[np.generic] | float]

LEVELS: Final = 6
"""Groups around a text that are looked at."""

AROUND: Final = (
    *(
        "a",
        "p",
        "li",
        "nav",
        "header",
        "footer",
        "aside",
        "main",
        "article",
        "form",
        "table",
        "figure",
        "pre",
    ),
    *("button", "option", "blockquote", "span", "h"),
)
"""Elements that are counted around a text; ``h`` is any heading."""

WINDOWS: Final = (3, 8, 20, 60)
"""Blocks on either side of a block that are looked at; from the third on, for long text too."""

LINK, PROSE, ITEM, MEDIA, INPUT, HEADING, GROUP = (1 << bit for bit in range(7))
AROUND_BITS: Final = 8
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
H1: Final = tags.IDS["h1"]
PLAIN: Final = 0x3FFF
"""What of a tag's number tells its name, whatever its namespace."""

_LONG: Final = 80
_STOPS: Final = b".!?;:"
_SPACES: Final = b"\t\n\f\r "


def _marks() -> npt.NDArray[np.uint16]:
    """Say of each number of a tag what it is: flags, and above them one more than its place in AROUND.

    Elements of SVG and MathML are none of it, except that any ``svg`` is a picture.
    """
    table = tags.marked(_FLAGGED, np.uint16)
    for number, name in enumerate(AROUND, 1):
        table[list(tags.numbers(_HEADINGS if name == "h" else name))] |= number << AROUND_BITS
    table[[tags.IDS["svg"] | namespace for namespace in (tags.IN_SVG, tags.IN_MATH)]] |= MEDIA
    return table


MARKS: Final = _marks()


@dataclass(slots=True)
class Nodes:
    """What is known of each node: of its own, unless said otherwise."""

    page: Page
    element: Bools
    tag: Ints
    parent: Ints
    end: Ints
    chars: Floats  # in the subtree, in letters
    own: Floats  # of a text itself
    words: Floats
    commas: Floats
    digits: Floats
    capitals: Floats
    stops: Floats  # sentence marks
    linked: Floats  # characters in links
    long: Floats
    prose: Floats
    depth: Floats
    before: Floats  # characters of text before the node
    total: float  # characters of text of the page, at least 1
    all_long: float

    def marked(self, flag: int) -> Bools:
        """Tell which elements have a flag."""
        marked: Bools = self.element & ((MARKS[self.tag] & flag) != 0)
        return marked

    def named(self, name: str) -> Bools:
        """Tell which elements are those of a name in AROUND."""
        named: Bools = self.element & (MARKS[self.tag] >> AROUND_BITS == AROUND.index(name) + 1)
        return named

    def around(self, rows: Bools) -> Floats:
        """Count the nodes among ``rows`` that are around, or are, each node."""
        steps = np.zeros(len(rows) + 1)
        np.add.at(steps, np.flatnonzero(rows), 1)
        np.subtract.at(steps, self.end[rows], 1)
        return np.cumsum(steps[:-1])

    def inside(self, values: Floats | Bools) -> Floats:
        """Sum what each subtree has."""
        upto = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        sums: Floats = upto[self.end] - upto[:-1]
        return sums


def read_nodes(page: Page) -> Nodes:
    """Count what each node has of its own."""
    columns = page.columns
    element, text = columns.kind == ELEMENT, columns.kind == TEXT
    start, stop = columns.start.astype(np.int64), columns.stop.astype(np.int64)
    data = np.frombuffer(page.canonical, np.uint8)

    def upto(bytes_: Bools | Ints) -> Ints:
        return np.concatenate([[0], np.cumsum(bytes_, dtype=np.int64)])

    def count(bytes_: Bools | Ints) -> Floats:
        sums = upto(bytes_)
        return np.where(text, sums[stop] - sums[start], 0).astype(np.float64)

    space, wide = np.isin(data, list(_SPACES)), scripts.wide(data)
    begun = np.zeros(len(data), np.bool_)
    begun[1:] = space[:-1] & ~space[1:] & ~wide[1:]
    words, first = upto(begun), np.where(text, ~np.append(wide, False)[start], False)
    own = np.where(text, columns.chars.astype(np.float64) + count(scripts.more(data)), 0.0)
    nodes = Nodes(
        page=page,
        element=element,
        tag=columns.tag.astype(np.int64),
        parent=columns.parent.astype(np.int64),
        end=columns.end.astype(np.int64),
        chars=own,
        own=own,
        words=first
        + np.where(text, words[stop] - words[np.minimum(start + 1, stop)] + (count(wide) + 1) // 2, 0),
        commas=count((data == ord(",")) | scripts.begins(data, scripts.COMMAS)),
        digits=count((data >= ord("0")) & (data <= ord("9"))),
        capitals=count((data >= ord("A")) & (data <= ord("Z")) | scripts.capitals(data)),
        stops=count(np.isin(data, list(_STOPS)) | scripts.begins(data, scripts.STOPS)),
        linked=own,
        long=own,
        prose=own,
        depth=own,
        before=np.cumsum(own) - own,
        total=max(float(own.sum()), 1.0),
        all_long=1.0,
    )
    nodes.chars = nodes.inside(own)
    linked = nodes.around(nodes.marked(LINK)) > 0
    nodes.linked = own * linked
    nodes.long = own * (own >= _LONG) * ~linked
    nodes.prose = own * (nodes.around(nodes.marked(PROSE)) > 0) * ~linked
    nodes.depth = nodes.around(element)
    nodes.all_long = max(float(nodes.long.sum()), 1.0)
    return nodes
