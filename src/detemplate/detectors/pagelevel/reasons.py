"""Why a segment has its score, in words: the features that weigh most, and the section."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.causes import Cause, Reason, because
from detemplate.detectors.pagelevel.options import BASIC, MERGE
from detemplate.detectors.pagelevel.phrases import phrase
from detemplate.detectors.verdict import WrittenReasons
from detemplate.features.node import NAMES
from detemplate.page.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.detectors.pagelevel.options import PageLevelOptions
    from detemplate.detectors.pagelevel.tree import VisibleTree
    from detemplate.page.page import Page

_FEATURES: Final = 2
"""Number of features in a reason."""

_SHOWN: Final = 40
"""Maximum length of a text in a reason, in characters."""

_TAG: Final = re.compile(rb"<([^\s/>]+)")


@dataclass(frozen=True, slots=True)
class Reasons:
    """Explains the scores of a page's segments.

    Attributes
    ----------
    page
        The scored page.
    options, model
        The detector's options and its model.
    tree
        The page's visible nodes.
    table
        Their features.
    classified
        Their scores by the classifier alone.
    scores
        Score of each segment, before :func:`~detemplate.detectors.pagelevel.detector.spared`.
    sections
        Row of the first node of each segment's section.
    spared
        Whether each segment was kept as the least template of a page that is all template.
    """

    page: Page
    options: PageLevelOptions
    model: PageModel
    tree: VisibleTree
    table: npt.NDArray[np.float32]
    classified: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]
    sections: npt.NDArray[np.int32]
    spared: npt.NDArray[np.bool_]

    def __call__(self, segment: int) -> Reason:
        """Return the reason of a segment's score."""
        tree, classified, page = self.tree, self.classified, self.page
        leaf = int(tree.near[page.segments[segment]])
        if leaf < 0:
            nothing = f"nothing around it takes {self.options.min_area:g} square pixels: it is not judged"
            return because("not_judged", -1.0, nothing)
        side = 1.0 if classified[leaf] > 0.5 else -1.0
        terms = side * self.model.terms(self.table[[leaf]], tree.area[[leaf]])[0]
        order = np.argsort(-terms, kind="stable")[:_FEATURES]
        every = float(np.maximum(terms, 0).sum()) or 1.0
        told, causes = [], []
        for number in order.tolist():
            name = self.model.names[number]
            value = float(self.table[leaf, NAMES.index(name)])
            words, number_told = phrase(name, value)
            told.append(words)
            weight = side * max(float(terms[number]), 0.0) / every
            causes.append(Cause(name, weight, {"value": number_told}))
        node = _named(page, int(tree.rows[leaf]))
        reason = f"{node} by itself looks {classified[leaf]:.0%} template, most for its {' and '.join(told)}"
        if self.options.variant != BASIC:
            where = "section that begins with" if self.options.variant == MERGE else "section of"
            section = _named(page, int(self.sections[segment]))
            reason = f"{self.scores[segment]:.0%} for the {where} {section}; {reason}"
        if self.spared[segment]:
            reason = f"the least template of a page that all looks so: {reason}"
            causes.insert(0, Cause("least_template", -1.0, {}))
        return Reason(reason, causes)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # The tree and the features of a page take many times the room of the texts.
        return WrittenReasons.of(self, len(self.scores)).__reduce__()


def _named(page: Page, row: int) -> str:
    """Name a node in a reason: a text by its first characters, an element by its tag."""
    columns = page.columns
    if columns.kind[row] == TEXT:
        text = page.text_of(row)
        return f"“{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}”"
    tag = _TAG.match(page.canonical, int(columns.start[row]))
    return f"<{tag[1].decode('utf-8', 'replace')}>" if tag else "a node"
