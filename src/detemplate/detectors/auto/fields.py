"""Fields: slots of a site that hold something new on each page, like titles, names, prices and dates.

The forests of method ``auto`` learnt from running text and take a price, or a name beside a picture, for
template. The site's other pages tell better: nearly all of them have the slot, and nearly each has another
text in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto import fields_reference
from detemplate.detectors.auto.fields_reference import ARTICLE_SITE, MAX_WORDS, MIN_FIELDS, RECORD_FIELDS
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

__all__ = [
    "ARTICLE_SITE", "KERNEL", "MAX_WORDS", "MIN_FIELDS", "RECORD_FIELDS", "FieldFeatures", "fields",
    "is_record", "likely_fields", "records",
]  # fmt: skip

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._fields")
"""The kernel; None where it was not compiled."""

MIN_PAGES: Final = 7
"""Minimum number of other pages; with fewer there are no fields."""

LEAST_ODDS: Final = -3.3
"""Minimum log-odds, by page, site and slots, of a field that may be a teaser."""

LOOSE_SLOT_SHARE: Final = 0.1
"""Minimum share of the other pages that have the slot, for :func:`records`."""

LOOSE_NEW_SHARE: Final = 0.1
"""Minimum share of the pages with the slot on which it held something new, for :func:`records`."""

LOOSE_PAGES: Final = 2
"""Minimum number of other pages, for :func:`records`."""

LOOSE_LINKED_TEXTS: Final = 5
"""Maximum segments in links of a slot on this page, for :func:`records`."""

LOOSE_TEXTS: Final = 100
"""Maximum segments outside of links of a slot on this page, for :func:`records`."""


class FieldFeatures(NamedTuple):
    """What the rules for fields use; columns with one value a segment.

    Attributes
    ----------
    slot_share
        Share of the site's other pages that have the segment's slot.
    slot_new
        Share of these on which the slot held something new.
    segment_share
        Share of the other pages that have the segment.
    slot_texts
        Segments in the slot on this page.
    linked
        Whether the segment is in a link.
    words
        Words of the segment.
    page_content
        Page-only content probability.
    """

    slot_share: Reals
    slot_new: Reals
    segment_share: Reals
    slot_texts: npt.NDArray[np.floating]
    linked: Bools
    words: npt.NDArray[np.integer]
    page_content: Reals


def is_record(filled: Bools, linked: Bools, long: float) -> bool:
    """Tell whether a page is a record: it has unlinked fields, on a site of no articles.

    Parameters
    ----------
    filled, linked
        Which segments are fields, and which are in links.
    long
        Share of the site's pages with long running text.
    """
    return long < ARTICLE_SITE and int(np.count_nonzero(filled & ~linked)) >= RECORD_FIELDS


def fields(features: FieldFeatures, others: int, long: float = 0.0) -> Bools:
    """Tell which segments are fields; none on a page with less than :data:`MIN_FIELDS`.

    Parameters
    ----------
    features
        Of the page's segments.
    others
        Number of the site's other pages.
    long
        Share of the site's pages with long running text. On a site of articles, what is new in a slot of
        several segments is mostly a teaser, and no page is a record.
    """
    f = features
    if others < MIN_PAGES:
        return np.zeros(len(f.words), np.bool_)
    kernel = fields_reference if KERNEL is None else KERNEL
    found = np.zeros(len(f.words), np.uint8)
    kernel.fields(
        f.slot_share, f.slot_new, f.segment_share, np.asarray(f.slot_texts, np.float32),
        f.linked.view(np.uint8), np.asarray(f.words, np.int32), f.page_content, long >= ARTICLE_SITE, found,
    )  # fmt: skip
    return found.view(np.bool_)


def likely_fields(odds: Reals, linked: Bools, slot_texts: npt.NDArray[np.floating], long: float) -> Bools:
    """Tell which segments may be fields by their log-odds.

    Lists of teasers are new on every page, too, but their slots look like template on all pages. A text
    outside of links is a field whatever its log-odds; on a site of articles, if it is alone in its slot.

    Parameters
    ----------
    odds
        Log-odds by the page, its site and the site's slots.
    linked
        Which segments are in links.
    slot_texts
        Segments in each segment's slot on this page.
    long
        Share of the site's pages with long running text.
    """
    sure = ~linked & (slot_texts == 1) if long >= ARTICLE_SITE else ~linked
    return np.asarray(sure | (odds >= LEAST_ODDS))


def records(features: FieldFeatures, others: int, long: float = 0.0) -> Bools:  # noqa: ARG001  # as for fields
    """Tell which segments are fields, or in slots that hold something new now and then.

    Parameters as for :func:`fields`; the kind of the site does not matter.
    """
    if others < LOOSE_PAGES:
        return np.zeros(len(features.words), np.bool_)
    few = features.slot_texts <= np.where(features.linked, LOOSE_LINKED_TEXTS, LOOSE_TEXTS)
    loose = few & (features.slot_new >= LOOSE_NEW_SHARE) & (features.slot_share >= LOOSE_SLOT_SHARE)
    return loose | fields(features, others)
