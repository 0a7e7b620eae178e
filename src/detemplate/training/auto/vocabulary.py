"""Learning what class and id words say about what is inside the elements that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.segment import Vocabulary, word_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.training.auto.examples import Example

FEWEST: Final = 3.0
"""Pages (by weight) that a word must be on."""


def learn_vocabulary(examples: Sequence[Example]) -> Vocabulary:
    """Weigh words by the share of content inside the elements that have them.

    Parameters
    ----------
    examples
        Labelled pages. One weighs what its ``weight`` says.

    Returns
    -------
    Vocabulary
        Words on at least :data:`FEWEST` pages. A word's weight is the logarithm of the odds, smoothed by one
        page each, that the text inside an element that has it is content: on each page by its words, then
        all pages alike.
    """
    words, shares, weights = [np.zeros(0, np.uint64)], [np.zeros(0)], [np.zeros(0)]
    for example in examples:
        own, share = _page_shares(example)
        words.append(own)
        shares.append(share)
        weights.append(np.full(len(own), example.weight))
    found, number = np.unique(np.concatenate(words), return_inverse=True)
    weight = np.concatenate(weights)
    inside = np.bincount(number, np.concatenate(shares) * weight, len(found))
    total = np.bincount(number, weight, len(found))
    odds = np.log((inside + 1) / (total - inside + 1))
    kept = total >= FEWEST
    return Vocabulary(found[kept], odds[kept].astype(np.float32))


def _page_shares(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """Give the distinct words of a page's elements, and the share of content inside those that have them."""
    page = example.page
    rows, hashes = word_hashes(page)
    judged = np.where(example.label >= 0, example.words, 0)
    content = np.concatenate([[0], np.cumsum(np.where(example.label == 1, judged, 0))])
    whole = np.concatenate([[0], np.cumsum(judged)])
    first = np.searchsorted(page.segments, rows)
    last = np.searchsorted(page.segments, page.columns.end[rows])
    found, number = np.unique(hashes, return_inverse=True)
    total = np.bincount(number, whole[last] - whole[first], len(found))
    inside = np.bincount(number, content[last] - content[first], len(found))
    shown = total > 0
    return found[shown], inside[shown] / total[shown]
