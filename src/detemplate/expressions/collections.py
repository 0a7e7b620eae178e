"""The second level: expressions that are mined from many collections are idioms (Foschini 2007, section 3.3).

Template strings are frequent within a site, but differ between sites, "unlike recurrent expressions …
which will appear often regardless the site". As in the thesis, whole expressions are compared: "as much as"
in one collection and "as much as the" in another are two expressions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.expressions.files import Expression

LEAST_COLLECTIONS: Final = 3
"""Minimum number of collections to tell idioms from template: two sites may belong to one publisher."""

DEFAULT_SHARE: Final = 0.1
"""Share of the collections from which on an expression is an idiom, by default."""


def amount(text: str, option: str) -> float | int:
    """Read a share (``0.5``, ``50%``) as float, or a number (``20``) as int.

    ``text``: what the user wrote.
    ``option``: the option's name, for the message.
    Raises UserError: the text is neither, or not above 0, or a share above 1.
    """
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text) if "." in text else int(text)
    except ValueError:
        value = 0
    if not value > 0 or (isinstance(value, float) and value > 1):
        raise UserError(f"{option} {text!r} is neither a share (0.5, 50%) nor a number from 1 on")
    return value


def at_least(value: float, total: int) -> int:
    """Turn a share of ``total`` (float, rounded up) or a number (int) into a number, at least 1."""
    return value if isinstance(value, int) else max(1, -int(-value * total // 1))


def idiom_limit(value: float | int | None, collections: int) -> int | None:
    """Return the number of collections from which on an expression is an idiom.

    ``value``: a share or a number; None for the default: 10 % of the collections, but at least three.
    ``collections``: number of collections.
    Returns: None with fewer than three collections: then nothing is dropped.
    """
    if collections < LEAST_COLLECTIONS:
        return None
    if value is None:
        return max(LEAST_COLLECTIONS, at_least(DEFAULT_SHARE, collections))
    return at_least(value, collections)


def count_collections(mined: Iterable[Sequence[Expression]]) -> Counter[str]:
    """Count the collections that each pattern was mined from."""
    counts: Counter[str] = Counter()
    for expressions in mined:
        counts.update({each.pattern for each in expressions})
    return counts


def without_idioms(
    expressions: Iterable[Expression], counts: Counter[str], limit: int | None
) -> list[Expression]:
    """Keep the expressions of fewer than ``limit`` collections, with their number of collections.

    ``expressions``: expressions of one collection.
    ``counts``: result of :func:`count_collections`.
    ``limit``: result of :func:`idiom_limit`; None keeps all.
    """
    return [
        replace(each, collections=counts[each.pattern])
        for each in expressions
        if limit is None or counts[each.pattern] < limit
    ]
