"""Shares of the site's other pages that have what each segment of a page is and is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.segment import LEVELS

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

SHARE_NAMES: Final = (
    "segment pages", "segment share", "text share",
    *(f"group share level {level}" for level in range(LEVELS)),
    "slot share", "slot pages", "slot content", "slot news",
)  # fmt: skip
"""Names of the columns of :attr:`SiteShares.table`."""

UNKNOWN: Final = -1.0
"""Stands for a share of no pages."""

_SEGMENT_PAGES, _SEGMENT_SHARE, _TEXT_SHARE = (
    SHARE_NAMES.index(name) for name in ("segment pages", "segment share", "text share")
)
"""Columns about the segment and its text."""

_SLOT_SHARE, _SLOT_PAGES, _SLOT_CONTENT, _SLOT_NEW = (
    SHARE_NAMES.index(name) for name in ("slot share", "slot pages", "slot content", "slot news")
)
"""Columns about the segment's slot."""

_GROUP_SHARES: Final = slice(_TEXT_SHARE + 1, _SLOT_SHARE)
"""Columns of the shares of the groups around the segment, one a level."""


@dataclass(frozen=True, slots=True)
class SiteShares:
    """How often the site's other pages have what each segment of a page is and is in.

    Each column is a view: writing to it writes to the table.

    Attributes
    ----------
    pages
        Number of other pages of the site.
    table
        segments × :data:`SHARE_NAMES`, float64; all :data:`UNKNOWN` if there are no other pages.
    """

    pages: int
    table: Reals

    @property
    def segment_pages(self) -> Reals:
        """Number of other pages with the segment (same path and text)."""
        return self.table[:, _SEGMENT_PAGES]

    @property
    def segment_share(self) -> Reals:
        """Share of the other pages with the segment (same path and text)."""
        return self.table[:, _SEGMENT_SHARE]

    @property
    def text_share(self) -> Reals:
        """Share of the other pages with the segment's text, anywhere."""
        return self.table[:, _TEXT_SHARE]

    @property
    def group_shares(self) -> Reals:
        """Share of the other pages with each group around the segment; segments × levels, 0 for no group."""
        return self.table[:, _GROUP_SHARES]

    @property
    def slot_share(self) -> Reals:
        """Share of the other pages with the segment's slot."""
        return self.table[:, _SLOT_SHARE]

    @property
    def slot_pages(self) -> Reals:
        """Number of other pages with the segment's slot."""
        return self.table[:, _SLOT_PAGES]

    @property
    def slot_content(self) -> Reals:
        """Of the other pages with the slot, the share on which it looks like content by the page alone."""
        return self.table[:, _SLOT_CONTENT]

    @property
    def slot_new(self) -> Reals:
        """Of the other pages with the slot, the share on which it had a segment that no earlier page has."""
        return self.table[:, _SLOT_NEW]

    @classmethod
    def unknown(cls, pages: int, segments: int) -> SiteShares:
        """Give a table in which all is :data:`UNKNOWN`, to be filled."""
        table = np.empty((segments, len(SHARE_NAMES)))
        table.fill(UNKNOWN)
        return cls(pages, table)
