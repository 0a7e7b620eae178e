"""Labels of a page's segments, content or template, by aligning the page's words with the gold's.

Chakrabarti, Kumar, Punera 2007, section 6.1, have people label nodes of 144 pages as template or not.
Our gold is text. A page's words and the gold's are both in document order, so a longest common subsequence
aligns them. A segment is content if at least half of its words are aligned.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
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


class _Shown(NamedTuple):
    """The words of a page in document order, the segment of each, and their number in each segment."""

    words: list[str]
    segment: npt.NDArray[np.intp]
    counts: npt.NDArray[np.int64]

    @classmethod
    def on(cls, page: Page) -> _Shown:
        segments = [words(page.segment_text(index)) for index in range(len(page.segments))]
        counts = np.array([len(segment) for segment in segments], np.int64)
        return cls(list(chain.from_iterable(segments)), np.repeat(np.arange(len(segments)), counts), counts)

    def mostly(self, chosen: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Tell for each segment whether half of its words are chosen, given the segments of these."""
        return np.bincount(chosen, minlength=len(self.counts)) >= _HALF * np.maximum(self.counts, 1)

    def labels(self, label: npt.NDArray[np.int8], aligned: float) -> SegmentLabels:
        """Return labels of segments; those without words are neutral."""
        label[self.counts == 0] = NEUTRAL
        return SegmentLabels(label, self.counts, aligned)


def label_segments(page: Page, gold: Gold) -> SegmentLabels:
    """Label segments: half of the words in the gold's content or comments (neutral); else template."""
    numbers: dict[str, int] = {}

    def numbered(words: list[str]) -> npt.NDArray[np.uint64]:
        return np.array([numbers.setdefault(word, len(numbers)) for word in words], np.uint64)

    shown = _Shown.on(page)
    page_words, gold_words = numbered(shown.words), numbered(words(gold.text))
    aligned = common(page_words, gold_words)
    content = shown.mostly(shown.segment[aligned])
    label = np.where(content, CONTENT, TEMPLATE).astype(np.int8)
    if gold.comments:
        rest = ~content[shown.segment]
        comments = common(page_words[rest], numbered(words(gold.comments)))
        label[shown.mostly(shown.segment[rest][comments])] = NEUTRAL
    return shown.labels(label, float(aligned.sum() / max(len(gold_words), 1)))


_MOST_RUNS: Final = 2
"""Times that a page may show a value; one that stands more often may be a label or an entry of a menu."""


def label_values(page: Page, values: Iterable[str]) -> SegmentLabels:
    """Label segments by values that a person would extract: half of the words in these; else untold.

    Values are in any order; the words of each are looked for in a row.
    """
    shown = _Shown.on(page)
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(shown.words):
        places[word].append(place)
    said = np.zeros(len(shown.words), np.bool_)
    total = found = 0
    for value in filter(None, map(words, values)):
        size = len(value)
        runs = [at for at in places.get(value[0], ()) if shown.words[at : at + size] == value]
        total += size
        found += size * bool(runs)
        for at in runs if len(runs) <= _MOST_RUNS else ():
            said[at : at + size] = True
    content = shown.mostly(shown.segment[said])
    return shown.labels(np.where(content, CONTENT, UNTOLD).astype(np.int8), found / max(total, 1))


def content_text(page: Page, labels: SegmentLabels) -> str:
    """Return the text of the content segments: the output of a perfect extractor."""
    chosen = np.flatnonzero(labels.label == CONTENT).tolist()
    return "\n".join(page.segment_text(index) for index in chosen)
