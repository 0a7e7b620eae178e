"""Fields: slots of a site that hold something new on each page, like titles, names, prices and dates.

The forests of method ``auto`` learnt from running text and take a price, or a name beside a picture, for
template. The site's other pages tell better: nearly all of them have the slot, and nearly each has another
text in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto import fields_reference
from detemplate.detectors.auto.fields_reference import MAX_WORDS, MIN_FIELDS, RECORD_FIELDS
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

__all__ = [
    "ARTICLE_SITE", "KERNEL", "MAX_WORDS", "MIN_FIELDS", "RECORD_FIELDS", "FieldFeatures", "fields",
    "is_record", "likely_fields", "of_articles", "records",
]  # fmt: skip

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._fields")
"""The kernel; None where it was not compiled."""

MIN_PAGES: Final = 3
"""Minimum number of other pages; with fewer there are no fields."""

MANY_PAGES: Final = 7
"""With fewer other pages, only what is alone in its slot and in no link is a field."""

ARTICLE_SITE: Final = 0.7
"""Minimum share of a site's pages with long running text, for a site of articles."""

ARTICLE_PROSE: Final = 0.75
"""Minimum mean share of running text in the pages' content: so is a site of short news a site of articles."""

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


def of_articles(long: float, prose: float) -> bool:
    """Tell whether a site is one of articles: what is new in a slot of several segments is mostly a teaser.

    Parameters
    ----------
    long
        Share of the site's pages with long running text.
    prose
        Mean share of running text in the expected content of a page.
    """
    return long >= ARTICLE_SITE or prose >= ARTICLE_PROSE


def is_record(filled: Bools, linked: Bools, *, articles: bool) -> bool:
    """Tell whether a page is a record: it has unlinked fields, on a site of no articles.

    Parameters
    ----------
    filled, linked
        Which segments are fields, and which are in links.
    articles
        Whether the site is one of articles.
    """
    return not articles and int(np.count_nonzero(filled & ~linked)) >= RECORD_FIELDS


def fields(features: FieldFeatures, others: int, *, articles: bool = False) -> Bools:
    """Tell which segments are fields; none on a page with less than :data:`MIN_FIELDS`.

    On a page that is no record, what is new in a slot of several segments is mostly a list of other pages,
    like the chapters before and after a manual's page: only what is alone in its slot is a field. So it is
    where few other pages are known, on which a list of teasers is new each time.

    Parameters
    ----------
    features
        Of the page's segments.
    others
        Number of the site's other pages.
    articles
        Whether the site is one of articles: no page of it is a record.
    """
    f = features
    if others < MIN_PAGES:
        return np.zeros(len(f.words), np.bool_)
    kernel = fields_reference if KERNEL is None else KERNEL
    found = np.zeros(len(f.words), np.uint8)
    kernel.fields(
        f.slot_share, f.slot_new, f.segment_share, np.asarray(f.slot_texts, np.float32),
        f.linked.view(np.uint8), np.asarray(f.words, np.int32), f.page_content, articles, found,
    )  # fmt: skip
    fields = found.view(np.bool_)
    if others < MANY_PAGES:
        fields &= ~f.linked & (f.slot_texts == 1)
        if np.count_nonzero(fields) < MIN_FIELDS:
            fields[:] = False
    return fields


def likely_fields(
    odds: Reals, linked: Bools, slot_texts: npt.NDArray[np.floating], *, articles: bool
) -> Bools:
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
    articles
        Whether the site is one of articles.
    """
    sure = ~linked & (slot_texts == 1) if articles else ~linked
    return np.asarray(sure | (odds >= LEAST_ODDS))


def records(features: FieldFeatures, others: int, *, articles: bool = False) -> Bools:  # noqa: ARG001
    """Tell which segments are fields, or in slots that hold something new now and then.

    Parameters as for :func:`fields`; the kind of the site does not matter.
    """
    if others < LOOSE_PAGES:
        return np.zeros(len(features.words), np.bool_)
    few = features.slot_texts <= np.where(features.linked, LOOSE_LINKED_TEXTS, LOOSE_TEXTS)
    loose = few & (features.slot_new >= LOOSE_NEW_SHARE) & (features.slot_share >= LOOSE_SLOT_SHARE)
    return loose | fields(features, others)
