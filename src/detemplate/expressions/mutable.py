"""Mutable patterns: tokens that vary while the template around them does not (Foschini 2007, section 3.3).

A date in a header makes the header of every page a different string. So before strings are counted, each
token that is a date, a number, an address … is replaced by the strictest expression that matches it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.expressions.safety import danger

if TYPE_CHECKING:
    from collections.abc import Iterable

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
