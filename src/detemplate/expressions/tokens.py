r"""Tokens of documents, and the pieces of expressions that match them (Foschini 2007, sections 3.2 and 3.4).

An expression has to match the text that it was mined from, in any engine. So white space is ASCII white
space, and all sets of characters are written out. A vertical tab is part of a token, because RE2's ``\s``
does not match it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from detemplate.algorithms.tokenmatch import split
from detemplate.errors import UserError
from detemplate.expressions.charsets import (
    characters_of,
    closed,
    escape,
    inverse,
    matches_within,
    overlap,
    repeated_set,
    write_set,
)
from detemplate.expressions.mutable import Mutable, Varying, default_mutables
from detemplate.expressions.safety import danger, linear

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEFAULT_TOKEN: Final = r"\S+"
"""The default expression of a token."""

_ESCAPED: Final = re.compile(r"\\x([0-9a-f]{2})|\\(.)", re.DOTALL)


class Tokenizer:
    r"""Splits text into tokens and gives the regular expression of each.

    ``token``: expression of a token. Tokens are its matches, from left to right, which do not overlap.
    ``separator``: expression of what is between tokens. By default it is derived from a ``token`` of the form
        ``[set]+``: ``\S+`` gives ``\s+``, ``\w+`` gives ``[^0-9A-Z_a-z]+``.
    ``mutables``: patterns of what varies. The first one that matches a whole token replaces it; else those
        that match parts of it replace these (:class:`~detemplate.expressions.mutable.Varying`). A shipped
        pattern that shares characters with the separator is replaced by its core. A user's pattern that
        matches separators joins the tokens that it matches to one. Patterns of parts and of several tokens
        need a derived separator.
    ``token``, ``separator``: the expressions in use. A separator that is not of the form ``[set]+`` is put
        into a group.
    ``derived``: whether the separator is the one derived from the token.
    ``mutables``: the patterns in use.
    ``spanning``: the expressions of those that match several tokens.
    Raises UserError: an expression is invalid, not safe (:func:`~detemplate.expressions.safety.danger`) or
        matches the empty string, the separator cannot be derived, or a mutable pattern is not safe next to
        the separator.
    Raises MissingExtra: the token or the separator is not of the form ``[set]+``, or a pattern matches
        several tokens, and RE2 is not installed.

    Examples
    --------
    >>> tokenizer = Tokenizer()
    >>> [tokenizer.piece(token) for token in tokenizer.split(b"hello! I'm 24")]
    ['hello!', "I'm", '[,.]*[0-9][0-9,.]*']
    """

    def __init__(
        self,
        token: str = DEFAULT_TOKEN,
        separator: str | None = None,
        mutables: Sequence[Mutable] | None = None,
    ) -> None:
        self.token = token
        _check(token, "the token")
        found = repeated_set(token)
        if separator is not None:
            _check(separator, "the separator", empty=True)
            self.separator = separator if _is_closed(separator) else f"(?:{separator})"
        elif found is None:
            raise UserError(
                f"cannot derive the separator of tokens from {token!r}, which is not of the form [set]+: "
                "give --separator"
            )
        else:
            self.separator = write_set(inverse(found)) + "+"
        self.derived = found is not None and self.separator == write_set(inverse(found)) + "+"
        self._inside = found if self.derived else None  # the characters of tokens
        given = default_mutables() if mutables is None else mutables
        self.mutables = tuple(suited for each in given if (suited := self._suited(each)) is not None)
        between = inverse(self._inside) if self._inside is not None else ()
        expressions = [mutable.expression for mutable in self.mutables]
        self.spanning = tuple(each for each in expressions if overlap(characters_of(each), between))
        self._find = self._finder()
        self._varying = Varying(expressions, self._inside, set(self.spanning))
        if self.spanning:
            self._tokens, self._find = self._find, self._joined
            self._spans = linear("|".join(f"(?:{each})" for each in self.spanning))
            self._one = searcher(token)

    def _suited(self, mutable: Mutable) -> Mutable | None:
        """Return a pattern, or its core, that is safe next to the separator; None if no shipped one is."""
        why: str | None = "is empty"
        spanning: Mutable | None = None
        for expression in map(closed, filter(None, (mutable.expression, mutable.core))):
            why = danger(self.separator.join([expression] * 2))
            if self.separator in expression and not self.derived:
                why = "contains the separator"
            if why is None:
                suited = replace(mutable, expression=expression)
                if self._inside is None or matches_within(expression, self._inside):
                    return suited
                spanning = spanning or suited
        if mutable in default_mutables():
            return None
        if spanning is not None:
            return spanning
        raise UserError(
            f"the expression of the mutable pattern {mutable.name!r}, repeated with the separator "
            f"{self.separator} in between, {why}"
        )

    def _finder(self) -> Callable[[bytes], list[bytes]]:
        """Return the fastest function that splits UTF-8 text into tokens."""
        if self.separator == r"\s+" and self.derived:
            return split
        pattern = searcher(self.token)
        if self.derived and isinstance(pattern, re.Pattern):
            return pattern.findall
        return self._slow(pattern, searcher(self.separator))

    def _slow(self, pattern: Any, separator: Any) -> Callable[[bytes], list[bytes]]:  # noqa: ANN401
        """Return a function that splits text, and checks what is between tokens."""
        known: set[bytes] = set()

        def find(text: bytes) -> list[bytes]:
            spans = [match.span() for match in pattern.finditer(text)]
            gaps = {text[a:b] for (_, a), (b, _) in pairwise(spans)}
            if spans:
                gaps.update(gap for gap in (text[: spans[0][0]], text[spans[-1][1] :]) if gap)
            for gap in gaps - known:
                if not separator.fullmatch(gap):
                    raise UserError(
                        f"{gap.decode('utf-8', 'replace')[:50]!r} stands between tokens, but the separator "
                        f"{self.separator} does not match it: expressions would not match their own text; "
                        "give another --separator"
                    )
            if len(known) < 1 << 16:
                known.update(gaps)
            return [text[a:b] for a, b in spans]

        return find

    def _joined(self, text: bytes) -> list[bytes]:
        """Split text; tokens that a pattern of several tokens matches, in whole or in part, stay together."""
        found: list[bytes] = []
        at = 0
        for match in self._spans.finditer(text):
            start, stop = match.span()
            if start < at or not self._varying.is_whole(text, start, stop):
                continue
            inner = self._tokens(text[start:stop])
            if (
                len(inner) < 2
                or not text.startswith(inner[0], start)
                or not text.endswith(inner[-1], 0, stop)
            ):
                continue
            before, after = self._tokens(text[at:start]), b""
            if before and text.endswith(before[-1], 0, start):
                start -= len(before.pop())
            if (token := self._one.search(text, stop)) is not None and token.start() == stop:
                after = token.group()
            found += before
            at = stop + len(after)
            found.append(text[start:at])
        return found + self._tokens(text[at:])

    def split(self, text: bytes) -> list[bytes]:
        """Return the tokens of UTF-8 text, in order."""
        return self._find(text)

    def varying(self, token: bytes) -> str | None:
        """Return the expression of a token that varies, in whole or in part; None if it does not."""
        return self._varying(token)

    def is_of_one_token(self, piece: str) -> bool:
        """Tell whether all that a piece matches has characters of tokens alone; False for invalid ones."""
        try:
            return self._inside is not None and not overlap(characters_of(piece), inverse(self._inside))
        except (re.error, OverflowError, RecursionError, ValueError):
            return False

    def is_spanning(self, piece: str) -> bool:
        """Tell whether a piece of an expression matches several tokens."""
        return any(expression in piece for expression in self.spanning)

    def piece(self, token: bytes) -> str:
        """Return the expression of a token: that of what varies in it, else the escaped token."""
        varying = self.varying(token)
        return escape(token.decode("utf-8", "replace")) if varying is None else varying


def literal_of(piece: str) -> str | None:
    """Undo :func:`~detemplate.expressions.charsets.escape`.

    Returns: the token; None if the piece is not escaped text.
    """
    if piece.isalnum():
        return piece
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], piece)
    return text if escape(text) == piece else None


def _is_closed(separator: str) -> bool:
    """Tell whether a separator is a repeated set or a group, which no escaped token can contain."""
    if repeated_set(separator) is not None:
        return True
    try:
        return separator.startswith("(?:") and separator.endswith(")") and bool(re.compile(separator[3:-1]))
    except re.error:  # two groups, "(?:a)|(?:b)"
        return False


def searcher(expression: str) -> Any:  # noqa: ANN401  # RE2 has no types
    """Compile the expression of a token or a separator for UTF-8 text, in which it searches in linear time.

    Raises MissingExtra: the expression is not of the form ``[set]+``, and RE2 is not installed.
    """
    if repeated_set(expression) is not None and expression.isascii() and "\\x" not in expression:
        # A set of ASCII characters, or the opposite of one, finds the same tokens in UTF-8 as in text.
        return re.compile(expression.encode(), re.ASCII)
    return linear(expression)


def _check(expression: str, what: str, *, empty: bool = False) -> None:
    """Refuse an invalid or dangerous expression, and one that matches the empty string, unless ``empty``."""
    try:
        re.compile(expression, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise UserError(f"{what} {expression!r} is not a valid regular expression: {error}") from error
    why = danger(f"-(?:{expression})" if empty else expression)
    if why is not None:
        raise UserError(f"{what} {expression!r} {why}; it must not")
