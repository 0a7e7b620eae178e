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

from detemplate.errors import UserError
from detemplate.expressions.charsets import escape, inverse, matches_within, repeated_set, write_set
from detemplate.expressions.mutable import Mutable, default_mutables
from detemplate.expressions.safety import danger, linear

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEFAULT_TOKEN: Final = r"\S+"
"""The default expression of a token."""

_SPLIT_SPACE: Final = re.compile(rb"[^ \t\n\r\f]+").findall
"""Splits text with vertical tabs, at which ``bytes.split`` would split."""

_ESCAPED: Final = re.compile(r"\\x([0-9a-f]{2})|\\(.)", re.DOTALL)
"""An escaped character."""


class Tokenizer:
    r"""Splits text into tokens and gives the regular expression of each.

    Parameters
    ----------
    token
        Expression of a token. Tokens are its matches, from left to right, which do not overlap.
    separator
        Expression of what is between tokens. By default it is derived from a ``token`` of the form
        ``[set]+``: ``\S+`` gives ``\s+``, ``\w+`` gives ``[^0-9A-Z_a-z]+``.
    mutables
        Patterns of tokens that vary. The first one that matches a whole token replaces it. A pattern that
        shares characters with the separator is replaced by its core.

    Attributes
    ----------
    token, separator : str
        The expressions in use. A separator that is not of the form ``[set]+`` is put into a group.
    derived : bool
        Whether the separator is the one derived from the token.
    mutables : tuple of Mutable
        The patterns in use.

    Raises
    ------
    UserError
        An expression is invalid, not safe (:func:`~detemplate.expressions.safety.danger`) or matches the
        empty string, the separator cannot be derived, or a mutable pattern is not safe next to the separator.
    MissingExtra
        The token or the separator is not of the form ``[set]+``, and RE2 is not installed.

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
        self._find = self._finder()
        groups = "|".join(f"(?P<_{n}>{m.expression})" for n, m in enumerate(self.mutables))
        try:
            self._mutable = re.compile(groups, re.ASCII).fullmatch if groups else None
        except re.error as error:
            raise UserError(f"the mutable patterns cannot be used together: {error}") from error

    def _suited(self, mutable: Mutable) -> Mutable | None:
        """Give a pattern that is safe next to the separator and matches tokens: the pattern, or its core.

        None for a shipped pattern without such a core: it is for tokens that contain punctuation.
        """
        why: str | None = "is empty"
        for expression in filter(None, (mutable.expression, mutable.core)):
            why = danger(self.separator.join([expression] * 2))
            if self.separator in expression:
                why = "contains the separator"
            if why is None and self._inside is not None and not matches_within(expression, self._inside):
                why = f"matches no token: all that it matches has characters that no token {self.token} has"
            if why is None:
                return replace(mutable, expression=expression)
        if mutable in default_mutables():
            return None
        raise UserError(
            f"the expression of the mutable pattern {mutable.name!r}, repeated with the separator "
            f"{self.separator} in between, {why}"
        )

    def _finder(self) -> Callable[[bytes], list[bytes]]:
        """Give the fastest function that splits UTF-8 text into tokens."""
        if self.separator == r"\s+" and self.derived:
            return lambda text: text.split() if b"\v" not in text else _SPLIT_SPACE(text)
        pattern = searcher(self.token)
        if self.derived and isinstance(pattern, re.Pattern):
            return pattern.findall
        return self._slow(pattern, searcher(self.separator))

    def _slow(self, pattern: Any, separator: Any) -> Callable[[bytes], list[bytes]]:  # noqa: ANN401
        """Give a function that splits text, and checks what is between tokens."""
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

    def split(self, text: bytes) -> list[bytes]:
        """Give the tokens of UTF-8 text, in order."""
        return self._find(text)

    def mutable(self, token: bytes) -> int:
        """Give the number of the first mutable pattern that matches the whole token; -1 for none."""
        match = self._mutable(token.decode("utf-8", "replace")) if self._mutable else None
        # The named groups are numbered from 0; the outermost group closes last.
        return int(str(match.lastgroup)[1:]) if match else -1

    def piece(self, token: bytes) -> str:
        """Give the expression of a token: its mutable pattern's, else the escaped token."""
        number = self.mutable(token)
        return escape(token.decode("utf-8", "replace")) if number < 0 else self.mutables[number].expression


def literal_of(piece: str) -> str | None:
    """Undo :func:`~detemplate.expressions.charsets.escape`.

    Returns
    -------
    str or None
        The token; None if the piece is not escaped text.
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

    Raises
    ------
    MissingExtra
        The expression is not of the form ``[set]+``, and RE2 is not installed.
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
