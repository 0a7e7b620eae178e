"""Headings whose sections stay: they stay with what they head, as "Return value" on each page of a manual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.auto import headings_reference
from detemplate.kernels import compiled
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._headings")
"""The kernel; None where it was not compiled."""

MAX_WORDS: Final = 15
"""Maximum words of a heading."""

SECTION_WORDS: Final = 8
"""Minimum words that stay in its section."""

SECTION_SHARE: Final = 0.5
"""Minimum share of the section's words that stay."""

LEAST_ODDS: Final = -3.0
"""Minimum log-odds, by page, site and slots, of a heading that is not surely template."""

_HEADINGS: Final = tags.marked({1: "h1 h2 h3 h4 h5 h6"}, np.uint8)
"""Marks the tags of headings."""

_LIMITS: Final = MAX_WORDS, SECTION_WORDS, SECTION_SHARE, LEAST_ODDS
"""When a heading stays."""


def section_headings(
    page: Page, kept: Bools, words: npt.NDArray[np.integer], odds: npt.NDArray[np.float64]
) -> Bools:
    """Tell which segments are headings that go, while their sections stay.

    A section is what follows a heading, up to the next heading, inside the lowest element around the heading
    that has anything behind it.

    Parameters
    ----------
    page
        The page.
    kept
        Which segments are kept.
    words
        Words of each segment.
    odds
        Log-odds of each segment, by the page, its site and the site's slots.
    """
    raised = np.zeros(len(kept), np.bool_)
    columns = page.columns
    kernel = headings_reference if KERNEL is None else KERNEL
    kernel.raise_headings(
        columns.tag, columns.parent, columns.end, columns.segments, _HEADINGS, kept.view(np.uint8),
        np.ascontiguousarray(words, np.int32), odds, *_LIMITS, raised.view(np.uint8),
    )  # fmt: skip
    return raised
