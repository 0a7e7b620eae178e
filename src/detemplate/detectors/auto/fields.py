"""Fields: places that a site's pages keep for what is new on each of them, like titles, names, prices, dates.

The forests of method ``auto`` learnt from running text and take a price or a name beside a picture for
decoration. A site that has been seen tells better: nearly all of its pages have the field, and nearly each
has something else in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.decision import RUNNING

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

OTHERS: Final = 7
"""Other pages that must be known before anything is a field."""

SHARE: Final = 0.8
"""Share of the other pages that have a field."""

MOSTLY: Final = 0.8
OFTEN: Final = 0.5
"""Share of these on which there is something new in it; the lower one for a single text that no other has."""

SAME: Final = 12
"""Texts that a field has on the page at most: more are a list."""

WORDS: Final = 25
LINKED_WORDS: Final = 6
"""Words in it at most, and in a link: longer ones point to other pages."""

LEAST: Final = 0.08
"""How much of content it looks by the page alone at least."""

FEWEST: Final = 4
"""Fields that a page has at least: a record has several, a manual's page only the name of its chapter."""

RECORD: Final = 6
PROSE: Final = 40
"""A record has so many fields, and no more words of running text for each of them. There, more is a field."""

RECORD_LEAST: Final = 0.04
"""What looks so much of content;"""

LISTED: Final = 60
LISTED_LEAST: Final = 0.2
"""places of so many texts, like a table of figures, which look so much of content;"""

SHARED: Final = 0.5
SHARED_LEAST: Final = 0.1
"""what is new on :data:`OFTEN` of the pages, on a smaller share of others, and looks so much of content."""

_CONTENT: Final = 0.5

RECORD_SHARE: Final = 0.1
RECORD_NEWS: Final = 0.1
RECORD_LINKED: Final = 5
RECORD_PLAIN: Final = 100
"""What :func:`records` asks for: shares, and texts that a place has on the page at most."""


class Places(NamedTuple):
    """What is known of the places of a page's segments; columns of one row a segment.

    Attributes
    ----------
    slots
        Share of the site's other pages that have the segment's slot.
    news
        Share of these on which it had something new.
    own
        Share of the other pages that have the segment itself.
    same
        Texts in the slot on this page.
    linked
        Whether the segment is in a link.
    words
        Words of the segment.
    alone
        How much of content it looks by the page alone, in [0, 1].
    """

    slots: Reals
    news: Reals
    own: Reals
    same: npt.NDArray[np.floating]
    linked: Bools
    words: npt.NDArray[np.integer]
    alone: Reals


def fields(places: Places, others: int) -> Bools:
    """Tell which segments fill a field; none on a page with less than :data:`FEWEST`.

    Parameters
    ----------
    places
        Of the page's segments.
    others
        Number of the site's other pages; below :data:`OTHERS` nothing is a field.
    """
    if others < OTHERS:
        return np.zeros(len(places.news), np.bool_)
    here = places.slots >= SHARE
    short = places.words <= np.where(places.linked, LINKED_WORDS, WORDS)
    few, mostly = places.same <= SAME, places.news >= MOSTLY
    once = (places.own == 0) & (places.same == 1)
    fresh = here & short & few & (mostly | (once & (places.news >= OFTEN))) & (places.own < 1)
    found = fresh & (places.alone >= LEAST)
    count = np.count_nonzero(found)
    if count < FEWEST:
        return np.zeros(len(places.news), np.bool_)
    prose = int(places.words[(places.alone > _CONTENT) & (places.words >= RUNNING)].sum())
    if count < RECORD or prose > PROSE * count:
        return np.asarray(found)
    listed = mostly & (places.same <= LISTED) & (places.alone >= LISTED_LEAST)
    shared = few & (places.news >= OFTEN) & (places.own < SHARED) & (places.alone >= SHARED_LEAST)
    return np.asarray(found | (fresh & (places.alone >= RECORD_LEAST)) | (here & short & (listed | shared)))


def records(places: Places, others: int) -> Bools:
    """Tell which segments stand where the site has something new now and then: fields, and much more.

    Parameters as for :func:`fields`.
    """
    if others < OTHERS:
        return np.zeros(len(places.news), np.bool_)
    few = places.same <= np.where(places.linked, RECORD_LINKED, RECORD_PLAIN)
    now_and_then = few & (places.news >= RECORD_NEWS) & (places.slots >= RECORD_SHARE)
    return now_and_then | fields(places, others)
