"""Landmarks: the few elements of a page that rules look for by their tags, found in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.page.columns import Columns

    Landmarks = Mapping[int, Sequence[int]]

LANDMARKS: Final = tags.numbers(
    "audio base body canvas h1 html iframe link meta noscript object script sup template textarea "
    "title video xmp"
)
"""Numbers of the tags of elements that are landmarks."""

# Whether each value of the column ``tag`` is in :data:`LANDMARKS`.
_LANDMARK: Final = np.isin(np.arange(1 << 16), list(LANDMARKS))


def landmarks(columns: Columns) -> Landmarks:
    """Give the rows of a page's landmarks by their tags' numbers; ascending.

    A tag that no element has is missing.
    """
    rows = _LANDMARK[columns.tag].nonzero()[0]  # other nodes than elements have tag 0
    found: dict[int, list[int]] = {}
    for row, number in zip(rows.tolist(), columns.tag[rows].tolist(), strict=True):
        found.setdefault(number, []).append(row)
    return found
