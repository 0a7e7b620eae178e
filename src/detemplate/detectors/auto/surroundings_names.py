"""What is measured around a segment: names of the columns, and constants.

The kernel reads them from ``_around.pxd``.
"""

from __future__ import annotations

from typing import Final

from detemplate.features.segment import LEVELS

NEAR: Final = 3
"""Blocks before and after the segment's block whose means are taken."""

WINDOWS: Final = (10, 30)
"""Segments before and after the segment over which means are taken: two windows."""

LEAST: Final = 0.3
"""Added to a segment's words to give its weight, so that none weighs nothing."""

NONE: Final = -1.0
"""Stands for a mean over nothing."""

HALF: Final = 0.5
"""Content probability above which a segment counts as content."""

UNSURE_WITHIN: Final = 0.3
"""A segment is unsure if its content probability is nearer than this to :data:`HALF`."""

STRONG: Final = 0.7
"""A segment is strong if its content probability is above this, and it is long enough."""

STRONG_WORDS: Final = 8
"""Minimum number of words of a strong segment."""

FAR: Final = 999
"""Maximum of distances, in segments; also where there is no strong segment."""

TINY: Final = 1e-9
"""Minimum of a sum that others are divided by."""

LEAD: Final = (
    "content",
    "content words",
    "content share",
    "highest",
    "unsure",
    "pure",
    "content before",
    "words before",
    "words after",
    "strong before",
    "strong after",
    *(f"part level {level}" for level in range(LEVELS)),
)
"""Names of the columns of :meth:`~detemplate.detectors.auto.surroundings.Surroundings.lead`.

``content`` is a segment's own content probability. ``content words`` to ``pure`` are about the whole page:
weight of the content, its share of all weight, the highest probability, the share of unsure segments, and
the share of the content's weight that is in segments above :data:`HALF`. ``content before`` is the share of
the content's weight before the segment; ``words before`` and ``words after`` are this weight before and from
the segment on. ``strong before`` and ``strong after`` are distances to the nearest strong segment, in
segments. ``part level`` is the share of the content's weight inside each group around the segment.
"""


def mean_names(name: str) -> list[str]:
    """Name the columns of :meth:`~detemplate.detectors.auto.surroundings.Surroundings.means`.

    Parameters
    ----------
    name
        Name of the column whose means are taken.
    """
    return [
        *(f"{name} level {level}" for level in range(LEVELS)),
        *(f"{name} block {step:+d}" for step in range(-NEAR, NEAR + 1)),
        *(f"{name} window {window}" for window in WINDOWS),
        f"{name} slot",
    ]


SUMMARIES: Final = ("repeated", "frequent", "repeated content", "frequent content", "highest share")
"""Names of columns with one value a page, from the shares of the site's other pages that have each segment.

``repeated`` and ``frequent`` are the shares of the page's weight in segments that some other pages have, and
that a :data:`HALF` of them have; with ``content``, shares of the content's weight.
"""
