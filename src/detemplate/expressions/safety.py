"""Safety of expressions: valid in all engines, no match of the empty string, no catastrophic backtracking.

A user's expressions run on every page of a crawl: one that backtracks for minutes would stop the run.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from detemplate.errors import MissingExtra, UserError
from detemplate.expressions.ambiguity import Refused, check_ambiguity


def _re2() -> Any:  # noqa: ANN401  # untyped, and an extra
    """Import RE2; None if it is not installed."""
    try:
        import re2  # type: ignore[import-untyped]
    except ImportError:
        return None
    return re2


def linear(expression: str) -> Any:  # noqa: ANN401
    """Compile an expression with RE2, for UTF-8 text: no search takes more than time linear in the text.

    Raises MissingExtra: RE2 is not installed.
    Raises UserError: RE2 cannot read the expression.
    """
    re2 = _re2()
    if re2 is None:
        raise MissingExtra("expressions that are no token sequences", "expressions")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression.encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        raise UserError(f"RE2 cannot read the expression {expression[:80]!r}: {error}") from error


@lru_cache(maxsize=4096)
def danger(expression: str) -> str | None:
    """Say why an expression is not safe.

    ``expression``: read by Python's ``re`` with ``re.ASCII`` and, where it is installed, by RE2.
    Returns: the end of a sentence that begins with "the expression": it is invalid, matches the empty string,
        uses syntax that not every engine has, or can make a backtracking engine spend exponential or
        polynomial time (:mod:`detemplate.expressions.ambiguity`). None for a safe expression.
    """
    try:
        re.compile(expression, re.ASCII)
        width = parser.parse(expression, re.ASCII).getwidth()[0]
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        return f"is invalid: {error}"
    if width == 0:
        return "matches the empty string"
    try:
        check_ambiguity(expression)
    except Refused as refused:
        return str(refused)
    except RecursionError:
        return "is invalid: it is nested too deeply"
    re2 = _re2()
    if re2 is not None:
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 1 << 28
        try:
            re2.compile(expression, options)
        except re2.error as error:
            why = error.args[0] if error.args else error
            return f"is invalid in RE2: {why.decode() if isinstance(why, bytes) else why}"
    return None
