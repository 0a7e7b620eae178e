"""A query's terms, and SQL that finds them in texts: pages, pagelets and windows around links."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from detemplate.errors import UserError

_QUOTED: Final = re.compile(r'"([^"]*)"|(\S+)')
"""A quoted or unquoted term."""

_NO_WORD: Final = r"[^\p{L}\p{M}\p{N}_]"
"""A character outside of words (RE2)."""

_NO_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""Characters of scripts without spaces between words (Thai to Han), and Hangul with its joined particles."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or several consecutive words.

    Attributes
    ----------
    words
        The words; they have letters, marks, digits and underscores only.
    """

    words: tuple[str, ...]

    @property
    def body(self) -> str:
        """A regular expression (RE2) that matches the words."""
        return f"{_NO_WORD}+".join(self.words)

    @property
    def whole(self) -> bool:
        """Whether only whole words match; False if the script has no spaces between words."""
        return not any(map(_NO_SPACES.search, self.words))

    def count(self, text: str) -> str:
        """Return an SQL expression that counts this term's matches in the SQL expression ``text``.

        RE2 has no look-around, and neighbouring matches share the character between them. So runs of
        neighbouring matches are extracted first, and the matches in them are counted.
        """
        runs = text
        if self.whole:
            run = f"(?i)(?:^|{_NO_WORD}){self.body}(?:{_NO_WORD}{self.body})*(?:$|{_NO_WORD})"
            runs = f"array_to_string(regexp_extract_all({text}, '{run}'), ' ')"
        count = f"len(regexp_extract_all({runs}, '(?i){self.body}'))"
        return f"CASE WHEN {self.may_match(text)} THEN {count} ELSE 0 END"

    def may_match(self, text: str) -> str:
        """Return an SQL condition that holds for all texts with the term; five times as fast as `matches`."""
        return f"regexp_matches({text}, '(?i){self.body}')"

    def matches(self, text: str) -> str:
        """Return an SQL condition: this term occurs in the SQL expression ``text``."""
        if not self.whole:
            return self.may_match(text)
        exact = f"regexp_matches({text}, '(?i)(?:^|{_NO_WORD}){self.body}(?:$|{_NO_WORD})')"
        return f"CASE WHEN {self.may_match(text)} THEN {exact} ELSE false END"


@dataclass(frozen=True, slots=True)
class Query:
    """A query: a text matches it if all its terms occur in the text.

    Terms are separated by spaces, or enclosed in double quotes. A term is one or more consecutive words. A
    word is a run of letters, marks, digits and underscores: ``node.js`` is the words *node* and *js*. Case is
    ignored (Unicode's simple case folding). Words match whole words; in scripts without spaces between
    words, they match any part of the text.

    Attributes
    ----------
    text
        The query as the user wrote it.
    terms
        Its terms, each once.
    """

    text: str
    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: str) -> Query:
        """Parse a query.

        Raises
        ------
        UserError
            The query has no words.
        """
        chunks = (quoted or plain for quoted, plain in _QUOTED.findall(unicodedata.normalize("NFC", text)))
        terms = {tuple(map(str.casefold, words)): Term(words) for words in map(_words, chunks) if words}
        if not terms:
            raise UserError(f"the query {text!r} has no words; write at least one")
        return cls(text, tuple(terms.values()))

    def matches(self, text: str) -> str:
        """Return an SQL condition: all terms occur in the SQL expression ``text``."""
        return " AND ".join(f"({term.matches(text)})" for term in self.terms)

    def count(self, text: str) -> str:
        """Return an SQL expression that counts the matches of all terms in the SQL expression ``text``."""
        return " + ".join(f"({term.count(text)})" for term in self.terms)


def _words(chunk: str) -> tuple[str, ...]:
    """Return the words of a term."""
    kept = (char if char == "_" or unicodedata.category(char)[0] in "LMN" else " " for char in chunk)
    return tuple("".join(kept).split())
