"""Labelled pages to train the model of method ``auto`` on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page

CONTENT: Final = 1
"""Label of a segment that is content."""


@dataclass(slots=True, eq=False)
class Example:
    """A page and the labels of its segments.

    Attributes
    ----------
    page
        The page; it has segments.
    family
        Name of the family of sites that it belongs to; a family is never split over folds.
    label
        1: content; 0: template; -1: unknown. int8, one a segment.
    words
        Words of each segment. int64.
    number
        Its place in the order of reading.
    weight
        Weight of the page in training; 0: other pages' site shares need it, nothing is learnt from it.
    site
        Whether other pages of its site are among the examples.
    fold
        Number of its fold in cross-validation.
    stripped
        Whether the page is an attribute-stripped copy.
    page_content
        Out-of-fold page-only content probability of each segment; None before training.
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

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """Which segments are learnt from: those with a known label and with words."""
        return (self.label >= 0) & (self.words > 0)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """Weight of each segment: the root of its share of the page's words, times the page's weight.

        Pages are scored by words; the root keeps the longest segments from outweighing all others.
        """
        return np.sqrt(self.words / max(int(self.words.sum()), 1)) * self.weight


def assign_folds(examples: Sequence[Example], folds: int, seed: int) -> None:
    """Assign examples to folds at random, without splitting a family.

    Families with whole sites are spread evenly over the folds, and so are the others.
    """
    generator = np.random.default_rng(seed)
    with_sites = {example.family for example in examples if example.site}
    fold_of: dict[str, int] = {}
    for families in (sorted({example.family for example in examples} - with_sites), sorted(with_sites)):
        assigned = (generator.permutation(len(families)) % folds).tolist()
        fold_of.update(zip(families, assigned, strict=True))
    for example in examples:
        example.fold = fold_of[example.family]
