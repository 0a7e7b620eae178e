"""Which segments are fields, uncompiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.decision import RUNNING_WORDS

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bytes = npt.NDArray[np.uint8]

# The kernel reads these constants from _fields.pxd.
SLOT_SHARE: Final = 0.8
"""Minimum share of the other pages that have a field's slot."""

NEW_SHARE: Final = 0.8
"""Minimum share of the pages with the slot on which it held something new."""

SINGLE_NEW_SHARE: Final = 0.5
"""The same for a slot with one segment on this page, which no other page has."""

MAX_TEXTS: Final = 12
"""Maximum segments of a field's slot on this page: more are a list."""

MAX_WORDS: Final = 25
"""Maximum words of a field's segment."""

MAX_LINKED_WORDS: Final = 6
"""Maximum words of a field's segment in a link: longer ones point to other pages."""

MIN_CONTENT: Final = 0.08
"""Minimum page-only content probability."""

MIN_FIELDS: Final = 4
"""Minimum fields of a page that has any: a record has several, a manual's page only its chapter's name."""

RECORD_FIELDS: Final = 6
"""Minimum unlinked fields of a record, with :data:`RECORD_CONTENT`. On records, more segments are fields."""

RECORD_PROSE: Final = 80
"""Maximum words of running text of a record for each of its fields."""

RECORD_TEXTS: Final = 24
"""Maximum segments of a record field's slot on this page."""

RECORD_CONTENT: Final = 0.008
"""Minimum page-only content probability for a record field."""

LIST_TEXTS: Final = 60
"""Maximum segments of a record field's slot with :data:`LIST_CONTENT`, like a table of figures."""

LIST_CONTENT: Final = 0.04
"""Minimum page-only content probability for a record field with many segments."""

SHARED_SEGMENT: Final = 0.5
"""A record field new on half of the pages has a segment that less than this share of the other pages have."""

SHARED_CONTENT: Final = 0.02
"""Minimum page-only content probability for a record field that is new on half of the pages."""

ARTICLE_CONTENT: Final = 0.04
"""Minimum page-only content probability of a field on a site of articles."""

ARTICLE_FIELDS: Final = 8
"""On a site of articles, a page with fewer unlinked fields has only fields that are alone in their slot."""

CONTENT: Final = 0.5
"""Above this page-only probability a segment counts as content."""


def fields(  # noqa: PLR0917  # as in the kernel
    slot_share: Reals,
    slot_new: Reals,
    segment_share: Reals,
    slot_texts: npt.NDArray[np.float32],
    is_linked: Bytes,
    words: npt.NDArray[np.int32],
    page_content: Reals,
    article: bool,
    found: Bytes,
) -> None:
    """Mark the segments that are fields.

    Parameters
    ----------
    slot_share, slot_new, segment_share, slot_texts, is_linked, words, page_content
        As in :class:`~detemplate.detectors.auto.fields.FieldFeatures`.
    article
        Whether the site is one of articles.
    found
        One entry a segment.
    """
    linked = is_linked.view(np.bool_)
    common = slot_share >= SLOT_SHARE
    short = words <= np.where(linked, MAX_LINKED_WORDS, MAX_WORDS)
    mostly_new = slot_new >= NEW_SHARE
    single_new = (segment_share == 0) & (slot_texts == 1) & (slot_new >= SINGLE_NEW_SHARE)
    candidates = common & short & (mostly_new | single_new) & (segment_share < 1)
    least = ARTICLE_CONTENT if article else MIN_CONTENT
    strict = candidates & (slot_texts <= MAX_TEXTS) & (page_content >= least)
    single = strict & (slot_texts == 1) & (np.count_nonzero(strict) >= MIN_FIELDS)
    if article:
        many = np.count_nonzero(strict & ~linked) >= ARTICLE_FIELDS
        found[:] = strict if many else single & ~linked
        return
    few = slot_texts <= RECORD_TEXTS
    faint = candidates & few & (page_content >= RECORD_CONTENT)
    count = np.count_nonzero(faint & ~linked)
    prose = int(words[(page_content > CONTENT) & (words >= RUNNING_WORDS)].sum())
    if count < RECORD_FIELDS or prose > RECORD_PROSE * count:
        found[:] = single
        return
    listed = mostly_new & (slot_texts <= LIST_TEXTS) & (page_content >= LIST_CONTENT)
    shared = few & (slot_new >= SINGLE_NEW_SHARE) & (segment_share < SHARED_SEGMENT)
    shared &= page_content >= SHARED_CONTENT
    found[:] = faint | (common & short & (listed | shared))
