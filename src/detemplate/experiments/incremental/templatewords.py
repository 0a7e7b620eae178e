"""How much of a page's template a verdict removes, and how much content with it: by words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from detemplate.labelled.datasets import Gold
    from detemplate.page.page import Page


class Removal(NamedTuple):
    """What the removal of some of a page's segments took away, in words."""

    template: int
    """Words outside the content that are gone."""
    content: int
    """Words of the content that are gone."""
    all_template: int
    """Words outside the content that the page shows."""

    @property
    def recall(self) -> float | None:
        """Share of the words outside the content that are gone; None where the page shows none."""
        return self.template / self.all_template if self.all_template else None

    @property
    def precision(self) -> float | None:
        """Of the words gone, the share from outside the content; None where none is gone."""
        gone = self.template + self.content
        return self.template / gone if gone else None


class PageWords:
    """The words of a page's segments, split once, and its gold.

    Wang et al. 2008, section 3, have people label blocks as template or not and report recall and
    precision of the template. Here the labels are words: with the words of the content ``C``, those
    outside it ``O``, all words shown ``A`` and those that are left ``L``, as multisets,

    - the content's words in a text ``X`` are ``content(X) = |X ∩ C|``;
    - what is over in it is from outside: ``template(X) = |(X − C) ∩ O|``, so that a word that is both in
      the content and outside is taken for content as long as the content has not got all of it;
    - recall = ``(template(A) − template(L)) / template(A)``: a word that no segment shows (an image's
      description, say) cannot be removed and does not count;
    - precision = ``removed template / (removed template + content(A) − content(L))``; words in neither do
      not count.

    `detemplate.labelled.metrics.site_scores` accounts words the same way.

    Parameters
    ----------
    page
        The page.
    gold
        Its gold, of the kind ``site``.
    """

    def __init__(self, page: Page, gold: Gold) -> None:
        numbers: dict[str, int] = {}
        each = [words(page.segment_text(index)) for index in range(len(page.segments))]
        self._owner = np.repeat(np.arange(len(each)), np.array([len(own) for own in each], np.intp))
        self._word = np.array(
            [numbers.setdefault(word, len(numbers)) for own in each for word in own], np.intp
        )
        content, outside = Counter(words(gold.text)), Counter(words(gold.outside))
        self._content = np.array([content[word] for word in numbers], np.intp)
        self._outside = np.array([outside[word] for word in numbers], np.intp)
        self._known: dict[bytes, Removal] = {}
        self._all = self._account(np.zeros(len(each), np.bool_))

    def _account(self, template: npt.NDArray[np.bool_]) -> tuple[int, int]:
        """Count the words from outside and of the content that are left."""
        left = np.bincount(self._word[~template[self._owner]], minlength=len(self._content))
        over = np.minimum(np.maximum(left - self._content, 0), self._outside)
        return int(over.sum()), int(np.minimum(left, self._content).sum())

    def removal(self, template: npt.NDArray[np.bool_]) -> Removal:
        """Tell what the removal of some segments takes away.

        Parameters
        ----------
        template
            Whether each of the page's segments is removed.

        Returns
        -------
        Removal
            Counts of words.
        """
        key = np.packbits(template).tobytes()
        if key not in self._known:
            outside, content = self._account(template)
            self._known[key] = Removal(self._all[0] - outside, self._all[1] - content, self._all[0])
        return self._known[key]


class TemplateScores(NamedTuple):
    """Recall and precision of the template over a site's pages."""

    recall: float
    """Mean over the pages that show words outside their content; 0 without such pages."""
    precision: float | None
    """Mean over the pages of which something was removed; None without such pages."""


def mean_scores(removals: Iterable[Removal]) -> TemplateScores:
    """Average over a site's pages.

    Parameters
    ----------
    removals
        One a page.

    Returns
    -------
    TemplateScores
        Each page counts once. Pages for which recall (or precision) means nothing are left out of it.
    """
    found = list(removals)
    recalls = [recall for each in found if (recall := each.recall) is not None]
    precisions = [precision for each in found if (precision := each.precision) is not None]
    return TemplateScores(
        sum(recalls) / len(recalls) if recalls else 0.0,
        sum(precisions) / len(precisions) if precisions else None,
    )
