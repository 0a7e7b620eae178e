"""The rules of method ``auto``: what stays or goes whatever its probability.

A *field* is a slot that holds a text of its own on each page of a site, like titles, names, prices and dates.
The forests learnt from running text and take a price, or a name beside a picture, for template. The site's
other pages tell better: nearly all of them have the slot.

Labelled pages disagree on titles and on readers' comments; readers do not, or want to choose. So these are
found by rule, not by a forest.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.intervals import covering
from detemplate.detectors.auto.model import DROP, KEEP
from detemplate.detectors.auto.site import RUNNING_WORDS
from detemplate.page import tags
from detemplate.page.offers import own_offer
from detemplate.page.title import title_candidates

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.model import AutoOptions
    from detemplate.detectors.auto.site import SiteShares
    from detemplate.page.offers import Offer
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Reals = npt.NDArray[np.float64]
SENTENCE_WORDS: Final = 8
"""Minimum words of a sentence; shorter texts may be labels."""

OTHER_PAGES: Final = 3
"""Minimum number of other pages of a site that tell what it repeats, and what is new."""

HALF: Final = 0.5
"""Minimum share of pages, words or texts that is most of them."""

TITLE_WORDS: Final = 2
"""Minimum words of a headline, unless other pages tell that it is no name of the site."""

UNLIKELY: Final = -3.0
"""Log-odds, by page, site and slots, below which a text is surely template."""

HEADING_WORDS: Final = 15
"""Maximum words of a heading."""

_HEADINGS: Final = tags.marked({1: "h1 h2 h3 h4 h5 h6"}, np.uint8)

BESIDE_COMMENTS: Final = 50
"""Minimum words of kept running text beside the comments: without a text, they are what the page says."""

_COMMENTS: Final = re.compile(
    rb'\s(?:class|id)="[^"]*?(?:com{1,2}ent(?!ary|ator)|kom{1,2}ent|disqus|opinie|reacties)', re.IGNORECASE
)
"""An attribute of a canonical start tag that names comments, in the languages of most sites."""

_BLOCKS: Final = np.flatnonzero(tags.FLAGS & tags.BLOCK)

SLOT_SHARE: Final = 0.8
"""Minimum share of the other pages that have a field's slot."""

MAX_TEXTS: Final = 12
"""Maximum segments of a field's slot on this page: more are a list."""

MAX_WORDS: Final = 25
"""Maximum words of a field's segment."""

MAX_LINKED_WORDS: Final = 6
"""Maximum words of a field's segment in a link: longer ones point to other pages."""

MIN_CONTENT: Final = 0.04
"""Minimum page-only content probability of a field."""

VARIETY: Final = 0.4
"""Minimum share of the texts in a field's slot on other pages that are different from each other."""

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
"""Maximum segments of a record field's slot with :data:`MIN_CONTENT`, like a table of figures."""

ARTICLE_FIELDS: Final = 8
"""On a site of articles, a page with fewer unlinked fields has only fields that are alone in their slot."""

MANY_PAGES: Final = 7
"""With fewer other pages, only what is alone in its slot and in no link is a field."""

ARTICLE_SITE: Final = 0.7
"""Minimum share of a site's pages with long running text, for a site of articles."""

ARTICLE_PROSE: Final = 0.75
"""Minimum mean share of running text in the pages' content: so is a site of short news a site of articles."""

LOOSE_SLOT_SHARE: Final = 0.1
"""Minimum share of the other pages that have the slot, for :func:`records`."""

LOOSE_VARIETY: Final = 0.1
"""Minimum variety of the slot's texts, for :func:`records`."""

LOOSE_PAGES: Final = 2
"""Minimum number of other pages, for :func:`records`."""

LOOSE_LINKED_TEXTS: Final = 5
"""Maximum segments in links of a slot on this page, for :func:`records`."""

LOOSE_TEXTS: Final = 100
"""Maximum segments outside of links of a slot on this page, for :func:`records`."""


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
    words: npt.NDArray[np.integer]
    shares: SiteShares
    doubtful: bool


class Ruled(NamedTuple):
    """Which segments rules keep or remove.

    Attributes
    ----------
    fields, offered, headings, titles
        Kept: as fields, as the offer of the page's own product, as headings of sections that stay, and as the
        page's title.
    commented, repeated
        Removed: readers' comments, and sentences that most pages of the site have.
    """

    fields: Bools
    offered: Bools
    headings: Bools
    titles: Bools
    commented: Bools
    repeated: Bools

    @classmethod
    def of(cls, page: Page, judged: Judged, options: AutoOptions) -> Ruled:
        """Apply all rules that the options ask for."""
        kept, fields, odds, words, shares, doubtful = judged
        offered, titled, commented = np.zeros((3, len(kept)), np.bool_)
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
            likely = [one for one in titles if odds[one] >= UNLIKELY] if doubtful else titles
            title = headline(likely, stay, words, share, shares.pages)
            if title is not None:
                titled[title] = stay[title] = True
        headings = section_headings(page, stay, words, odds)
        return cls(fields, offered, headings, titled, commented, repeated)

    @property
    def kept(self) -> Bools:
        """Which segments rules keep."""
        return self.fields | self.offered | self.headings | self.titles

    @property
    def removed(self) -> Bools:
        """Which segments rules remove, whatever else keeps them."""
        return self.commented | (self.repeated & ~self.titles)


def _sentences(words: npt.NDArray[np.integer], shares: SiteShares) -> Bools:
    """Tell which segments are sentences that most of the site's other pages have."""
    if shares.pages < OTHER_PAGES:
        return np.zeros(len(words), np.bool_)
    return np.asarray((words >= SENTENCE_WORDS) & (shares.text_share >= HALF))


def _offered(offer: Offer, shares: SiteShares, kept: Bools) -> Bools:
    """Tell which segments that are not kept show the page's own product."""
    offered = np.zeros(len(kept), np.bool_)
    offered[offer.shown] = True
    if shares.pages >= OTHER_PAGES:
        offered &= shares.segment_share < HALF
    offered[offer.stated] = True
    return offered & ~kept


def own_titles(page: Page, shares: Reals, others: int) -> list[int]:
    """Find the segments that show the page's own title.

    Parameters
    ----------
    page
        The page.
    shares
        Share of the site's other pages that have each segment.
    others
        Number of other pages.

    Returns
    -------
    list of int
        Numbers of the segments that show the longest part of the title that is not the site's name: no
        segment of another part that is shown is on most other pages. Ascending; empty if there is none.
    """
    for number, titles in enumerate(title_candidates(page)):
        own = [title for title in titles if shares[title] < HALF]
        if number == 0 and (others < OTHER_PAGES or own):
            return titles
        if own:
            return own
    return []


def headline(
    titles: list[int],
    kept: Bools,
    words: npt.NDArray[np.integer],
    shares: Reals,
    others: int,
) -> int | None:
    """Choose the segment that is the page's headline.

    Parameters
    ----------
    titles
        Numbers of the segments that show the page's title, ascending: see :func:`own_titles`.
    kept
        Which segments are kept so far.
    words
        Words of each segment.
    shares
        Share of the site's other pages that have each segment.
    others
        Number of other pages.

    Returns
    -------
    int or None
        The last title up to the first kept segment of :data:`SENTENCE_WORDS` words, else the first title.
        None if the page shows no title of its own, or one of them is kept already.
    """
    if any(kept[title] for title in titles):
        return None
    if others >= OTHER_PAGES:
        own = [title for title in titles if shares[title] < HALF]
    else:
        own = [title for title in titles if words[title] >= TITLE_WORDS]
    if not own:
        return None
    body = np.flatnonzero(kept & (words >= SENTENCE_WORDS))
    before = bisect_right(own, body[0]) if len(body) else 1
    return own[max(before - 1, 0)]


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
    columns, segments = page.columns, page.columns.segments
    rows = _HEADINGS.take(columns.tag).nonzero()[0].astype(np.int32)
    first, behind = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    shown = behind > first
    if not np.count_nonzero(shown):
        return raised
    rows, first, behind = rows[shown], first[shown], behind[shown]
    following = np.append(first[1:], len(kept))
    kept_words, all_words = np.zeros((2, len(kept) + 1), np.int64)
    np.cumsum(np.where(kept, words, 0), out=kept_words[1:])
    np.cumsum(words, out=all_words[1:])
    gone = (kept_words[behind] == kept_words[first]) & (behind < len(kept))
    gone &= all_words[behind] - all_words[first] <= HEADING_WORDS
    for number in gone.nonzero()[0].tolist():
        begin, stop = int(first[number]), int(behind[number])
        above, after = int(columns.parent[rows[number]]), segments[stop]
        while above >= 0 and columns.end[above] <= after:
            above = int(columns.parent[above])
        if above < 0:
            continue
        end = min(int(following[number]), int(segments.searchsorted(columns.end[above])))
        stays = kept_words[end] - kept_words[stop]
        enough = max(SENTENCE_WORDS, HALF * (all_words[end] - all_words[stop]))
        if stays >= enough and odds[begin:stop].max() >= UNLIKELY:
            raised[begin:stop] = True
    return raised


def readers_comments(page: Page, kept: Bools, words: npt.NDArray[np.integer]) -> Bools:
    """Find the segments of readers' comments.

    They are in block elements whose class or id names comments. An element is not one of comments if it
    holds, or stands before, the first kept running text: a page says in its ``body`` that it may be commented
    on, and the first post of a thread is named like those below it.

    Parameters
    ----------
    page
        The page.
    kept
        Which segments are kept so far.
    words
        Words of each segment.

    Returns
    -------
    array of bool
        Which segments are in such elements; none if less than :data:`BESIDE_COMMENTS` words of kept running
        text are outside of them.
    """
    inside = np.zeros(len(kept), np.bool_)
    running = kept & (words >= RUNNING_WORDS)
    if not running.any():
        return inside
    columns, segments = page.columns, page.segments
    places = [match.start() for match in _COMMENTS.finditer(page.canonical)]
    rows = columns.start.searchsorted(np.array(places, np.int32), "right") - 1
    rows = rows[np.isin(columns.tag[rows], _BLOCKS)]  # others may be texts that show markup
    first, behind = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    below = first > running.argmax()
    inside = covering(first[below], behind[below], len(kept)) > 0
    if words[running & ~inside].sum() < BESIDE_COMMENTS:
        inside[:] = False
    return inside


class FieldFeatures(NamedTuple):
    """What the rules for fields use; columns with one value a segment.

    Attributes
    ----------
    slot_share
        Share of the site's other pages that have the segment's slot.
    variety
        Share of the texts in it on these pages that are different from each other.
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
    variety: Reals
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
    if others < OTHER_PAGES:
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
    alone = f.slot_texts == 1
    candidates: Bools = common & (f.variety >= VARIETY) & (f.segment_share < 1)
    strict: Bools = candidates & (f.slot_texts <= MAX_TEXTS) & (f.page_content >= MIN_CONTENT)
    single: Bools = strict & alone & (np.count_nonzero(strict) >= MIN_FIELDS)
    if articles:
        many = np.count_nonzero(strict & ~f.linked) >= ARTICLE_FIELDS
        found: Bools = strict if many else single & ~f.linked
        return found
    few = f.slot_texts <= RECORD_TEXTS
    faint = candidates & few & (f.page_content >= RECORD_CONTENT)
    count = np.count_nonzero(faint & ~f.linked)
    prose = int(f.words[(f.page_content > HALF) & (f.words >= RUNNING_WORDS)].sum())
    if count < RECORD_FIELDS or prose > RECORD_PROSE * count:
        return single
    listed = (f.slot_texts <= LIST_TEXTS) & (f.page_content >= MIN_CONTENT)
    record: Bools = faint | (candidates & listed)
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
    return np.asarray(sure | (odds >= UNLIKELY))


def records(features: FieldFeatures, others: int, *, articles: bool = False) -> Bools:  # noqa: ARG001
    """Tell which segments are fields, or in slots that hold something new now and then.

    Parameters as for :func:`fields`; the kind of the site does not matter.
    """
    if others < LOOSE_PAGES:
        return np.zeros(len(features.words), np.bool_)
    few = features.slot_texts <= np.where(features.linked, LOOSE_LINKED_TEXTS, LOOSE_TEXTS)
    loose = few & (features.variety >= LOOSE_VARIETY) & (features.slot_share >= LOOSE_SLOT_SHARE)
    return loose | fields(features, others)
