"""Words, as the scores of extracted texts count them."""

from __future__ import annotations

from detemplate.algorithms.wordscores import count_words, recent_words, words

__all__ = ["contains_words", "count_words", "recent_words", "words"]


def contains_words(haystack: list[str], needle: list[str]) -> bool:
    """Tell whether `needle` is a run of consecutive words of `haystack`; an empty one always is.

    >>> contains_words(words("Price: $11,995 now"), words("$11,995"))
    True
    """
    if not needle:
        return True
    # A space is never part of a word: padded strings compare whole words.
    return f" {' '.join(needle)} " in f" {' '.join(haystack)} "
