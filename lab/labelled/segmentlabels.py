"""Labels of a page's segments, content or template, by aligning the page's words with the gold's.

Chakrabarti, Kumar, Punera 2007, section 6.1, have people label nodes of 144 pages as template or not.
Our gold is text. A page's words and the gold's are both in document order, so a longest common subsequence
aligns them. A segment is content if at least half of its words are aligned.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.lcs import common
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.labelled.pages import Gold

NEUTRAL: Final = -1  # label of readers' comments and of segments without words: neither content nor template
TEMPLATE: Final = 0
CONTENT: Final = 1
UNTOLD: Final = -2  # label of what is no value where the gold has values: it may be content or template
_HALF: Final = 0.5


class SegmentLabels(NamedTuple):
    """Label and number of words of each segment; share of the gold's words aligned with the page.

    Where `aligned` is low, the page does not show its content (scripts fetch it): labels mean nothing.
    """

    label: npt.NDArray[np.int8]
    words: npt.NDArray[np.int64]
    aligned: float


def label_segments(page: Page, gold: Gold) -> SegmentLabels:
    """Label segments: half of the words in the gold's content or comments (neutral); else template."""
    numbers: dict[str, int] = {}

    def word_numbers(text: str) -> list[int]:
        return [numbers.setdefault(word, len(numbers)) for word in words(text)]

    def mostly(numbers_aligned: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Tell for each segment whether at least half of its words are aligned, given their segments."""
        return np.bincount(numbers_aligned, minlength=len(counts)) >= _HALF * np.maximum(counts, 1)

    segments = [word_numbers(page.segment_text(index)) for index in range(len(page.segments))]
    counts = np.array([len(segment) for segment in segments], np.int64)
    segment_of = np.repeat(np.arange(len(segments)), counts)
    page_words = np.array([number for segment in segments for number in segment], np.uint64)
    gold_words = np.array(word_numbers(gold.text), np.uint64)
    aligned = common(page_words, gold_words)
    content = mostly(segment_of[aligned])
    label = np.where(content, CONTENT, TEMPLATE).astype(np.int8)
    if gold.comments:
        rest = ~content[segment_of]
        comments = common(page_words[rest], np.array(word_numbers(gold.comments), np.uint64))
        label[mostly(segment_of[rest][comments])] = NEUTRAL
    label[counts == 0] = NEUTRAL
    return SegmentLabels(label, counts, float(aligned.sum() / max(len(gold_words), 1)))


_MOST_RUNS: Final = 2
"""Times that a page may show a value; one that stands more often may be a label or an entry of a menu."""


def label_values(page: Page, values: Iterable[str]) -> SegmentLabels:
    """Label segments by values that a person would extract: half of the words in these; else untold.

    Values are in any order; the words of each are looked for in a row.
    """
    segments = [words(page.segment_text(index)) for index in range(len(page.segments))]
    counts = np.array([len(segment) for segment in segments], np.int64)
    segment_of = np.repeat(np.arange(len(segments)), counts)
    shown = [word for segment in segments for word in segment]
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(shown):
        places[word].append(place)
    said = np.zeros(len(shown), np.bool_)
    total = found = 0
    for value in map(words, values):
        if not value:
            continue
        runs = [at for at in places.get(value[0], ()) if shown[at : at + len(value)] == value]
        total += len(value)
        found += len(value) * bool(runs)
        if len(runs) <= _MOST_RUNS:
            for at in runs:
                said[at : at + len(value)] = True
    content = np.bincount(segment_of, said, len(counts)) >= _HALF * np.maximum(counts, 1)
    label = np.where(content, CONTENT, UNTOLD).astype(np.int8)
    label[counts == 0] = NEUTRAL
    return SegmentLabels(label, counts, found / max(total, 1))


def content_text(page: Page, labels: SegmentLabels) -> str:
    """Return the text of the content segments: the output of a perfect extractor."""
    chosen = np.flatnonzero(labels.label == CONTENT).tolist()
    return "\n".join(page.segment_text(index) for index in chosen)
