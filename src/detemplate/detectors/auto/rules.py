"""The rules by which segments are kept, or removed, whatever their probability: each is a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.comments import readers_comments
from detemplate.detectors.auto.headings import section_headings
from detemplate.detectors.auto.headline import LEAST_ODDS, headline, own_titles, shown_again
from detemplate.detectors.auto.notes import notes_referred_to
from detemplate.detectors.auto.options import DROP, KEEP
from detemplate.page.offers import own_offer

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.options import AutoOptions
    from detemplate.detectors.auto.site import SiteShares
    from detemplate.page.offers import Offer
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Reals = npt.NDArray[np.float64]

REPEATED_WORDS: Final = 8
"""Minimum words of a sentence that is template where the site repeats it; shorter texts may be labels."""

REPEATED_PAGES: Final = 3
"""Minimum number of other pages of a site that tell what it repeats."""

REPEATED_SHARE: Final = 0.5
"""Minimum share of the other pages with a repeated sentence, anywhere."""

OFFER_PAGES: Final = 3
"""Minimum number of other pages that tell whether a shown price is the page's own."""

OFFER_SHARE: Final = 0.5
"""Least share of the other pages with a shown price, in the same place, that makes it the site's."""


class Judged(NamedTuple):
    """What the rules know of a page's segments.

    Attributes
    ----------
    kept
        Which are kept by their probabilities.
    fields
        Which are fields.
    odds
        Log-odds by page, site and slots.
    linked
        Which are in links.
    words
        Words of each.
    shares
        What the site's other pages have.
    doubtful
        Whether a title may be one that the site takes for template: the page is no record, and its site none
        of articles.
    """

    kept: Bools
    fields: Bools
    odds: Reals
    linked: Bools
    words: npt.NDArray[np.integer]
    shares: SiteShares
    doubtful: bool


class Ruled(NamedTuple):
    """Which segments rules keep or remove.

    Attributes
    ----------
    fields, offered, headings, notes, titles
        Kept: as fields, as the offer of the page's own product, as headings of sections that stay, as notes
        to which a text refers that stays, and as the page's title.
    again, commented, repeated
        Removed: the title, which the page shows once more, readers' comments, and sentences that most pages
        of the site have.
    """

    fields: Bools
    offered: Bools
    headings: Bools
    notes: Bools
    titles: Bools
    again: Bools
    commented: Bools
    repeated: Bools

    @classmethod
    def of(cls, page: Page, judged: Judged, options: AutoOptions) -> Ruled:
        """Apply all rules that the options ask for."""
        kept, fields, odds, linked, words, shares, doubtful = judged
        offered, titled, again, commented = np.zeros((4, len(kept)), np.bool_)
        repeated = kept & _sentences(words, shares)
        kept = kept & ~repeated
        if options.comments == DROP:
            commented = readers_comments(page, kept, words)
            kept = kept & ~commented
        fields = fields & ~kept
        stay, share = kept | fields, shares.segment_share
        titles = own_titles(page, share, shares.pages)
        offer = own_offer(page, titles)
        if len(offer.stated) or len(offer.shown):
            offered = _offered(offer, shares, stay)
            stay |= offered
        if options.title == KEEP and titles:
            likely = [one for one in titles if odds[one] >= LEAST_ODDS] if doubtful else titles
            title = headline(likely, stay, words, share, shares.pages)
            if title is not None:
                titled[title] = stay[title] = True
            shown = shown_again(titles, kept, linked, words, share)
            if shown:
                again[shown] = True
        headings = section_headings(page, stay, words, odds)
        stay |= headings
        notes = notes_referred_to(page, stay)
        return cls(fields, offered, headings, notes, titled, again, commented, repeated)

    @property
    def kept(self) -> Bools:
        """Which segments rules keep."""
        return self.fields | self.offered | self.headings | self.notes | self.titles

    @property
    def removed(self) -> Bools:
        """Which segments rules remove, whatever else keeps them."""
        return self.again | self.commented | (self.repeated & ~self.titles)


def _sentences(words: npt.NDArray[np.integer], shares: SiteShares) -> Bools:
    """Tell which segments are sentences that most of the site's other pages have."""
    if shares.pages < REPEATED_PAGES:
        return np.zeros(len(words), np.bool_)
    return np.asarray((words >= REPEATED_WORDS) & (shares.text_share >= REPEATED_SHARE))


def _offered(offer: Offer, shares: SiteShares, kept: Bools) -> Bools:
    """Tell which segments that are not kept show the page's own product."""
    offered = np.zeros(len(kept), np.bool_)
    offered[offer.shown] = True
    if shares.pages >= OFFER_PAGES:
        offered &= shares.segment_share < OFFER_SHARE
    offered[offer.stated] = True
    return offered & ~kept
