"""Scores of one page's output against its gold, on multisets of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import turbohtml

from detemplate.labelled.words import contains_words, count_words, words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable


class TextScores(NamedTuple):
    """How well an output agrees with a page's main content; all in [0, 1]."""

    precision: float
    """Share of the output's words that are wanted."""
    recall: float
    """Share of the wanted words that the output has."""
    f1: float
    """Harmonic mean of the two."""


class SiteScores(NamedTuple):
    """How well an output keeps a page's content and drops what surrounds it; all in [0, 1]."""

    kept: float
    """Share of the words of the content that the output has."""
    removed: float
    """Share of the words outside the content that the output does not have."""
    f1: float
    """F1 of keeping the content without the rest."""


def f1_score(hits: int, missing: int, wrong: int) -> float:
    """F1 from counts; 1 where nothing was wanted and nothing wrong was given.

    Parameters
    ----------
    hits
        Wanted words that the output has.
    missing
        Wanted words that it has not.
    wrong
        Unwanted words that it has.

    Returns
    -------
    float
        ``2 hits / (2 hits + missing + wrong)``.
    """
    total = 2 * hits + missing + wrong
    return 2 * hits / total if total else 1.0


def text_scores(output: str, gold: str, neutral: str = "") -> TextScores:
    """Score an output against the main content of its page.

    Words are compared as multisets: a word that the gold has twice and the output three times is
    two hits and one wrong word.

    Parameters
    ----------
    output
        The text that a method gives.
    gold
        The wanted text. Where it has no words, all scores are 1 if the output has none either,
        else 0.
    neutral
        Text that is neither wanted nor unwanted (readers' comments). Words of the output beyond
        the gold that are in it do not count as wrong.

    Returns
    -------
    TextScores
        Precision, recall and F1.

    Examples
    --------
    >>> text_scores("a b b c", gold="a b d")
    TextScores(precision=0.5, recall=0.6666666666666666, f1=0.5714285714285714)
    """
    given, wanted = count_words(output), count_words(gold)
    hits = (given & wanted).total()
    wrong = ((given - wanted) - count_words(neutral)).total() if neutral else given.total() - hits
    missing = wanted.total() - hits
    if not wanted:
        empty = 0.0 if wrong else 1.0
        return TextScores(empty, empty, empty)
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    return TextScores(precision, hits / wanted.total(), f1_score(hits, missing, wrong))


def site_scores(output: str, text: str, outside: str) -> SiteScores:
    """Score an output where the words inside and outside the content are both known.

    The output's words are first accounted to the content, as multisets. What is left over is
    then accounted to the words outside; words in neither (a title attribute, say) do not count.
    With ``hits`` the words of `text` that the output has, ``missing`` those it has not and
    ``leftover`` the words of `outside` that are left in it,

    - kept = hits / (hits + missing), 1 where the content has no words;
    - removed = 1 - leftover / words outside, 1 where there are none outside;
    - F1 = 2 hits / (2 hits + missing + leftover).

    Parameters
    ----------
    output
        The text that a method gives.
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
    given, wanted, unwanted = count_words(output), count_words(text), count_words(outside)
    hits = (given & wanted).total()
    missing = wanted.total() - hits
    leftover = ((given - wanted) & unwanted).total()
    kept = hits / wanted.total() if wanted else 1.0
    removed = 1 - leftover / unwanted.total() if unwanted else 1.0
    return SiteScores(kept, removed, f1_score(hits, missing, leftover))


def values_intact(output: str, visible: str, values: Iterable[str]) -> bool | None:
    """Tell whether an output still has every value that its page shows.

    A value is in a text when its words occur there in a row, so that punctuation, letter case and
    white space (which differ between ways to render a page as text) do not matter.

    Parameters
    ----------
    output
        The text that a method gives.
    visible
        All of the page's visible text. Values that are not in it are not asked for.
    values
        Values of the page's attributes, for example a price.

    Returns
    -------
    bool or None
        True where no value was lost; None where the page shows none, so that there was nothing to
        lose and nothing is known.
    """
    given, shown = words(output), words(visible)
    asked = [found for found in map(words, values) if found and contains_words(shown, found)]
    return all(contains_words(given, value) for value in asked) if asked else None


def snippet_share(output: str, snippets: Iterable[str]) -> float | None:
    """Share of some snippets that are in an output, each as words in a row.

    Parameters
    ----------
    output
        The text that a method gives.
    snippets
        Short texts; those without words are not looked for.

    Returns
    -------
    float or None
        The share, or None where there is nothing to look for.
    """
    asked = [found for found in map(words, snippets) if found]
    if not asked:
        return None
    given = words(output)
    return sum(contains_words(given, snippet) for snippet in asked) / len(asked)


def account(output: str, gold: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Split words into those that agree, those that are lost and those that are too many.

    Parameters
    ----------
    output
        The text that a method gives.
    gold
        The wanted text.

    Returns
    -------
    tuple of three collections.Counter
        Words in both, wanted words that the output has not, words of the output beyond the gold.
    """
    given, wanted = count_words(output), count_words(gold)
    return given & wanted, wanted - given, given - wanted


_INVISIBLE = "[hidden], noscript, template"


def visible_text(html: str) -> str:
    """Give all the text of a page that a reader may see.

    Parameters
    ----------
    html
        The page.

    Returns
    -------
    str
        Its text without what is marked as hidden. Style sheets are not applied.
    """
    return turbohtml.parse(html).remove(_INVISIBLE).to_text()
