"""A query's terms, and how they are found in text: one rule for pages, pagelets and windows around links."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from detemplate.errors import UserError

_QUOTED: Final = re.compile(r'"([^"]*)"|(\S+)')
_NO_WORD: Final = r"[^\p{L}\p{M}\p{N}_]"
_NO_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""Scripts that write no spaces between words (Thai to Han), and Hangul, which joins particles to words."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or several that must follow each other.

    Attributes
    ----------
    words
        The words: letters, marks, digits and underscores only.
    """

    words: tuple[str, ...]

    @property
    def body(self) -> str:
        """A regular expression (RE2) of the words themselves."""
        return f"{_NO_WORD}+".join(self.words)

    @property
    def whole(self) -> bool:
        """Whether only whole words match; false where the script writes no spaces."""
        return not any(map(_NO_SPACES.search, self.words))

    def count(self, text: str) -> str:
        """Give an SQL expression that counts this term's matches in the SQL expression ``text``.

        RE2 has no look-around, and a match must not use up the character that the next one begins
        with: runs of neighbouring matches are taken whole, and counted within.
        """
        runs = text
        if self.whole:
            run = f"(?i)(?:^|{_NO_WORD}){self.body}(?:{_NO_WORD}{self.body})*(?:$|{_NO_WORD})"
            runs = f"array_to_string(regexp_extract_all({text}, '{run}'), ' ')"
        found = f"len(regexp_extract_all({runs}, '(?i){self.body}'))"
        return f"CASE WHEN {self.may_match(text)} THEN {found} ELSE 0 END"

    def may_match(self, text: str) -> str:
        """Give an SQL condition that holds wherever the term occurs, five times as fast as an exact one."""
        return f"regexp_matches({text}, '(?i){self.body}')"

    def matches(self, text: str) -> str:
        """Give an SQL condition: this term occurs in the SQL expression ``text``."""
        if not self.whole:
            return self.may_match(text)
        exact = f"regexp_matches({text}, '(?i)(?:^|{_NO_WORD}){self.body}(?:$|{_NO_WORD})')"
        return f"CASE WHEN {self.may_match(text)} THEN {exact} ELSE false END"


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for.

    A term is what stands between spaces, or between double quotes. It is one or more words (runs of
    letters, marks, digits and underscores), which must follow each other; other characters do not
    count, so that ``node.js`` is the words *node* and *js*. Case does not count (Unicode's simple
    case folding). Words match whole words; in scripts without spaces between words, any part of the
    text. A text matches a query if every term occurs in it.

    Attributes
    ----------
    text
        As given.
    terms
        Its terms, without repetitions.
    """

    text: str
    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: str) -> Query:
        """Read a query.

        Raises
        ------
        UserError
            No letter and no digit in it.
        """
        chunks = (quoted or plain for quoted, plain in _QUOTED.findall(unicodedata.normalize("NFC", text)))
        terms = {tuple(map(str.casefold, words)): Term(words) for words in map(_words, chunks) if words}
        if not terms:
            raise UserError(f"the query {text!r} has no words")
        return cls(text, tuple(terms.values()))

    def matches(self, text: str) -> str:
        """Give an SQL condition: every term occurs in the SQL expression ``text``."""
        return " AND ".join(f"({term.matches(text)})" for term in self.terms)

    def count(self, text: str) -> str:
        """Give an SQL expression that counts the matches of all terms in ``text``."""
        return " + ".join(f"({term.count(text)})" for term in self.terms)


def _words(chunk: str) -> tuple[str, ...]:
    kept = (char if char == "_" or unicodedata.category(char)[0] in "LMN" else " " for char in chunk)
    return tuple("".join(kept).split())
