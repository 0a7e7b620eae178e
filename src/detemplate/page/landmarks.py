"""Landmarks: the few elements of a page that rules look for by their tags, found in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.kernels import compiled
from detemplate.page import landmarks_reference, tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.page.columns import Columns

    Landmarks = Mapping[int, Sequence[int]]

KERNEL: Final[Any] = compiled("detemplate.page._landmarks")
"""The kernel; None where it was not compiled."""

LANDMARKS: Final = tags.numbers(
    "audio base body canvas h1 iframe meta noscript object sup textarea title video"
)
"""Numbers of the tags of elements that are landmarks."""

_LANDMARK: Final = np.isin(np.arange(1 << 16), list(LANDMARKS)).view(np.uint8)
"""1 for a value of the column ``tag`` that is in :data:`LANDMARKS`, else 0."""


def landmarks(columns: Columns) -> Landmarks:
    """Give the rows of a page's landmarks by their tags' numbers; ascending.

    A tag that no element has is missing.
    """
    kernel = landmarks_reference if KERNEL is None else KERNEL
    found: Landmarks = kernel.landmarks(columns.tag, _LANDMARK)  # other nodes than elements have tag 0
    return found
