"""A page's title, which some golds have and others have not: scores are also computed without it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.page.title import title_segments
from lab.labelled.words import recent_words, words

if TYPE_CHECKING:
    from collections.abc import Iterable


@lru_cache(8)  # all methods score a page in turn
def shown_titles(html: str) -> tuple[str, ...]:
    """Return the texts of the segments that show a page's title; none where it cannot be parsed."""
    try:
        page = Page("", html)
    except PageError:
        return ()
    return tuple(page.segment_text(number) for number in title_segments(page))


def untitled(text: str, titles: Iterable[str]) -> str:
    """Take out the first of the titles whose words a text has in a row, once.

    Return the words of the rest, or the text as it is where it has none of the titles.

    >>> untitled("Home. A Story: a story is told", ["Missing", "A story"])
    'home a story is told'
    >>> untitled("Told", ["A story"])
    'Told'
    """
    line = f" {' '.join(recent_words(text))} "
    for title in titles:
        run = f" {' '.join(words(title))} "
        if not run.isspace() and run in line:
            return line.replace(run, " ", 1).strip()
    return text
