"""What made pages are made of: paragraphs, sentences and boxes of labelled pages."""

from __future__ import annotations

import re
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.features.vocabulary import START
from detemplate.page import tags
from detemplate.page.columns import ELEMENT
from detemplate.page.metadata.language import language_of
from lab.labelled.segmentlabels import CONTENT, TEMPLATE
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page
    from lab.auto.examples import Example

    Rows = npt.NDArray[np.intp]
    Place = tuple[Example, int]
    """An element, by its row in the columns of a page."""

_OWN_WORDS: Final = 10  # minimum words of a paragraph beside which others can stand
_PROSE_WORDS: Final = 20  # minimum words of a paragraph that goes into other pages
_SENTENCE_WORDS: Final = (8, 40)
_BOX_WORDS: Final = (4, 60)
_TRIES: Final = 20
_PARAGRAPHS: Final = sorted(tags.numbers("p div"))
_PROSE: Final = sorted(tags.numbers("p"))
_BOXES: Final = sorted(tags.numbers("aside div section ul"))
_BLOCK: Final = np.concatenate([tags.FLAGS & tags.BLOCK, np.zeros(1, np.uint16)]) > 0
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_KNOWN: Final = 0.8  # minimum share of content in the words of an element that counts as content
_NAME: Final = re.compile(rb"<([^ >]+)")


class Piece(NamedTuple):
    """Markup, and the start, the label and the words of each segment in it."""

    markup: bytes
    starts: npt.NDArray[np.int64]
    label: npt.NDArray[np.int8]
    words: npt.NDArray[np.int64]

    @classmethod
    def bare(cls, markup: bytes) -> Piece:
        """Return markup without segments."""
        return cls(markup, np.zeros(0, np.int64), np.zeros(0, np.int8), np.zeros(0, np.int64))


def piece_of(example: Example, start: int, stop: int) -> Piece:
    """Cut a range of bytes out of the canonical serialisation of a page."""
    starts = example.page.columns.start[example.page.segments]
    first, last = np.searchsorted(starts, (start, stop))
    markup = example.page.canonical[start:stop]
    begins = starts[first:last].astype(np.int64) - start
    return Piece(markup, begins, example.label[first:last], example.words[first:last])


def tags_of(page: Page, row: int) -> tuple[bytes, bytes]:
    """Return the start tag and the end tag of an element that has both."""
    start = int(page.columns.start[row])
    opened, name = START.match(page.canonical, start), _NAME.match(page.canonical, start)
    assert opened is not None
    assert name is not None
    return page.canonical[start : opened.end() + 1], b"</%b>" % name[1]


def paragraph_rows(example: Example) -> Rows:
    """Find the paragraphs of a page's content: `p` or `div` without blocks inside, of 10 words or more.

    They have one parent, that with the most words in such paragraphs; rows in document order.
    """
    found = _Elements(example)
    rows = found.rows(_PARAGRAPHS)
    rows = rows[found.leaf(rows) & found.content(rows) & (found.words(rows) >= _OWN_WORDS)]
    if not len(rows):
        return rows
    parent = example.page.columns.parent[rows]
    fullest = np.bincount(parent, found.words(rows)).argmax()
    return np.array(rows[parent == fullest])


class Pool:
    """Parts of labelled pages. What it gives for a page is from other families of the page's fold.

    Parameters
    ----------
    examples
        Pages with labels.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self._prose: dict[tuple[int, str | None], list[Place]] = defaultdict(list)
        self._boxes: dict[int, list[Place]] = defaultdict(list)
        for example in examples:
            found = _Elements(example)
            rows = found.rows(_PROSE)
            rows = rows[found.leaf(rows) & found.content(rows) & (found.words(rows) >= _PROSE_WORDS)]
            self._prose[example.fold, _language(example)] += [(example, row) for row in rows.tolist()]
            rows = found.rows(_BOXES)
            self._boxes[example.fold] += [(example, row) for row in rows[found.box(rows)].tolist()]

    def paragraphs(self, example: Example, count: int, generator: np.random.Generator) -> list[Piece]:
        """Draw the insides of up to so many paragraphs of prose, each once."""
        known = self._prose[example.fold, _language(example)]
        drawn = [known[number] for number in generator.permutation(len(known))[: max(count, 0)]]
        return [_inside(other, row) for other, row in drawn if other.family != example.family]

    def sentence(self, example: Example, generator: np.random.Generator) -> bytes | None:
        """Draw a sentence of prose, of 8 to 40 words; None if none is found."""
        known = self._prose[example.fold, _language(example)]
        for number in generator.permutation(len(known))[:_TRIES]:
            other, row = known[number]
            if other.family == example.family:
                continue
            text = "".join(other.page.segment_text(index) + " " for index in other.page.segments_in(row))
            for sentence in _SENTENCE_END.split(text.strip()):
                if _SENTENCE_WORDS[0] <= len(words(sentence)) <= _SENTENCE_WORDS[1]:
                    return escape(sentence, quote=False).encode()
        return None

    def box(self, example: Example, generator: np.random.Generator) -> Piece | None:
        """Draw a small element of template, with 4 to 60 words, of another family; None if there is none."""
        known = self._boxes[example.fold]
        for number in generator.integers(len(known), size=_TRIES) if known else ():
            other, row = known[number]
            if other.family != example.family:
                columns = other.page.columns
                return piece_of(other, int(columns.start[row]), int(columns.stop[row]))
        return None


class _Elements:
    """Sums over the segments in each element of a page."""

    def __init__(self, example: Example) -> None:
        self._columns = columns = example.page.columns
        judged = example.judged
        self._before = {
            name: np.concatenate([[0], np.cumsum(values)])
            for name, values in {
                "words": example.words,
                "content": np.where(judged & (example.label == CONTENT), example.words, 0),
                "template": np.where(judged & (example.label == TEMPLATE), example.words, 0),
            }.items()
        }
        blocks = _BLOCK[np.minimum(columns.tag, len(_BLOCK) - 1)] & (columns.kind == ELEMENT)
        self._blocks_before = np.concatenate([[0], np.cumsum(blocks)])

    def rows(self, wanted: Sequence[int]) -> Rows:
        """Find the elements with one of these tags."""
        return np.flatnonzero((self._columns.kind == ELEMENT) & np.isin(self._columns.tag, wanted))

    def leaf(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which elements have no block-level element inside."""
        before = self._blocks_before
        inside: npt.NDArray[np.int64] = before[self._columns.end[rows]] - before[rows + 1]
        return np.array(inside == 0)

    def words(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Count the words in each element."""
        return self._sum("words", rows)

    def content(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which elements have content alone; at most a fifth of their words may be unknown."""
        own = self._sum("content", rows)
        return np.array((own >= _KNOWN * self.words(rows)) & (own > 0) & (self._sum("template", rows) == 0))

    def box(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which elements are small and have template alone."""
        count = self.words(rows)
        least, most = _BOX_WORDS
        return np.array((self._sum("template", rows) == count) & (least <= count) & (count <= most))

    def _sum(self, name: str, rows: Rows) -> npt.NDArray[np.int64]:
        segments, before = self._columns.segments, self._before[name]
        last = np.searchsorted(segments, self._columns.end[rows])
        total: npt.NDArray[np.int64] = before[last] - before[np.searchsorted(segments, rows)]
        return total


def _language(example: Example) -> str | None:
    return language_of(example.page, ())


def _inside(example: Example, row: int) -> Piece:
    """Cut out what is inside of an element."""
    opened, closed = tags_of(example.page, row)
    columns = example.page.columns
    return piece_of(example, int(columns.start[row]) + len(opened), int(columns.stop[row]) - len(closed))
