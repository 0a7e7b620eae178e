"""Labelled pages with a wordy part of another page's template grafted in.

What readers say below an article, summaries of other articles, a few lines on the author: template that is
running text is rare on labelled pages, and each of them has its own. A forest that has also seen each page
with some of another page's errs less on it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.training.examples import CONTENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from detemplate.training.examples import Example

LEAST_WORDS: Final = 60
MOST_WORDS: Final = 4000
"""Words of a part."""

LONG: Final = 8
LONG_SHARE: Final = 0.5
"""Share of them that is in texts of so many words."""

CONTENT_SHARE: Final = 0.02
"""Share of them that may be labelled as content."""

MAIN_SHARE: Final = 0.8
"""Share of a page's content in the element that a part is grafted to."""

BEHIND: Final = 0.5
INSIDE: Final = 0.3
"""How often a part is grafted behind that element, and at its end; else before it."""


class Part(NamedTuple):
    """A wordy part of a page's template.

    Attributes
    ----------
    markup
        Its canonical serialisation.
    words
        Words of each of its segments. int64.
    """

    markup: bytes
    words: npt.NDArray[np.int64]


class _Elements(NamedTuple):
    """The elements of a page that hold something: their rows, and where their segments begin and end."""

    rows: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    last: npt.NDArray[np.intp]

    @classmethod
    def of(cls, page: Page) -> _Elements:
        columns = page.columns
        rows = np.flatnonzero(columns.children > 0)
        return cls(rows, page.segments.searchsorted(rows), page.segments.searchsorted(columns.end[rows]))

    def sums(self, of_each: npt.NDArray[np.number]) -> npt.NDArray[np.float64]:
        """Sum over the segments of each element."""
        running = np.concatenate([[0.0], np.cumsum(of_each)])
        return np.asarray(running[self.last] - running[self.first])


def wordy_parts(example: Example) -> list[Part]:
    """Give the greatest elements of a page that are template, and mostly running text.

    Parameters
    ----------
    example
        A labelled page.
    """
    page, words = example.page, example.words
    elements = _Elements.of(page)
    total = elements.sums(words)
    content = elements.sums(np.where(example.label == CONTENT, words, 0))
    long = elements.sums(np.where(words >= LONG, words, 0))
    fits = (total >= LEAST_WORDS) & (total <= MOST_WORDS)
    fits &= (content <= CONTENT_SHARE * total) & (long >= LONG_SHARE * total)
    start, stop, end = page.columns.start, page.columns.stop, page.columns.end
    parts, after = [], 0
    for number in np.flatnonzero(fits).tolist():
        row = int(elements.rows[number])
        if row >= after:
            own = words[elements.first[number] : elements.last[number]]
            parts.append(Part(bytes(page.canonical[start[row] : stop[row]]), own))
            after = int(end[row])
    return parts


def graft(example: Example, part: Part, share: float, chance: float) -> Example | None:
    """Give a labelled page with a part of another's template.

    Parameters
    ----------
    example
        The page. It is left as it is.
    part
        The part.
    share
        What the new page weighs beside the old one.
    chance
        A number in [0, 1), which decides where the part goes.

    Returns
    -------
    Example or None
        A page of no site. None where no element has most of the content, or the page is not what it was with
        something more: the parser has put things elsewhere.
    """
    page, label, words = example.page, example.label, example.words
    elements = _Elements.of(page)
    content = elements.sums(np.where(label == CONTENT, words, 0))
    main = np.flatnonzero((content >= MAIN_SHARE * content.max(initial=0.0)) & (content > 0))
    if not len(main):
        return None
    row = int(elements.rows[main[-1]])
    columns, canonical = page.columns, page.canonical
    start, stop = int(columns.start[row]), int(columns.stop[row])
    if chance < BEHIND:
        place = stop
    else:
        place = canonical.rfind(b"</", start, stop) if chance < BEHIND + INSIDE else start
    written = canonical[:place] + part.markup + canonical[place:]
    try:
        grafted = Page(page.url, written, site=page.site, charset="utf-8")
    except PageError:
        return None
    grafted.source = ""
    if len(grafted.segments) != len(label) + len(part.words):
        return None
    before = int(np.searchsorted(columns.start[page.segments], place))
    unwanted = np.where(part.words > 0, 0, -1).astype(label.dtype)
    return dataclasses.replace(
        example,
        page=grafted,
        label=np.insert(label, before, unwanted),
        words=np.insert(words, before, part.words),
        weight=example.weight * share,
        site=False,
        altered=True,
        look=None,
    )


def grafts(examples: Sequence[Example], share: float, seed: int) -> Iterator[Example]:
    """Graft a part to each labelled page of no site, of a page of its fold that is of another family.

    Parameters
    ----------
    examples
        Labelled pages, dealt into folds.
    share
        What each new page weighs beside the old one.
    seed
        Decides which part goes where.
    """
    learnt = [example for example in examples if example.weight and not example.site]
    parts: dict[int, list[tuple[str, Part]]] = {}
    for example in learnt:
        parts.setdefault(example.fold, []).extend((example.family, part) for part in wordy_parts(example))
    generator = np.random.default_rng(seed)
    for example in learnt:
        others = [part for family, part in parts[example.fold] if family != example.family]
        if others:
            part = others[int(generator.integers(len(others)))]
            made = graft(example, part, share, float(generator.random()))
            if made is not None:
                yield made
