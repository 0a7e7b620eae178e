"""Recall and precision of the template that a verdict removes, counted in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.labelled.pages import Gold


class Removal(NamedTuple):
    """Numbers of words that go when some of a page's segments are removed."""

    template: int
    """Removed words from outside the content."""
    content: int
    """Removed words of the content."""
    all_template: int
    """Words outside the content that the page shows."""

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
    """The words of a page's segments, split once, and of its gold.

    Wang et al. 2008, section 3, have people label blocks as template or not, and report recall and
    precision of the template. Here words are counted, as multisets. Let ``C`` be the words of the content,
    ``O`` those outside it, ``A`` all words that the page shows, and ``L`` those left after the removal. Then

    - ``content(X) = |X ∩ C|`` is the number of content words of a text ``X``;
    - ``template(X) = |(X − C) ∩ O|`` is the number of its words from outside. A word that is both inside and
      outside counts as content first;
    - recall is ``(template(A) − template(L)) / template(A)``. A word that no segment shows (of an image's
      description, say) cannot be removed and does not count;
    - precision is ``removed template / (removed template + content(A) − content(L))``. Words in neither do
      not count.

    `lab.labelled.metrics.site_scores` counts words in the same way.

    Parameters
    ----------
    page
        The page.
    gold
        Its gold, of kind ``site``.
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

    def _left(self, removed: npt.NDArray[np.bool_]) -> tuple[int, int]:
        """Count the words from outside and of the content that are left."""
        left = np.bincount(self._word[~removed[self._segment_of]], minlength=len(self._content))
        surplus = np.minimum(np.maximum(left - self._content, 0), self._outside)
        return int(surplus.sum()), int(np.minimum(left, self._content).sum())

    def removal(self, removed: npt.NDArray[np.bool_]) -> Removal:
        """Count the words that go when some segments are removed.

        Parameters
        ----------
        removed
            Whether each of the page's segments is removed.

        Returns
        -------
        Removal
            Numbers of words. Equal segments give the same object: results are cached.
        """
        key = np.packbits(removed).tobytes()
        if key not in self._cache:
            template, content = self._left(removed)
            self._cache[key] = Removal(
                self._all_template - template, self._all_content - content, self._all_template
            )
        return self._cache[key]


class TemplateScores(NamedTuple):
    """Recall and precision of the template, averaged over a site's pages."""

    recall: float
    """Mean over the pages that show words outside their content; 0 without such pages."""
    precision: float | None
    """Mean over the pages from which words were removed; None without such pages."""


def mean_scores(removals: Iterable[Removal]) -> TemplateScores:
    """Average over a site's pages, one removal a page. Pages without a recall (precision) do not count."""
    pages = list(removals)
    recalls = [recall for page in pages if (recall := page.recall) is not None]
    precisions = [precision for page in pages if (precision := page.precision) is not None]
    return TemplateScores(
        sum(recalls) / len(recalls) if recalls else 0.0,
        sum(precisions) / len(precisions) if precisions else None,
    )
