"""Which segments of a page are content, by aligning its words with the gold's.

Chakrabarti, Kumar, Punera 2007, section 6.1, have people label nodes of 144 pages as template or not.
Our gold is text. A page's words and the gold's are both in document order, so a longest common subsequence
tells which of the page's words are the gold's; a segment is content if at least half of its words are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.lcs import common
from detemplate.labelled.words import words

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.labelled.datasets import Gold
    from detemplate.page.page import Page

NEUTRAL: Final = -1
"""Neither: readers' comments, and segments without words."""
TEMPLATE: Final = 0
CONTENT: Final = 1

_HALF: Final = 0.5


class SegmentLabels(NamedTuple):
    """Labels of a page's segments; columns of one row a segment, and a check.

    Attributes
    ----------
    label
        :data:`CONTENT`, :data:`TEMPLATE` or :data:`NEUTRAL`. int8.
    words
        Number of its words. int64.
    found
        Share of the words of the gold's text that are aligned, in [0, 1]; 0 where the gold has none. Where
        it is low, the page does not show its content (scripts fetch it, say), and the labels mean nothing.
    """

    label: npt.NDArray[np.int8]
    words: npt.NDArray[np.int64]
    found: float


def label_segments(page: Page, gold: Gold) -> SegmentLabels:
    """Label the segments of a page.

    Parameters
    ----------
    page
        The page.
    gold
        What is known about it. Only its text and its comments are used: a word outside the content is
        one that is not aligned with it.

    Returns
    -------
    SegmentLabels
        Content: at least half of the segment's words are aligned with the gold's text. Neutral: not
        content, and at least half of its words are aligned with the gold's comments; or it has no
        words. All others are template.

    Notes
    -----
    Where a word of the content stands elsewhere, too, and several alignments are longest, one of them is
    taken. Time is what :func:`detemplate.algorithms.lcs.common` takes, memory is bounded.
    """
    numbers: dict[str, int] = {}

    def numbered(text: str) -> list[int]:
        return [numbers.setdefault(word, len(numbers)) for word in words(text)]

    each = [numbered(page.segment_text(index)) for index in range(len(page.segments))]
    counts = np.array([len(own) for own in each], np.int64)
    owner = np.repeat(np.arange(len(each)), counts)
    shown = np.array([number for own in each for number in own], np.uint64)
    wanted = np.array(numbered(gold.text), np.uint64)
    aligned = common(shown, wanted)
    content = _mostly(aligned, owner, counts)
    label = np.where(content, CONTENT, TEMPLATE).astype(np.int8)
    if gold.comments:
        rest = ~content[owner]
        comments = common(shown[rest], np.array(numbered(gold.comments), np.uint64))
        label[_mostly(comments, owner[rest], counts)] = NEUTRAL
    label[counts == 0] = NEUTRAL
    return SegmentLabels(label, counts, float(aligned.sum() / max(len(wanted), 1)))


def _mostly(
    aligned: npt.NDArray[np.bool_], owner: npt.NDArray[np.intp], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Tell of which segments at least half of the words are aligned."""
    return np.bincount(owner[aligned], minlength=len(counts)) >= _HALF * np.maximum(counts, 1)


def content_text(page: Page, labels: SegmentLabels) -> str:
    """Give the text of the segments that are content: what an extractor without errors would give."""
    chosen = np.flatnonzero(labels.label == CONTENT).tolist()
    return "\n".join(page.segment_text(index) for index in chosen)
