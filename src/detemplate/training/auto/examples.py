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


@dataclass(slots=True, eq=False)
class Example:
    """A page with what is known about its segments.

    Attributes
    ----------
    page
        The page; it has segments.
    family
        What is never split over folds: its site, or several that belong together.
    label
        1: content; 0: template; -1: nothing is known. int8, one a segment.
    words
        Words of each segment. int64.
    number
        Where it stands in what was read.
    weight
        What it weighs beside other pages; 0: it is there for its site's sake only.
    site
        Whether other pages of its site are among the examples.
    fold
        Number of its part in cross-validation.
    plain
        Whether it is another one's page in plain dress.
    look
        How much of content each segment looks to a page forest that has not seen its family.
    """

    page: Page
    family: str
    label: npt.NDArray[np.int8]
    words: npt.NDArray[np.int64]
    number: int
    weight: float = 1.0
    site: bool = False
    fold: int = 0
    plain: bool = False
    look: npt.NDArray[np.float64] | None = None

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """Which segments can be learnt from."""
        return (self.label >= 0) & (self.words > 0)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """What each segment weighs: the root of its share of the page's words.

        The scores that count are by words, but a page is not to be learnt by its longest texts alone.
        """
        return np.sqrt(self.words / max(int(self.words.sum()), 1)) * self.weight


def deal(examples: Sequence[Example], folds: int, seed: int) -> None:
    """Deal families into folds at random, those with whole sites apart from the others; none is split."""
    generator = np.random.default_rng(seed)
    sited = {example.family for example in examples if example.site}
    places: dict[str, int] = {}
    for families in (sorted({example.family for example in examples} - sited), sorted(sited)):
        dealt = (generator.permutation(len(families)) % folds).tolist()
        places.update(zip(families, dealt, strict=True))
    for example in examples:
        example.fold = places[example.family]
