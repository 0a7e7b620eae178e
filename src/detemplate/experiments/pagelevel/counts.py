"""What of a page's text, anchor text and links is template, and how much of it a method finds.

Chakrabarti, Kumar, Punera 2007, section 6.1, "Template detection accuracy": precision is the share of the
words (links) identified as template that are labelled so, recall the share of those labelled so that are
identified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.experiments.pagelevel.segmentation import inside
from detemplate.labelled.segmentlabels import CONTENT, NEUTRAL, TEMPLATE
from detemplate.page.links import link_rows
from detemplate.page.subtrees import inherit

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.labelled.segmentlabels import SegmentLabels
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]

MEASURES: Final = ("text", "anchor text", "links")
LABELLED: Final = 0
IDENTIFIED: Final = 1
BOTH: Final = 2


class TemplateCounts:
    """The labels of a page's words and links, to count what is identified as template.

    Parameters
    ----------
    page
        The page.
    labels
        The labels of its segments.

    Attributes
    ----------
    bare
        Rows of the links without words (images, mostly) that have a label. int32.

    Notes
    -----
    - Text: the words of segments that are not neutral. Anchor text: those inside links.
    - A link with such words is template if more than half of them are, in the labels as in what is
      identified. One whose words are all neutral does not count.
    - A link without words has the label of the smallest node around it that holds labelled segments, if
      all of them have the same; else it does not count.
    """

    def __init__(self, page: Page, labels: SegmentLabels) -> None:
        links = link_rows(page)
        segments, end = page.segments, page.columns.end
        known = labels.label != NEUTRAL
        self._words = np.where(known, labels.words, 0)
        self._template = labels.label == TEMPLATE
        first, last = segments.searchsorted(links), segments.searchsorted(end[links])
        # Links do not nest in HTML, but broken pages and other parsers' trees may have them so.
        depth = np.zeros(len(segments) + 1, np.int64)
        np.add.at(depth, first, 1)
        np.subtract.at(depth, last, 1)
        self._anchor = np.where(np.cumsum(depth[:-1]) > 0, self._words, 0)
        all_words, counted = _sums(labels.words, first, last), _sums(self._words, first, last)
        self._first, self._last = first[counted > 0], last[counted > 0]
        self._half = counted[counted > 0]
        kinds = [inside(page, labels.label == kind) for kind in (CONTENT, TEMPLATE)]
        holder = np.where(kinds[0] + kinds[1] > 0, np.arange(len(end)), -1)
        around = inherit(page.columns.parent, holder.astype(np.float64)).astype(np.int64)
        bare = links[all_words == 0]
        near = around[bare]
        # One that no node with labelled segments is around has the last row, and is left out with it.
        content, template = kinds[0][near] > 0, kinds[1][near] > 0
        single = (near >= 0) & (content != template)
        self.bare = bare[single]
        self._bare_template = template[single]

    def count(self, template: Bools, bare: Bools) -> Ints:
        """Count words and links.

        Parameters
        ----------
        template
            Whether each segment is identified as template.
        bare
            Whether each of the links :attr:`bare` is.

        Returns
        -------
        array of int64, 3 × 3
            For text, anchor text and links: how many are labelled template, how many are identified as
            template, and how many are both.
        """
        both = template & self._template
        masks = (self._template, template, both)
        text = [int(self._words[mask].sum()) for mask in masks]
        anchor = [int(self._anchor[mask].sum()) for mask in masks]
        labelled, identified = self._linked(self._template), self._linked(template)
        links = [
            int(known.sum()) + int(images.sum())
            for known, images in (
                (labelled, self._bare_template),
                (identified, bare),
                (labelled & identified, self._bare_template & bare),
            )
        ]
        return np.array([text, anchor, links], np.int64)

    def _linked(self, template: Bools) -> Bools:
        """Tell of which links with words more than half of them are template."""
        words = _sums(np.where(template, self._words, 0), self._first, self._last)
        return np.asarray(2 * words > self._half)


def _sums(values: Ints, first: npt.NDArray[np.intp], last: npt.NDArray[np.intp]) -> Ints:
    upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    return np.asarray(upto[last] - upto[first])


def f_measure(counts: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Give the F-measure of counts (… × 3); NaN where nothing is labelled template.

    Nothing identified where something should be is 0.
    """
    labelled, identified, both = (counts[..., place].astype(np.float64) for place in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(labelled > 0, 2 * both / (labelled + identified), np.nan)
