"""Counts of labelled and identified template, in words of text, words of anchor text, and links.

Chakrabarti, Kumar, Punera 2007, section 6.1, "Template detection accuracy".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.intervals import covering
from detemplate.page.links import link_rows
from detemplate.page.subtrees import inherit
from lab.labelled.segmentlabels import CONTENT, NEUTRAL, TEMPLATE
from lab.pagelevel.segmentation import segments_inside

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.labelled.segmentlabels import SegmentLabels

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]

MEASURES: Final = ("text", "anchor text", "links")  # measures, in the order of the rows of counts
LABELLED, IDENTIFIED, BOTH = range(3)  # columns of counts


class TemplateCounts:
    """The labels of a page's words and links. Counts what is identified as template.

    Words of neutral segments do not count. A link is template if more than half of its words are. A link
    without words (`bare`: an image, mostly) takes its label from the smallest node around it with labelled
    segments, if all of these have the same label; else it does not count.
    """

    def __init__(self, page: Page, labels: SegmentLabels) -> None:
        links = link_rows(page)
        segments, end = page.segments, page.columns.end
        self._words = np.where(labels.label != NEUTRAL, labels.words, 0)
        self._template = labels.label == TEMPLATE
        first, last = segments.searchsorted(links), segments.searchsorted(end[links])
        # Links do not nest in valid HTML, but they may in broken pages and in other parsers' trees.
        self._anchor = np.where(covering(first, last, len(segments)) > 0, self._words, 0)
        all_words, counted = _sums(labels.words, first, last), _sums(self._words, first, last)
        self._first, self._last = first[counted > 0], last[counted > 0]
        self._half = counted[counted > 0]
        content, template = (segments_inside(page, labels.label == kind) for kind in (CONTENT, TEMPLATE))
        labelled_rows = np.where(content + template > 0, np.arange(len(end)), -1)
        around = inherit(page.columns.parent, labelled_rows.astype(np.float64)).astype(np.int64)
        bare = links[all_words == 0]
        near = around[bare]
        # Where no node around has labelled segments, near is -1: it reads the last row, and is left out.
        has_content, has_template = content[near] > 0, template[near] > 0
        one_label = (near >= 0) & (has_content != has_template)
        self.bare = bare[one_label]
        self._bare_template = has_template[one_label]

    def count(self, template: Bools, bare: Bools) -> Ints:
        """Count words and links: a row for each of `MEASURES`; columns `LABELLED`, `IDENTIFIED`, `BOTH`."""
        both = template & self._template
        masks = (self._template, template, both)
        text = [int(self._words[mask].sum()) for mask in masks]
        anchor = [int(self._anchor[mask].sum()) for mask in masks]
        labelled, identified = self._template_links(self._template), self._template_links(template)
        links = [
            int(with_words.sum()) + int(without_words.sum())
            for with_words, without_words in (
                (labelled, self._bare_template),
                (identified, bare),
                (labelled & identified, self._bare_template & bare),
            )
        ]
        return np.array([text, anchor, links], np.int64)

    def _template_links(self, template: Bools) -> Bools:
        """Tell for each link with words whether more than half of them are template."""
        words = _sums(np.where(template, self._words, 0), self._first, self._last)
        return np.asarray(2 * words > self._half)


def _sums(values: Ints, first: npt.NDArray[np.intp], last: npt.NDArray[np.intp]) -> Ints:
    """Sum the values of each range ``first:last``."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    return np.asarray(before[last] - before[first])


def f_measure(counts: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Compute the F-measure of counts, an array of … × 3; NaN where nothing is labelled template."""
    labelled, identified, both = (counts[..., place].astype(np.float64) for place in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(labelled > 0, 2 * both / (labelled + identified), np.nan)
