"""Fields: slots of a site that hold something new on each page, like titles, names, prices and dates.

The forests of method ``auto`` learnt from running text and take a price, or a name beside a picture, for
template. The site's other pages tell better: nearly all of them have the slot, and nearly each has another
text in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.decision import RUNNING_WORDS

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

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
    found = _many_fields(f, articles=articles)
    if others < MANY_PAGES:
        found &= ~f.linked & (f.slot_texts == 1)
        if np.count_nonzero(found) < MIN_FIELDS:
            found[:] = False
    return found


def _many_fields(f: FieldFeatures, *, articles: bool) -> Bools:
    """Tell which segments are fields, as if many other pages were known."""
    common = (f.slot_share >= SLOT_SHARE) & (f.words <= np.where(f.linked, MAX_LINKED_WORDS, MAX_WORDS))
    if not np.count_nonzero(common):
        return np.zeros(len(f.words), np.bool_)
    alone, mostly_new = f.slot_texts == 1, f.slot_new >= NEW_SHARE
    single_new = (f.segment_share == 0) & alone & (f.slot_new >= SINGLE_NEW_SHARE)
    candidates: Bools = common & (mostly_new | single_new) & (f.segment_share < 1)
    least = ARTICLE_CONTENT if articles else MIN_CONTENT
    strict: Bools = candidates & (f.slot_texts <= MAX_TEXTS) & (f.page_content >= least)
    single: Bools = strict & alone & (np.count_nonzero(strict) >= MIN_FIELDS)
    if articles:
        many = np.count_nonzero(strict & ~f.linked) >= ARTICLE_FIELDS
        found: Bools = strict if many else single & ~f.linked
        return found
    few = f.slot_texts <= RECORD_TEXTS
    faint = candidates & few & (f.page_content >= RECORD_CONTENT)
    count = np.count_nonzero(faint & ~f.linked)
    prose = int(f.words[(f.page_content > CONTENT) & (f.words >= RUNNING_WORDS)].sum())
    if count < RECORD_FIELDS or prose > RECORD_PROSE * count:
        return single
    listed = mostly_new & (f.slot_texts <= LIST_TEXTS) & (f.page_content >= LIST_CONTENT)
    shared = few & (f.slot_new >= SINGLE_NEW_SHARE) & (f.segment_share < SHARED_SEGMENT)
    shared &= f.page_content >= SHARED_CONTENT
    record: Bools = faint | (common & (listed | shared))
    return record


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
