"""Finds the segments that show what a page's own data list: a recipe, a guide, answered questions.

Such lists are short texts in many elements, like a menu. JSON-LD of schema.org says their words, and
microdata mark their elements.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.columns import ELEMENT
from detemplate.page.jsonld import linked_items

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

_TYPES: Final = frozenset(("Recipe", "HowTo", "FAQPage"))
_LISTS: Final = (
    "recipeIngredient", "ingredients", "recipeInstructions", "step", "supply", "tool", "mainEntity",
)  # fmt: skip
_INNER: Final = ("name", "text", "itemListElement", "acceptedAnswer")  # what an entry of a list says
_MOST_ENTRIES: Final = 2000
_LONGEST: Final = 100_000  # characters of one entry
_SHORT: Final = 3  # words: a shorter piece counts only between longer ones
_LONG: Final = 64  # words of a piece
_MOST_ALIKE: Final = 8  # pieces that begin with the same three words
_COVERED: Final = 0.6  # least share of a segment that the data say
_TAG: Final = re.compile(r"<[^>]{0,500}>")
_SENTENCE: Final = re.compile(r"[\n\r\t]+|(?<=[.!?;:。！？])\s+")
_WORD: Final = re.compile(r"\w+")
_WORD_OR_END: Final = re.compile(r"\w+|\0")
_MARKED: Final = re.compile(rb'itemprop="(?:recipeIngredient|ingredients|recipeInstructions)"')


def stated_segments(page: Page) -> Bools | None:
    """Tell which segments show ingredients, steps, questions and answers that the page's data state.

    Texts are looked for in the words of the whole page, whatever elements they are split over, in pieces of a
    sentence each. A segment counts if most of it is in such pieces.

    ``page``: the page.
    Returns: one value a segment; None if there are no such data.
    """
    marked = _marked(page) if b'itemprop="recipeIngredient"' in page.canonical else []
    texts = list(_texts(page))
    if not marked and not texts:
        return None
    found = _covered(page, texts) if texts else np.zeros(len(page.segments), np.bool_)
    found[marked] = True
    return found


def _texts(page: Page) -> Iterator[str]:
    """Give what JSON-LD lists."""
    for item in linked_items(page.linked, _TYPES):
        yield from _entries([item[name] for name in _LISTS if name in item])


def _entries(data: object) -> Iterator[str]:
    """Give the texts of nested lists, without markup."""
    pending = [data]
    for _ in range(_MOST_ENTRIES):
        if not pending:
            return
        entry = pending.pop()
        if isinstance(entry, list):
            pending += entry[:_MOST_ENTRIES]
        elif isinstance(entry, dict):
            pending += [entry[name] for name in _INNER if name in entry]
        elif isinstance(entry, str):
            yield unescape(_TAG.sub("\n", unescape(entry[:_LONGEST])))


def _covered(page: Page, texts: list[str]) -> Bools:
    """Tell which segments these texts say."""
    shown = b"\0".join(page.written(page.segments)).decode()
    tokens = _WORD_OR_END.findall(unescape(shown).casefold())
    ends = np.array([token == "\0" for token in tokens], np.bool_)
    owner = ends.cumsum()[~ends]
    words = [token for token in tokens if token != "\0"]
    begun: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    short: set[tuple[str, ...]] = set()
    for piece in _pieces(texts):
        if len(piece) < _SHORT:
            short.add(piece)
        elif len(alike := begun.setdefault(piece[:_SHORT], [])) < _MOST_ALIKE:
            alike.append(piece)
    said = np.zeros(len(words), np.bool_)
    firsts = {beginning[0] for beginning in begun}
    for at in [at for at, word in enumerate(words) if word in firsts]:
        for piece in begun.get(tuple(words[at : at + _SHORT]), ()):
            if tuple(words[at : at + len(piece)]) == piece:
                said[at : at + len(piece)] = True
    if said.any():
        for at in range(int(said.argmax()), len(said) - int(said[::-1].argmax())):
            for behind in range(at + 1, at + _SHORT):
                if tuple(words[at:behind]) in short:
                    said[at:behind] = True
    every = np.bincount(owner, minlength=len(page.segments))
    covered = np.bincount(owner, said, len(page.segments))
    return np.asarray((every > 0) & (covered >= _COVERED * every))


def _pieces(texts: list[str]) -> Iterator[tuple[str, ...]]:
    """Cut texts into sentences, and long ones of these into parts; give the words of each."""
    for text in texts:
        for sentence in _SENTENCE.split(text.casefold()):
            own = _WORD.findall(sentence)
            for first in range(0, len(own), _LONG):
                yield tuple(own[first : first + _LONG])


def _marked(page: Page) -> list[int]:
    """Give the segments in elements that microdata call ingredients and steps."""
    rows = page.rows_with(_MARKED)
    rows = rows[page.columns.kind[rows] == ELEMENT]  # others are texts that show markup
    return [number for row in rows.tolist() for number in page.segments_in(row)]
