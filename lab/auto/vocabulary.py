"""Learning the weights of class, id and role words: how much of what is inside their elements is content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.segment import Vocabulary, word_hashes
from lab.auto.examples import CONTENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.auto.examples import Example

NO_WORDS: Final = Vocabulary(np.zeros(0, np.uint64), np.zeros(0, np.float32))
"""A vocabulary that weighs no word."""

MIN_PAGES: Final = 3.0
"""Minimum pages that a word is on, counted by their weights."""


def learn_vocabulary(examples: Sequence[Example]) -> Vocabulary:
    """Weigh words by the share of content inside the elements that have them.

    Parameters
    ----------
    examples
        Labelled pages. A page counts by its ``weight``.

    Returns
    -------
    Vocabulary
        Words on at least :data:`MIN_PAGES` pages. A word's weight is the log-odds that the text inside an
        element with the word is content: the mean over pages of the share of content, in words, smoothed by
        one page of content and one of template.
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


def _page_shares(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """Give the hashes of a page's words, and the share of content inside the elements that have each."""
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
