"""The second level: what is mined from many collections is idiom, not template (Foschini 2007, 3.3).

Template strings are frequent within a site, but differ between sites, "unlike recurrent expressions …
which will appear often regardless the site". As in the thesis, whole expressions are compared: "as much as"
in one collection and "as much as the" in another are two.
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
"""With fewer collections, what several share is no evidence: two sites may be one publisher's."""
DEFAULT_SHARE: Final = 0.1


def amount(text: str, option: str) -> float | int:
    """Read a share (``0.5``, ``50%``) as float, or a number (``20``) as int.

    Raises
    ------
    UserError
        It is neither, or not above 0, or a share is above 1.
    """
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text) if "." in text else int(text)
    except ValueError:
        value = 0
    if not value > 0 or (isinstance(value, float) and value > 1):
        raise UserError(f"{option} {text!r} is neither a share (0.5, 50%) nor a number from 1 on")
    return value


def at_least(value: float, total: int) -> int:
    """Give how many of ``total`` a share (float) or a number (int) stands for: 1 at least."""
    return value if isinstance(value, int) else max(1, -int(-value * total // 1))


def idiom_limit(value: float | int | None, collections: int) -> int | None:
    """Give in how many collections an expression must be found to be an idiom.

    Parameters
    ----------
    value
        A share or a number; None for the default, 10 % of the collections, but at least three.
    collections
        How many there are.

    Returns
    -------
    int or None
        None with fewer than three collections: then nothing is dropped.
    """
    if collections < LEAST_COLLECTIONS:
        return None
    if value is None:
        return max(LEAST_COLLECTIONS, at_least(DEFAULT_SHARE, collections))
    return at_least(value, collections)


def count_collections(mined: Iterable[Sequence[Expression]]) -> Counter[str]:
    """Count in how many collections each pattern was mined."""
    counts: Counter[str] = Counter()
    for expressions in mined:
        counts.update({each.pattern for each in expressions})
    return counts


def without_idioms(
    expressions: Iterable[Expression], counts: Counter[str], limit: int | None
) -> list[Expression]:
    """Keep what was found in fewer than ``limit`` collections; note in how many each was.

    Parameters
    ----------
    expressions
        What was mined from one collection.
    counts
        What :func:`count_collections` gave.
    limit
        What :func:`idiom_limit` gave; None keeps all.
    """
    return [
        replace(each, collections=counts[each.pattern])
        for each in expressions
        if limit is None or counts[each.pattern] < limit
    ]
