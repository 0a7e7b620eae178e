"""Mutable patterns: tokens that vary while the template around them does not (Foschini 2007, section 3.3).

A date in a header makes the header of every page a different string. So before strings are counted, each
token that is a date, a number, an address … is replaced by the strictest expression that matches it.

The thesis replaces mutable patterns in the text, before it is split into tokens. So the session number in the
link of a menu is replaced, though it is a part of a token.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from detemplate.errors import UserError
from detemplate.expressions.charsets import characters_of, escape, first_characters, inverse, overlap
from detemplate.expressions.safety import danger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.expressions.charsets import Ranges

_LISTS: Final = "examples and counterexamples"


@dataclass(frozen=True, slots=True)
class Mutable:
    """A pattern of tokens that vary.

    ``name``: a name for people to read.
    ``expression``: matches such a token as a whole. ASCII classes are written out, so that it means the same
        in every engine.
    ``examples``: tokens that it matches, and no shipped pattern before it.
    ``counterexamples``: tokens that it does not match.
    ``core``: a stricter expression, for tokens that are words without punctuation; empty for none.
    """

    name: str
    expression: str
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    core: str = ""


@cache
def default_mutables() -> tuple[Mutable, ...]:
    """Return the thesis's sixteen patterns (section 5.2), the strictest first."""
    text = resources.files("detemplate.expressions").joinpath("mutable.toml").read_text(encoding="utf-8")
    return parse_mutables(text, "mutable.toml")


def read_mutables(path: str | Path) -> tuple[Mutable, ...]:
    """Read a user's patterns, which come before the shipped ones.

    ``path``: a TOML file: ``[[mutable]]`` tables with ``name``, ``expression`` and, optionally, ``examples``
        (which must match), ``counterexamples`` (which must not match) and ``core``.
    Returns: the file's patterns, then the shipped ones.
    Raises UserError: the file cannot be read, or an entry is wrong. The message has the entry's line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UserError(f"cannot read the mutable patterns in {path}: {why}; check the file") from error
    return parse_mutables(text, str(path)) + default_mutables()


def parse_mutables(text: str, name: str) -> tuple[Mutable, ...]:
    """Read mutable patterns from TOML text; messages call it ``name``.

    Raises UserError: as for :func:`read_mutables`.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name} is no TOML: {error}") from error
    entries = data.get("mutable")
    if not isinstance(entries, list) or set(data) != {"mutable"} or not entries:
        raise UserError(f"{name} must hold [[mutable]] tables and nothing else")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == "[[mutable]]"]
    found = []
    for number, entry in enumerate(entries):
        # Lines are known only if the tables are written as [[mutable]]; otherwise the entry is named by
        # number.
        place = f"line {lines[number]}" if len(lines) == len(entries) else f"entry {number + 1}"
        found.append(_checked(entry, f"{name}, {place}"))
    return tuple(found)


def _checked(entry: Any, place: str) -> Mutable:  # noqa: ANN401
    """Make a pattern of an entry, or refuse it; ``place`` says where the entry is."""
    known = {"name", "expression", "examples", "counterexamples", "core"}
    if not isinstance(entry, dict) or not {"name", "expression"} <= set(entry) <= known:
        raise UserError(f"{place}: a mutable pattern has name and expression, and may have {_LISTS}, core")
    name, expression, core = entry["name"], entry["expression"], entry.get("core", "")
    lists = [entry.get(key, []) for key in ("examples", "counterexamples")]
    if not (
        all(isinstance(text, str) for text in (name, expression, core))
        and all(isinstance(each, list) and all(isinstance(token, str) for token in each) for each in lists)
    ):
        raise UserError(f"{place}: name, expression and core must be text, {_LISTS} lists of text")
    why = danger(expression) or (danger(core) if core else None)
    if why is not None:
        raise UserError(f"{place}: the expression of {name!r} {why}")
    mutable = Mutable(name, expression, tuple(lists[0]), tuple(lists[1]), core)
    matches = re.compile(expression, re.ASCII).fullmatch
    _refuse(place, name, "does not match its example", (t for t in mutable.examples if not matches(t)))
    _refuse(place, name, "matches its counterexample", (t for t in mutable.counterexamples if matches(t)))
    return mutable


def _refuse(place: str, name: str, what: str, tokens: Iterable[str]) -> None:
    """Raise an error about the first of some tokens, if there is one."""
    for token in tokens:
        raise UserError(f"{place}: the expression of {name!r} {what} {token!r}")


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
