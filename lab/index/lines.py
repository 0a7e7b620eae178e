"""Lines kept: precision, recall and F1 against labelled content, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.engines.cleaner import Cleaner
from detemplate.errors import PageError
from detemplate.page.page import Page
from lab.index.peers import RULES, peers_by_rule, template_segments
from lab.labelled.measure import Method
from lab.labelled.segmentlabels import CONTENT, TEMPLATE, label_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from lab.index.corpus import Corpus
    from lab.labelled.measure import Extractor

    Bools = npt.NDArray[np.bool_]

MIN_ALIGNED = 0.9
"""Least share of the gold's words that a page must show for its labels to count."""


class LineScores(NamedTuple):
    """How many lines are kept rightly.

    Attributes
    ----------
    pages
        Number of pages.
    peers
        Share of the pages that have a peer; None for methods without peers.
    precision, recall
        Of the lines kept, the share that is content; of the content lines, the share kept. Means over pages.
    f1
        Mean over pages of the harmonic mean, as in the paper, where it is not that of the two means.
    """

    pages: int
    peers: float | None
    precision: float
    recall: float
    f1: float


class _LabelledPage(NamedTuple):
    page: Page
    line: npt.NDArray[np.intp]
    content: Bools
    known: Bools


def line_scores(
    extractors: Mapping[str, Extractor], corpus: Corpus, show: Callable[[str], object]
) -> dict[str, LineScores]:
    """Score the lines that each method keeps, and sandwich with peers chosen by other rules.

    A line of the canonical serialisation is content if a content segment begins on it, else template if a
    template segment does. All other lines show nothing, and are not counted. A method keeps a line if it
    keeps a segment on it.

    Parameters
    ----------
    extractors
        Methods by name; those that give text only are left out.
    corpus
        Pages with gold, by site.
    show
        Called with what was done.

    Returns
    -------
    dict
        Scores by method, and by ``sandwich, RULE``.
    """
    sites = [_labelled(corpus, numbers) for numbers in corpus.sites.values()]
    sites = [(every, labelled) for every, labelled in sites if labelled]
    found = {}
    for name, extractor in extractors.items():
        if isinstance(extractor, Method):
            scores = []
            for every, labelled in sites:
                with Cleaner(extractor.name, streaming=False) as cleaner:
                    for page in every:
                        cleaner.learn(page)
                    scores += [
                        _page_scores(each, cleaner.clean(each.page).verdict.template) for each in labelled
                    ]
            found[name] = _mean(scores, None)
            show(f"lines: {name}")
    for rule in RULES:
        scores, with_peer = [], []
        for every, labelled in sites:
            chosen = dict(zip(map(id, every), peers_by_rule(rule, every), strict=True))
            for each in labelled:
                peer = chosen[id(each.page)]
                with_peer.append(peer is not None)
                scores.append(_page_scores(each, template_segments(each.page, peer)))
        found[f"sandwich, {rule}"] = _mean(scores, float(np.mean(with_peer)) if with_peer else 0.0)
        show(f"lines: {rule}")
    return found


def _labelled(corpus: Corpus, numbers: list[int]) -> tuple[list[Page], list[_LabelledPage]]:
    """Parse the pages of a site; label those that have gold."""
    every, labelled = [], []
    for number in numbers:
        record = corpus.pages[number]
        try:
            page = Page(record.url, record.html, site="site")
        except PageError:
            continue
        every.append(page)
        if record.gold is None or not record.gold.text.strip():
            continue
        labels = label_segments(page, record.gold)
        if labels.aligned >= MIN_ALIGNED:
            ends = np.cumsum([len(line) + 1 for line in page.lines])
            line = np.searchsorted(ends, page.columns.start[page.segments], "right")
            known = np.isin(labels.label, (CONTENT, TEMPLATE))
            labelled.append(_LabelledPage(page, line, labels.label == CONTENT, known))
    return every, labelled


def _page_scores(labelled: _LabelledPage, template: Bools) -> tuple[float, float, float]:
    """Compute precision, recall and F1 of the lines of a page."""
    known = labelled.known
    line = labelled.line[known]
    if not len(line):
        return 1.0, 1.0, 1.0
    size = int(line.max()) + 1
    content = np.bincount(line, labelled.content[known], size) > 0
    kept = np.bincount(line, ~template[known], size) > 0
    both = int(np.count_nonzero(content & kept))
    precision = both / max(int(np.count_nonzero(kept)), 1)
    recall = both / max(int(np.count_nonzero(content)), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def _mean(scores: list[tuple[float, float, float]], peers: float | None) -> LineScores:
    means = np.array(scores, float).reshape(-1, 3).mean(axis=0) if scores else np.zeros(3)
    return LineScores(len(scores), peers, *(float(value) for value in means))
