"""Labelled pages to train the model of method ``auto`` on, and what the words of their classes say.

Labelled pages are from one time and have much the same class words. A forest that has also seen
attribute-stripped copies of them learns more from how a page is built, and errs less on pages of other times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.errors import PageError
from detemplate.features.segment import Vocabulary
from detemplate.features.vocabulary import read_names
from detemplate.page.columns import ELEMENT
from detemplate.page.page import Page
from lab.labelled.segmentlabels import CONTENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

NO_WORDS: Final = Vocabulary(np.zeros(0, np.uint64), np.zeros(0, np.float32))
MIN_PAGES: Final = 3.0  # minimum pages that a word is on, counted by their weights
_ATTRIBUTES: Final = re.compile(rb' (?:class|id|role)="[^"]*"')
_SECTIONS: Final = re.compile(rb"<(/?)(?:article|aside|footer|header|main|nav|section)(?=[ >])")


@dataclass(slots=True, eq=False)
class Example:
    """A page with segments, and their labels: 1 content, 0 template, below 0 unknown.

    A family of sites is never split over folds. Nothing is learned from a page of weight 0: other pages' site
    shares need it. `site` tells whether other pages of its site are examples, `number` is its place in the
    order of reading, `page_content` the out-of-fold page-only content probability of each segment.
    """

    page: Page
    family: str
    label: npt.NDArray[np.int8]
    words: npt.NDArray[np.int64]
    number: int
    weight: float = 1.0
    site: bool = False
    fold: int = 0
    stripped: bool = False
    page_content: npt.NDArray[np.float64] | None = None
    said: npt.NDArray[np.bool_] | None = None

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """Which segments are learned from: those with a known label and with words."""
        return (self.label >= 0) & (self.words > 0)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """Weight of each segment: the root of its share of the page's words, times the page's weight.

        Pages are scored by words; the root keeps the longest segments from outweighing all others. Pages with
        values are scored by these, however long each is: the segments that say one share alike.
        """
        share = self.words / max(int(self.words.sum()), 1)
        if self.said is not None:
            share = np.where(self.said, np.maximum(share, 1 / max(int(self.said.sum()), 1)), share)
        return np.sqrt(share) * self.weight


def assign_folds(examples: Sequence[Example], folds: int, seed: int) -> None:
    """Assign examples to folds at random; no family is split, those with whole sites are spread evenly."""
    generator = np.random.default_rng(seed)
    with_sites = {example.family for example in examples if example.site}
    fold_of: dict[str, int] = {}
    for families in (sorted({example.family for example in examples} - with_sites), sorted(with_sites)):
        assigned = (generator.permutation(len(families)) % folds).tolist()
        fold_of.update(zip(families, assigned, strict=True))
    for example in examples:
        example.fold = fold_of[example.family]


def stripped_example(example: Example, share: float) -> Example | None:
    """Copy a labelled page without classes, ids and roles, with its sectioning elements as ``div``.

    `share` is its weight beside the page. None if it has another number of segments: the labels do not fit.
    """
    page = example.page
    markup = _SECTIONS.sub(rb"<\1div", _ATTRIBUTES.sub(b"", page.canonical))
    try:
        stripped = Page(page.url, markup, site=page.site, charset="utf-8")
    except PageError:
        return None
    stripped.source = ""  # not needed again
    if len(stripped.segments) != len(page.segments):
        return None
    return replace(
        example, page=stripped, weight=example.weight * share, site=False, stripped=True, page_content=None
    )


def learn_vocabulary(examples: Sequence[Example]) -> Vocabulary:
    """Weigh words by the log-odds that text inside an element with the word is content.

    That is the mean over pages, by weight, of the share of content in words, smoothed by one page of content
    and one of template. Words on fewer than :data:`MIN_PAGES` pages are left out.
    """
    hashes, shares, weights = [np.zeros(0, np.uint64)], [np.zeros(0)], [np.zeros(0)]
    for example in examples:
        on_page, share = _page_shares(example)
        hashes.append(on_page)
        shares.append(share)
        weights.append(np.full(len(on_page), example.weight))
    distinct, number = np.unique(np.concatenate(hashes), return_inverse=True)
    weight = np.concatenate(weights)
    content = np.bincount(number, np.concatenate(shares) * weight, len(distinct))
    total = np.bincount(number, weight, len(distinct))
    odds = np.log((content + 1) / (total - content + 1))
    kept = total >= MIN_PAGES
    return Vocabulary(distinct[kept], odds[kept].astype(np.float32))


def word_hashes(page: Page) -> tuple[np.ndarray, np.ndarray]:
    """Return the element's row and the hash of each word in the attributes of a page, in order."""
    columns = page.columns
    pairs = [
        (row, word)
        for row in np.flatnonzero(columns.kind == ELEMENT).tolist()
        for _, words in read_names(page.canonical, int(columns.start[row]))
        for word in words
    ]
    return np.array([row for row, _ in pairs], np.int32), np.array([word for _, word in pairs], np.uint64)


def _page_shares(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """Return the hashes of a page's words, and the share of content inside the elements that have each."""
    page = example.page
    rows, hashes = word_hashes(page)
    known = np.where(example.label >= 0, example.words, 0)
    content_before = np.concatenate([[0], np.cumsum(np.where(example.label == CONTENT, known, 0))])
    known_before = np.concatenate([[0], np.cumsum(known)])
    first = np.searchsorted(page.segments, rows)
    last = np.searchsorted(page.segments, page.columns.end[rows])
    distinct, number = np.unique(hashes, return_inverse=True)
    total = np.bincount(number, known_before[last] - known_before[first], len(distinct))
    content = np.bincount(number, content_before[last] - content_before[first], len(distinct))
    shown = total > 0
    return distinct[shown], content[shown] / total[shown]
