"""The reference of the subtree kernel: hashes of subtrees, and values inherited from ancestors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page.columns import ELEMENT, TEXT, mix

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns

_BITS_64: Final = (1 << 64) - 1
"""Mask of the low 64 bits."""

_NAME: Final = re.compile(rb"[^ >]+")
"""Name in a canonical start tag, behind its ``<``."""


def loose_hashes(canonical: bytes, columns: Columns, texts: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Hash subtrees by tag names and texts alone: children before parents, last child first.

    Parameters
    ----------
    canonical, columns
        Of the page.
    texts
        Hashes of the texts, one entry a row; only those of segments are read.

    Returns
    -------
    array of uint64
        One entry a row; 0 for comments, scripts and other unseen nodes.
    """
    hashes = [0] * len(columns)
    for row in range(len(columns) - 1, -1, -1):
        if columns.kind[row] == ELEMENT:
            name = _NAME.match(canonical, int(columns.start[row]) + 1)
            key = xxhash.xxh64_intdigest(name[0] if name else b"")
            hashes[row] = mix((key + (int(columns.tag[row]) >> 14)) & _BITS_64, hashes[row])
        elif columns.kind[row] == TEXT:
            hashes[row] = int(texts[row])
        else:
            continue
        parent = int(columns.parent[row])
        if parent >= 0:
            hashes[parent] = mix(hashes[parent], hashes[row])
    return np.array(hashes, np.uint64)


def inherit(parent: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> None:
    """Raise each value to the greatest of its row's ancestors, in place."""
    for row, above in enumerate(parent.tolist()):
        if above >= 0:
            values[row] = max(values[row], values[above])
