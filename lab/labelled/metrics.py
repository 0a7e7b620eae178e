"""Scores of one extracted text against the gold of its page: multisets of words, and runs of words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import turbohtml

from detemplate.algorithms.wordscores import f1_score, gold_words
from detemplate.errors import PageError
from detemplate.page.page import Page
from lab.labelled.words import contains_words, count_words, recent_words, words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

_HIDDEN: Final = "[hidden], noscript, template"
_RECENT: Final = 8
"""Golds and scores that are kept: all methods score a page in turn, and most return the same text."""


class SiteScores(NamedTuple):
    """Share of the content's words that are kept, and of the other words that are removed."""

    kept: float
    removed: float
    f1: float


@lru_cache(_RECENT)
def site_scores(output: str, text: str, outside: str) -> SiteScores:
    """Score an output where the words inside and outside the content are both known.

    The output's words are matched with the content first, surplus words then with those outside; words in
    neither (of a title, say) do not count. F1 = 2 hits / (2 hits + missing + surplus words outside).

    >>> site_scores("home story told", text="story told well", outside="home about")
    SiteScores(kept=0.6666666666666666, removed=0.5, f1=0.6666666666666666)
    """
    actual, expected, unwanted = count_words(output), gold_words(text), gold_words(outside)
    hits = (actual & expected).total()
    missing = expected.total() - hits
    leftover = ((actual - expected) & unwanted).total()
    kept = hits / expected.total() if expected else 1.0
    removed = 1 - leftover / unwanted.total() if unwanted else 1.0
    return SiteScores(kept, removed, f1_score(hits, missing, leftover))


def values_kept(output: str, visible: str, values: Iterable[str]) -> float | None:
    """Compute the share of a page's shown values whose words an output has in a row; None without any."""
    actual, page_words = recent_words(output), recent_words(visible)
    shown = [value for value in map(words, values) if value and contains_words(page_words, value)]
    return sum(contains_words(actual, value) for value in shown) / len(shown) if shown else None


def snippet_share(output: str, snippets: Iterable[str]) -> float | None:
    """Compute the share of the snippets whose words occur consecutively in an output; None without any."""
    needles = [needle for needle in map(words, snippets) if needle]
    if not needles:
        return None
    actual = recent_words(output)
    return sum(contains_words(actual, needle) for needle in needles) / len(needles)


def account(output: str, gold: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Split the words of an output and its gold into hits, missing words and surplus words."""
    actual, expected = count_words(output), gold_words(gold)
    return actual & expected, expected - actual, actual - expected


@lru_cache(_RECENT)  # each method's output is compared with it
def visible_text(html: str) -> str:
    """Return a page's text without elements marked as hidden. Style sheets are not applied."""
    return turbohtml.parse(html).remove(_HIDDEN).to_text()


@lru_cache(_RECENT)  # all methods score a page in turn
def shown_titles(html: str) -> tuple[str, ...]:
    """Return the texts of the segments that show a page's title; none where it cannot be parsed."""
    try:
        page = Page("", html)
    except PageError:
        return ()
    return tuple(page.segment_text(number) for number in page.title_segments)


def untitled(text: str, titles: Iterable[str]) -> str:
    """Take out the first of the titles whose words a text has in a row, once; return the words of the rest.

    >>> untitled("Home. A Story: a story is told", ["Missing", "A story"])
    'home a story is told'
    """
    line = f" {' '.join(recent_words(text))} "
    for title in titles:
        run = f" {' '.join(words(title))} "
        if not run.isspace() and run in line:
            return line.replace(run, " ", 1).strip()
    return text
