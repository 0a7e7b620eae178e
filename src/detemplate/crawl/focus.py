"""Focused crawling: the relevance of pages, pagelets and links to a topic.

Bar-Yossef & Rajagopalan 2002, section 1: a focused crawler that takes the whole page for the unit of
information is misled by navigation and advertisements. Here a link's relevance is that of the page's own
content, of the pagelet that holds it, and of its anchor with the text around it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.errors import UserError
from detemplate.links.focus import template_scores
from detemplate.page.links import anchors, page_links
from detemplate.page.pagelets import pagelet_of, pagelets
from detemplate.page.visible import visible_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.links import Links
    from detemplate.page.page import Page

    Values = npt.NDArray[np.float64]

EXAMPLES: Final = "@"
"""What a topic begins with if it is a file of examples."""

_MOST_WORDS: Final = 100  # words of a topic that count: the most frequent ones of its examples
_WORD: Final = re.compile(r"[^\W_]+")  # a run of letters and digits

_NO_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
"""A character of a script without spaces between words."""


def words(text: str) -> list[str]:
    """Return the words of a text, case folded; pairs of characters in scripts without spaces.

    >>> words("Suffix arrays, 2026")
    ['suffix', 'arrays', '2026']
    """
    found = []
    for run in _WORD.findall(text.casefold()):
        if len(run) > 2 and _NO_SPACES.search(run):
            found += [run[at : at + 2] for at in range(len(run) - 1)]
        else:
            found.append(run)
    return found


class Topic:
    """What a focused crawl looks for.

    ``text``: words, or ``@`` and the name of a text file of examples.
    Raises UserError: there are no words, or the file cannot be read.
    """

    def __init__(self, text: str) -> None:
        given = text
        self.text = text
        if text.startswith(EXAMPLES):
            try:
                text = Path(text.removeprefix(EXAMPLES)).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(
                    f"cannot read the examples {given.removeprefix(EXAMPLES)}: {error}"
                ) from error
        counts = Counter(words(text))
        self._weights = {word: count / (count + 1) for word, count in counts.most_common(_MOST_WORDS)}
        if not self._weights:
            raise UserError(
                f"the topic {given!r} has no words; write at least one, or {EXAMPLES}FILE of examples"
            )
        self._pages = 0
        self._having: Counter[str] = Counter()

    def learn(self, text: str) -> None:
        """Learn from the content of a page which of the topic's words are frequent, and so tell little."""
        self._pages += 1
        self._having.update(self._weights.keys() & set(words(text)))

    def relevance(self, text: str) -> float:
        """Return the relevance of a text, in [0, 1).

        It is the mean of ``tf / (tf + 1)`` over the topic's words. A word weighs more if it is frequent in
        the topic, and if it is rare on the pages so far (the idf of BM25, which is above 0).
        """
        counts = Counter(word for word in words(text) if word in self._weights)
        total = found = 0.0
        for word, weight in self._weights.items():
            having = self._having[word]
            weight *= math.log1p((self._pages - having + 0.5) / (having + 0.5))  # noqa: PLW2901
            total += weight
            found += weight * counts[word] / (counts[word] + 1)
        return found / total


def link_relevance(page: Page, verdict: Verdict | None, topic: Topic) -> tuple[Links, Values, Values]:
    """Measure a page's links to pages.

    ``page``: the page. The topic learns its content.
    ``verdict``: a method's verdict; None: nothing is known of templates, and all text is taken for content.
    ``topic``: what is looked for.
    Returns: the links; their relevance, in [0, 1): the mean of that of the page's content, of the content in
        the pagelet that holds the link, and of the anchor with its context; and their template scores
        (:func:`~detemplate.links.focus.template_scores`), all 0 without a verdict.
    """
    links = page_links(page)
    text = visible_text(page)
    own = np.ones(len(page.segments), np.bool_) if verdict is None else ~verdict.template
    spans = list(zip(text.starts.tolist(), text.stops.tolist(), own.tolist(), strict=True))

    def content(first: int, stop: int) -> str:
        return " ".join(text.text[start:end] for start, end, kept in spans[first:stop] if kept)

    whole = content(0, len(spans))
    topic.learn(whole)
    if not len(links):
        return links, np.zeros(0), np.zeros(0)
    regions = pagelets(page)
    serial = pagelet_of(page, regions, links.rows)
    held = np.zeros(len(regions) + 1)  # the last one: of links in no pagelet
    for number in np.unique(serial[serial < len(regions)]).tolist():
        if number >= 0:
            inside = page.segments_in(int(regions[number]))
            held[number] = topic.relevance(content(inside.start, inside.stop))
    around = np.append(regions, -1)[serial].astype(np.int32)
    _, contexts = anchors(page, links.rows, text, around)
    named = np.array([topic.relevance(context) for context in contexts])
    scores = np.zeros(len(links)) if verdict is None else template_scores(page, verdict, links.rows)
    return links, (topic.relevance(whole) + held[serial] + named) / 3, scores
