"""What varies in a token, and the expression that stands for it (Foschini 2007, section 3.3).

The thesis replaces mutable patterns in the text, before it is split into tokens. So the session number in the
link of a menu is replaced, though it is a part of a token.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from detemplate.errors import UserError
from detemplate.expressions.charsets import characters_of, escape, first_characters, inverse, overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.expressions.charsets import Ranges

LONGEST: Final = 1000
"""Characters of the longest token whose parts are compared with patterns: the time may be quadratic."""

_WORD: Final = ((48, 57), (65, 90), (97, 122))
"""Letters and digits. A part of a token without any is no pattern: dashes are in many words."""

_WORDS: Final = re.compile(r"[0-9A-Za-z]")

_EDGE: Final = r"(?:(?<![0-9A-Za-z])|(?![0-9A-Za-z]))"  # matches where no word of letters and digits is cut

_Span = tuple[int, int, str]  # begin, end and expression of a part of a token


class Part(NamedTuple):
    """A pattern of parts of tokens."""

    expression: str
    """The expression."""
    pattern: re.Pattern[str]
    """The expression, compiled."""
    others: re.Pattern[str]
    """Matches a character that the pattern cannot match."""
    first: Ranges
    """Characters that matches begin with."""

    @classmethod
    def of(cls, expression: str) -> Part:
        """Make the pattern of an expression."""
        others = _outside(characters_of(expression))
        return cls(expression, re.compile(expression, re.ASCII), others, first_characters(expression))


def _outside(ranges: Ranges) -> re.Pattern[str]:
    """Compile an expression of one character that is not in a set."""
    others = inverse(ranges)
    members = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in others)
    return re.compile(f"[{members}]" if members else "(?!)")


class Varying:
    """Gives tokens that vary their expressions.

    ``expressions``: the mutable patterns.
    ``inside``: characters of tokens, where the separator is the opposite set; None: only whole tokens vary.
    ``spanning``: those of the patterns that match several tokens.
    Raises UserError: the patterns cannot be used together.

    Notes
    -----
    The first pattern that matches a whole token stands for it. Else the parts of the token that patterns
    match are replaced, from left to right: of the parts that begin first, the longest, and of these that of
    the first pattern. A part cuts no word: next to a letter at its edge stands no letter, digit or
    underscore, next to a digit no letter or digit of ASCII. It has a letter or a digit. Between two parts
    stands a character that the former cannot match, so that no engine can divide a text in two ways.
    """

    def __init__(
        self, expressions: Sequence[str], inside: Ranges | None, spanning: Iterable[str] = ()
    ) -> None:
        groups = "|".join(f"(?P<_{number}>{each})" for number, each in enumerate(expressions))
        try:
            self._whole = re.compile(groups, re.ASCII).fullmatch if groups else None
        except re.error as error:
            raise UserError(f"the mutable patterns cannot be used together: {error}") from error
        spanning = tuple(spanning)
        self._made_of = expressions, inside, spanning
        self._expressions = expressions
        self._spanning = [(each, re.compile(each, re.ASCII)) for each in spanning]
        within = [each for each in expressions if inside is not None and each not in spanning]
        within = [each for each in within if overlap(characters_of(each), _WORD)]
        self._parts = [Part.of(each) for each in within]
        any_of = "|".join(f"(?:{each})" for each in within) or "(?!)"
        self._begins = re.compile(f"{_EDGE}(?:{any_of}){_EDGE}", re.ASCII)  # where a part may begin
        self._beginning: dict[str, list[Part]] = {}  # by an ASCII character: those that can begin with it

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), self._made_of

    def __call__(self, token: bytes) -> str | None:
        """Return the expression of a token in UTF-8; None if it does not vary."""
        text = token.decode("utf-8", "replace")
        match = self._whole(text) if self._whole is not None else None
        if match is not None:
            # The named groups are numbered from 0; the outermost group closes last.
            return self._expressions[int(str(match.lastgroup)[1:])]
        if len(text) > LONGEST:
            return None
        spanned = self._spanned(text) if self._spanning else None
        return self._of_parts(text) if spanned is None and self._parts else spanned

    def _spanned(self, token: str) -> str | None:
        """Return the expression of tokens that a pattern of several tokens has joined."""
        for expression, pattern in self._spanning:
            match = pattern.search(token)
            if match is not None and re.search(r"\s", match.group()):
                return escape(token[: match.start()]) + expression + escape(token[match.end() :])
        return None

    def _of_parts(self, text: str) -> str | None:
        """Return the expression of a token of which parts vary."""
        spans = self._spans(text)
        if not spans:
            return None
        written: list[str] = []
        at = 0
        for start, stop, expression in spans:
            written += (escape(text[at:start]), expression)
            at = stop
        written.append(escape(text[at:]))
        return "".join(written)

    def _parts_beginning(self, character: str) -> list[Part]:
        """Return the patterns that can begin with a character."""
        known = self._beginning.get(character)
        if known is None:
            code = ord(character)
            known = [part for part in self._parts if overlap(part.first, ((code, code),))]
            if code < 128:
                self._beginning[character] = known
        return known

    def _spans(self, token: str) -> list[_Span]:
        """Find the parts of a token that vary."""
        spans: list[_Span] = []
        at = stop = 0
        parting: re.Pattern[str] | None = None
        while (match := self._begins.search(token, stop)) is not None:
            start, stop = match.start(), match.start() + 1
            found: Part | None = None
            for part in self._parts_beginning(token[start]):
                span = part.pattern.match(token, start)
                if (
                    span is not None
                    and span.end() > stop - (found is None)
                    and _is_whole(token, start, span.end())
                ):
                    stop, found = span.end(), part
            if found is not None and (parting is None or parting.search(token, at, start) is not None):
                spans.append((start, stop, found.expression))
                at, parting = stop, found.others
        return spans

    def is_whole(self, text: bytes, start: int, stop: int) -> bool:
        """Tell whether a part of UTF-8 text cuts no word, and has a letter or a digit."""
        near = text[max(0, start - 4) : stop + 4].decode("utf-8", "replace")
        before = len(text[max(0, start - 4) : start].decode("utf-8", "replace"))
        after = len(text[stop : stop + 4].decode("utf-8", "replace"))
        return _is_whole(near, before, len(near) - after)


def _is_whole(text: str, start: int, stop: int) -> bool:
    """Tell whether a part cuts no word, and has a letter or a digit."""
    return (
        _parted(text[start - 1 : start] if start else "", text[start])
        and _parted(text[stop : stop + 1], text[stop - 1])
        and _WORDS.search(text, start, stop) is not None
    )


def _parted(beside: str, edge: str) -> bool:
    """Tell whether an edge of a part stands apart from the character beside it."""
    if edge.isdigit():
        # Chinese and Japanese write numbers and words together.
        return not beside.isalnum() or not beside.isascii()
    return not edge.isalpha() or not (beside.isalnum() or beside == "_")
