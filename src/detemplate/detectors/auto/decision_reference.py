"""Smoothing, and the scores in the end, uncompiled: this defines what the kernel computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.isotonic import smooth_leaves
from detemplate.algorithms.sigmoid import sigmoid

if TYPE_CHECKING:
    import numpy.typing as npt

    Bytes = npt.NDArray[np.uint8]
    Floats = npt.NDArray[np.float32]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

# The kernel reads these constants from _decision.pxd.
STEPS: Final = 15
"""Smoothing rounds templateness to multiples of 1 / 15."""

SPREAD: Final = 0.49
"""Segments of one section still differ by up to this share of a step; below half, to keep the order."""

REPEATED_PENALTY: Final = 4.0
"""Penalty multiplier for separating repeated segments from surrounding content."""

HALF: Final = 0.5
"""Above this page-only probability a segment looks like content."""

TINY: Final = 1e-6
"""Least distance of a content probability from 0 and 1 in the end."""


def smoothed(  # noqa: PLR0917  # as in the kernel
    odds: Reals,
    alone: Reals,
    share: Reals,
    group: Rows,
    above: Rows,
    weight: Reals,
    penalty: float,
    content: Reals,
) -> None:
    """Fill ``content``; arguments as of the face. There are at least two segments, and there is a penalty."""
    scored, repeated = sigmoid(odds), share > 0
    content[:] = smooth_tree(group, above, scored, weight, penalty)
    likely = repeated & (alone > HALF)
    template = repeated & ~likely
    content[template] = np.minimum(content, scored)[template]
    if likely.any():
        apart = smooth_tree(group, above, scored, weight, REPEATED_PENALTY * penalty)
        content[likely] = np.maximum(content, apart)[likely]


def smooth_tree(group: Rows, above: Rows, content: Reals, weight: Reals, penalty: float) -> Reals:
    """Smooth probabilities over the tree of grouping elements.

    Regularised isotonic regression (Chakrabarti, Kumar, Punera 2007, section 4): the templateness of a group
    is at most that of what it holds, and each node that differs from the group around it costs ``penalty``.

    Parameters
    ----------
    group
        Number of the nearest grouping element around each segment, -1 for none.
    above
        Number of the grouping element around each of these, lower than its own; -1 for none.
    content
        Content probability of each segment.
    weight
        Weight of each segment's error.
    penalty
        Penalty for each section; 0 leaves the probabilities as they are.
    """
    if not penalty or len(group) < 2:
        return content
    smoothed = 1 - smooth_leaves(above, group, 1 - content, weight, penalty=penalty, steps=STEPS)
    # Within a section the order that the forests gave stays, and no section is moved past another.
    return np.asarray(smoothed + (content - smoothed) * (SPREAD / STEPS))


def finished(content: Reals, cut: float, kept: Bytes, removed: Bytes, scores: Floats) -> None:
    """Fill ``scores``, and change ``content``; arguments as of the face."""
    content[kept > 0] = 1
    content[removed > 0] = 0
    np.clip(content, TINY, 1 - TINY, out=content)
    template = (1 - content) * cut
    scores[:] = template / (template + content * (1 - cut))
