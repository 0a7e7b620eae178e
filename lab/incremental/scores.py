"""Recall and precision of the removed template, in words and in blocks (Wang et al. 2008, section 3)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.labelled.segmentlabels import NEUTRAL, TEMPLATE, label_segments
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.labelled.pages import Gold

    Bools = npt.NDArray[np.bool_]

MIN_ALIGNED: Final = 0.5  # share of the gold's words that a page with labelled blocks shows


class Removal(NamedTuple):
    """Numbers of words that go when some of a page's segments are removed."""

    template: int  # removed words from outside the content
    content: int  # removed words of the content
    all_template: int  # words outside the content that the page shows

    @property
    def recall(self) -> float | None:
        """Share of the words outside the content that are removed; None where the page shows none."""
        return self.template / self.all_template if self.all_template else None

    @property
    def precision(self) -> float | None:
        """Share of the removed words that are from outside the content; None where none is removed."""
        removed = self.template + self.content
        return self.template / removed if removed else None


class PageWords:
    """The words of a page's segments, split once, and of its gold. Words are counted as multisets.

    A word counts as content as often as the content has it, then as template as often as the gold has it
    outside; then as neither. Recall is the share of the page's template words that are removed, precision
    that of the removed words of both kinds that are template. Words that no segment shows do not count.
    """

    def __init__(self, page: Page, gold: Gold) -> None:
        numbers: dict[str, int] = {}
        segments = [words(page.segment_text(index)) for index in range(len(page.segments))]
        sizes = np.array([len(segment) for segment in segments], np.intp)
        self._segment_of = np.repeat(np.arange(len(segments)), sizes)
        self._word = np.array(
            [numbers.setdefault(word, len(numbers)) for segment in segments for word in segment], np.intp
        )
        content, outside = Counter(words(gold.text)), Counter(words(gold.outside))
        self._content = np.array([content[word] for word in numbers], np.intp)
        self._outside = np.array([outside[word] for word in numbers], np.intp)
        self._cache: dict[bytes, Removal] = {}
        self._all_template, self._all_content = self._left(np.zeros(len(segments), np.bool_))

    def _left(self, removed: Bools) -> tuple[int, int]:
        """Count the words from outside and of the content that are left."""
        left = np.bincount(self._word[~removed[self._segment_of]], minlength=len(self._content))
        surplus = np.minimum(np.maximum(left - self._content, 0), self._outside)
        return int(surplus.sum()), int(np.minimum(left, self._content).sum())

    def removal(self, removed: Bools) -> Removal:
        """Count the words that go when the segments `removed` are removed; results are cached."""
        key = np.packbits(removed).tobytes()
        if key not in self._cache:
            template, content = self._left(removed)
            whole = self._all_template
            self._cache[key] = Removal(whole - template, self._all_content - content, whole)
        return self._cache[key]


def mean_scores(removals: Iterable[Removal]) -> tuple[float, float | None]:
    """Average recall and precision over a site's pages. Pages without a recall (precision) do not count."""
    pages = list(removals)
    recalls = [page.recall for page in pages if page.recall is not None]
    precisions = [page.precision for page in pages if page.precision is not None]
    precision = sum(precisions) / len(precisions) if precisions else None
    return sum(recalls) / len(recalls) if recalls else 0.0, precision


class BlockCounts(NamedTuple):
    """Numbers of blocks: template blocks that were removed, removed ones, template blocks."""

    both: int
    removed: int
    template: int


class PageBlocks:
    """The blocks of a page with their labels.

    A block is template if more than half of its characters are in segments that the gold does not have.
    Blocks of neutral segments do not count, nor do pages that do not show their gold. Where the gold labels
    blocks itself, a block has the label of the labelled text that it is part of; without one, or with both
    labels, it does not count.
    """

    def __init__(self, page: Page, gold: Gold) -> None:
        self._blocks = page.blocks
        self._chars = page.segment_chars.astype(np.float64)
        self._size = int(self._blocks.max(initial=-1)) + 1
        if gold.blocks:
            self._template, content = (
                self._parts_of(page, [text for text, template in gold.blocks if template is wanted])
                for wanted in (True, False)
            )
            self._known = self._template ^ content
            self._template &= self._known
            return
        labels = label_segments(page, gold)
        counted = (labels.label != NEUTRAL) & (labels.aligned >= MIN_ALIGNED)
        self._known = self._sums(counted) > 0
        self._template = self._known & (
            self._sums(counted & (labels.label == TEMPLATE)) > self._sums(counted) / 2
        )

    def _parts_of(self, page: Page, labelled: Sequence[str]) -> Bools:
        """Tell which blocks are part of one of the texts, white space collapsed."""
        texts = [" ".join(text.split()) for text in labelled]
        parts: list[list[str]] = [[] for _ in range(self._size)]
        for segment, block in enumerate(self._blocks.tolist()):
            parts[block].append(page.segment_text(segment))
        shown = [" ".join(" ".join(part).split()) for part in parts]
        return np.array([bool(block) and any(block in text for text in texts) for block in shown], np.bool_)

    def _sums(self, chosen: Bools) -> npt.NDArray[np.float64]:
        """Add up the characters of chosen segments, by block."""
        return np.bincount(self._blocks, self._chars * chosen, self._size).astype(np.float64)

    def counts(self, removed: Bools) -> BlockCounts:
        """Count blocks; one is removed if more than half of its characters are, in the segments `removed`."""
        gone = self._known & (self._sums(removed) > self._sums(np.ones(len(removed), np.bool_)) / 2)
        return BlockCounts(int((gone & self._template).sum()), int(gone.sum()), int(self._template.sum()))


def block_scores(counts: Iterable[BlockCounts]) -> tuple[float | None, float | None]:
    """Return recall and precision of all pages' blocks together; None where nothing is counted."""
    both, removed, template = np.array([*counts, BlockCounts(0, 0, 0)]).sum(axis=0).tolist()
    return both / template if template else None, both / removed if removed else None
