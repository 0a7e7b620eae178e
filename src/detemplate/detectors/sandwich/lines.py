"""The sandwich algorithm for lines of any text (Rowlands, Thomas, Wan: ADCS 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from detemplate.algorithms.lcs import common

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

T = TypeVar("T", bound="Hashable")
"""The class of a text's lines, such as str or bytes."""


def sandwich(lines: Sequence[T], peer_lines: Sequence[T]) -> list[T]:
    """Remove the lines of a text that it shares with a peer (Rowlands et al. 2009, section 3).

    The function parses nothing and works on any text.

    Parameters
    ----------
    lines
        The text's lines: strings, bytes or any hashable objects.
    peer_lines
        The peer's lines; empty if there is no peer.

    Returns
    -------
    list
        ``lines`` without those in a longest common subsequence of both. Lines are compared by equality. Of
        texts that are long after their equal ends were set aside
        (:data:`~detemplate.algorithms.lcs.LONGEST`), the subsequence may not be the longest.

    Raises
    ------
    TypeError
        A whole text is given instead of its lines.

    Examples
    --------
    >>> sandwich(["<nav>", "One", "</nav>"], ["<nav>", "Two", "</nav>"])
    ['One']
    """
    if isinstance(lines, str | bytes) or isinstance(peer_lines, str | bytes):
        raise TypeError("sandwich() takes lists of lines: call splitlines() on a text first")
    numbers: dict[T, int] = {}
    first, second = (
        np.array([numbers.setdefault(line, len(numbers)) for line in side], np.uint64)
        for side in (lines, peer_lines)
    )
    shared = common(first, second).tolist()
    return [line for line, is_shared in zip(lines, shared, strict=True) if not is_shared]
