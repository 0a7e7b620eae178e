"""The scores of a page as a small drawing, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

CONTENT: Final = "#1a73e8"
"""Colour of content."""

TEMPLATE: Final = "#d05f06"
"""Colour of template."""

_BINS: Final = 20

_HEIGHT: Final = 40

_WIDTH: Final = 12


def score_chart(scores: npt.NDArray[np.float32], threshold: float) -> str:
    """Draw a histogram of scores, with the threshold, as SVG.

    ``scores``: templateness of each segment, in [0, 1].
    ``threshold``: segments that score above are template.
    """
    counts, _ = np.histogram(scores, _BINS, (0.0, 1.0))
    most = max(int(counts.max(initial=0)), 1)
    width = _BINS * _WIDTH
    bars = []
    for number, count in enumerate(counts.tolist()):
        # The square root shows small bars beside large ones.
        height = round(_HEIGHT * (count / most) ** 0.5)
        colour = TEMPLATE if (number + 0.5) / _BINS > threshold else CONTENT
        bars.append(
            f'<rect x="{number * _WIDTH}" y="{_HEIGHT - height}" width="{_WIDTH - 2}" height="{height}" '
            f'fill="{colour}"><title>{count:,} texts with scores from {number / _BINS:.2f} to '
            f"{(number + 1) / _BINS:.2f}</title></rect>"
        )
    at = round(threshold * width, 1)
    label = f"{len(scores):,} texts by score, from 0 (content) to 1 (template); threshold {threshold:.2f}"
    bottom = _HEIGHT + 4
    line = f'<line x1="{at}" x2="{at}" y1="0" y2="{bottom}" stroke="currentColor" stroke-dasharray="3 2"/>'
    drawn = "".join(bars) + line
    return (
        f'<svg width="{width}" height="{bottom}" role="img" aria-label="{label}">{drawn}</svg>'
        f'<div style="font-size:85%">{label}</div>'
    )
