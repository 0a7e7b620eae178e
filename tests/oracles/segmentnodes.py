"""What the segment features count, node by node.

*Prose* is text inside of a ``p`` and outside of links. *Long* text is a text node of 80 characters or more
outside of links. Characters count as :mod:`tests.oracles.scripts` defines: an ideograph counts as three.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from detemplate.algorithms.intervals import covering
from detemplate.features.segment_columns import AROUND, AROUND_BITS, LINK, MARKS, PROSE
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.page import Page
from detemplate.page.whitespace import WHITE_SPACE_BYTES
from tests.oracles import scripts

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Values = dict[str, npt.NDArray[np.generic] | float]
"Features by name: one value a segment, or one for the whole page."

LONG: Final = 80
"""Minimum characters of a long text."""

_SENTENCE_MARKS: Final = b".!?;:"
"""ASCII characters that end a sentence or a clause."""


@dataclass(slots=True)
class Nodes:
    """Counts of a page's nodes: one value a node, in the order of ``page.columns``.

    A count is that of a text node itself, and 0 for other nodes, unless said otherwise.

    Attributes
    ----------
    page
        The page.
    element
        Whether the node is an element.
    tag, parent, end
        As in ``page.columns``.
    chars
        Characters in the subtree.
    own
        Characters.
    words
        Words: runs of characters between white space. Two wide characters count as one word.
    commas, digits, capitals, sentence_marks
        Characters of these kinds.
    linked
        Characters inside of links.
    long
        Characters of long text.
    prose
        Characters of prose.
    depth
        Number of elements around the node, an element itself included.
    before
        Characters of text before the node.
    total
        Characters of the page, at least 1.
    all_long
        Characters of long text of the page, at least 1.
    """

    page: Page
    element: Bools
    tag: Ints
    parent: Ints
    end: Ints
    chars: Floats
    own: Floats
    words: Floats
    commas: Floats
    digits: Floats
    capitals: Floats
    sentence_marks: Floats
    linked: Floats
    long: Floats
    prose: Floats
    depth: Floats
    before: Floats
    total: float
    all_long: float

    def flagged(self, flag: int) -> Bools:
        """Tell which nodes are elements with a flag."""
        flagged: Bools = self.element & ((MARKS[self.tag] & flag) != 0)
        return flagged

    def named(self, name: str) -> Bools:
        """Tell which nodes are elements of a name in AROUND."""
        named: Bools = self.element & (MARKS[self.tag] >> AROUND_BITS == AROUND.index(name) + 1)
        return named

    def count_around(self, chosen: Bools) -> Floats:
        """Count the chosen nodes around each node, itself included."""
        rows = np.flatnonzero(chosen)
        return covering(rows, self.end[rows], len(chosen)).astype(np.float64)

    def sum_inside(self, values: Floats | Bools) -> Floats:
        """Sum values over each subtree."""
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        sums: Floats = running[self.end] - running[:-1]
        return sums


def read_nodes(page: Page) -> Nodes:
    """Count what the nodes of a page have."""
    columns = page.columns
    element, text = columns.kind == ELEMENT, columns.kind == TEXT
    start, stop = columns.start.astype(np.int64), columns.stop.astype(np.int64)
    data = np.frombuffer(page.canonical, np.uint8)

    def running(values: Bools | Ints) -> Ints:
        """Sum values over the bytes before each byte, and over all."""
        return np.concatenate([[0], np.cumsum(values, dtype=np.int64)])

    def count(values: Bools | Ints) -> Floats:
        """Sum values over the bytes of each text."""
        sums = running(values)
        return np.where(text, sums[stop] - sums[start], 0).astype(np.float64)

    space, wide = np.isin(data, list(WHITE_SPACE_BYTES)), scripts.begins_wide(data)
    begins_word = np.zeros(len(data), np.bool_)
    begins_word[1:] = space[:-1] & ~space[1:] & ~wide[1:]
    words_before = running(begins_word)
    first_word = np.where(text, ~np.append(wide, False)[start], False)
    later_words = words_before[stop] - words_before[np.minimum(start + 1, stop)]
    own = np.where(text, columns.chars.astype(np.float64) + count(scripts.extra_chars(data)), 0.0)
    nodes = Nodes(
        page=page,
        element=element,
        tag=columns.tag.astype(np.int64),
        parent=columns.parent.astype(np.int64),
        end=columns.end.astype(np.int64),
        chars=own,
        own=own,
        words=first_word + np.where(text, later_words + (count(wide) + 1) // 2, 0),
        commas=count((data == ord(",")) | scripts.begins_any(data, scripts.COMMAS)),
        digits=count((data >= ord("0")) & (data <= ord("9"))),
        capitals=count((data >= ord("A")) & (data <= ord("Z")) | scripts.begins_capital(data)),
        sentence_marks=count(
            np.isin(data, list(_SENTENCE_MARKS)) | scripts.begins_any(data, scripts.SENTENCE_MARKS)
        ),
        linked=own,
        long=own,
        prose=own,
        depth=own,
        before=np.cumsum(own) - own,
        total=max(float(own.sum()), 1.0),
        all_long=1.0,
    )
    nodes.chars = nodes.sum_inside(own)
    linked = nodes.count_around(nodes.flagged(LINK)) > 0
    nodes.linked = own * linked
    nodes.long = own * (own >= LONG) * ~linked
    nodes.prose = own * (nodes.count_around(nodes.flagged(PROSE)) > 0) * ~linked
    nodes.depth = nodes.count_around(element)
    nodes.all_long = max(float(nodes.long.sum()), 1.0)
    return nodes
