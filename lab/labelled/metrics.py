"""Scores of one extracted text against the gold of its page: multisets of words, and runs of words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import turbohtml

from lab.labelled.words import contains_words, count_words, words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

_HIDDEN: Final = "[hidden], noscript, template"
"""CSS selector of elements that a reader never sees."""

_RECENT: Final = 8
"""Golds and scores that are kept for the next method: scores of all methods are computed page by page.

Most methods give the same text of a page that is alone in its site.
"""

_gold_words: Final = lru_cache(_RECENT)(count_words)
"""As :func:`count_words`; what it returns must not be changed."""

_words: Final = lru_cache(_RECENT)(words)
"""As :func:`words`, for whole pages; what it returns must not be changed."""


class TextScores(NamedTuple):
    """Agreement of an output with a page's main content; all in [0, 1]."""

    precision: float
    """Share of the output's words that are content."""
    recall: float
    """Share of the content's words that the output has."""
    f1: float
    """Harmonic mean of precision and recall."""


class SiteScores(NamedTuple):
    """How much of the content an output keeps, and how much of the rest it removes; all in [0, 1]."""

    kept: float
    """Share of the content's words that the output has."""
    removed: float
    """Share of the words outside the content that the output does not have."""
    f1: float
    """F1 of the output's words: content against words from outside."""


def f1_score(hits: int, missing: int, wrong: int) -> float:
    """Compute F1 from counts; 1 where all counts are 0.

    Parameters
    ----------
    hits
        Words of the gold that the output has.
    missing
        Words of the gold that the output lacks.
    wrong
        Words of the output that are not in the gold.

    Returns
    -------
    float
        ``2 hits / (2 hits + missing + wrong)``.
    """
    total = 2 * hits + missing + wrong
    return 2 * hits / total if total else 1.0


@lru_cache(_RECENT)
def text_scores(output: str, gold: str, neutral: str = "") -> TextScores:
    """Score an output against the main content of its page.

    Words are compared as multisets. A word that occurs twice in the gold and three times in the output
    makes two hits and one wrong word.

    Parameters
    ----------
    output
        Text that an extractor returned.
    gold
        The main content. If it has no words, all scores are 1 where the output has no wrong words either,
        else 0.
    neutral
        Text that is neither content nor template (readers' comments). Surplus words of the output that
        occur here do not count as wrong.

    Returns
    -------
    TextScores
        Precision, recall and F1.

    Examples
    --------
    >>> text_scores("a b b c", gold="a b d")
    TextScores(precision=0.5, recall=0.6666666666666666, f1=0.5714285714285714)
    """
    actual, expected = count_words(output), _gold_words(gold)
    hits = (actual & expected).total()
    wrong = ((actual - expected) - _gold_words(neutral)).total() if neutral else actual.total() - hits
    missing = expected.total() - hits
    if not expected:
        score = 0.0 if wrong else 1.0
        return TextScores(score, score, score)
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    return TextScores(precision, hits / expected.total(), f1_score(hits, missing, wrong))


@lru_cache(_RECENT)
def site_scores(output: str, text: str, outside: str) -> SiteScores:
    """Score an output where the words inside and outside the content are both known.

    The output's words are matched with the content first, as multisets. Surplus words are then matched with
    the words outside. Words in neither (of a title attribute, say) do not count. Let ``hits`` be the words
    of `text` that the output has, ``missing`` those that it lacks, and ``leftover`` its surplus words that
    are in `outside`. Then

    - kept = hits / (hits + missing), 1 where the content has no words;
    - removed = 1 - leftover / words outside, 1 where there are none outside;
    - F1 = 2 hits / (2 hits + missing + leftover).

    Parameters
    ----------
    output
        Text that an extractor returned.
    text
        The words inside the page's content.
    outside
        The words elsewhere on the page.

    Returns
    -------
    SiteScores
        Kept, removed and F1.

    Examples
    --------
    >>> site_scores("home story told", text="story told well", outside="home about")
    SiteScores(kept=0.6666666666666666, removed=0.5, f1=0.6666666666666666)
    """
    actual, expected, unwanted = count_words(output), _gold_words(text), _gold_words(outside)
    hits = (actual & expected).total()
    missing = expected.total() - hits
    leftover = ((actual - expected) & unwanted).total()
    kept = hits / expected.total() if expected else 1.0
    removed = 1 - leftover / unwanted.total() if unwanted else 1.0
    return SiteScores(kept, removed, f1_score(hits, missing, leftover))


def values_kept(output: str, visible: str, values: Iterable[str]) -> float | None:
    """Compute the share of the values shown by a page that an output still has.

    A text has a value if the value's words occur in it consecutively. Punctuation, letter case and white
    space do not matter: they differ between ways to write a page as text.

    Parameters
    ----------
    output
        Text that an extractor returned.
    visible
        All visible text of the page. Values that do not occur in it are ignored.
    values
        Values of the page's attributes, for example a price.

    Returns
    -------
    float or None
        The share, in [0, 1]; None where the page shows none of the values.
    """
    actual, page_words = _words(output), _words(visible)
    shown = [value for value in map(words, values) if value and contains_words(page_words, value)]
    return sum(contains_words(actual, value) for value in shown) / len(shown) if shown else None


def snippet_share(output: str, snippets: Iterable[str]) -> float | None:
    """Compute the share of the snippets whose words occur consecutively in an output.

    Parameters
    ----------
    output
        Text that an extractor returned.
    snippets
        Short texts; those without words are ignored.

    Returns
    -------
    float or None
        The share, in [0, 1]; None without snippets.
    """
    needles = [needle for needle in map(words, snippets) if needle]
    if not needles:
        return None
    actual = _words(output)
    return sum(contains_words(actual, needle) for needle in needles) / len(needles)


def account(output: str, gold: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Split the words of an output and its gold into hits, missing words and surplus words.

    Parameters
    ----------
    output
        Text that an extractor returned.
    gold
        The main content.

    Returns
    -------
    tuple of three collections.Counter
        Words in both, words of the gold that the output lacks, words of the output beyond the gold.
    """
    actual, expected = count_words(output), _gold_words(gold)
    return actual & expected, expected - actual, actual - expected


@lru_cache(_RECENT)  # each method's output is compared with it
def visible_text(html: str) -> str:
    """Return all text of a page that a reader may see.

    Parameters
    ----------
    html
        Markup of the page.

    Returns
    -------
    str
        Text of the page without elements that are marked as hidden. Style sheets are not applied.
    """
    return turbohtml.parse(html).remove(_HIDDEN).to_text()
