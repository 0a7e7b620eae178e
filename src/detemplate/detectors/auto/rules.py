"""The rules of method ``auto``: what stays or goes whatever its probability.

A *field* is a slot of a record (a product, a player, a film) that holds a text of its own on each page of a
site, like a name, a price or a date. The forests learned from running text and take a price, or a name beside
a picture, for template. The site's other pages tell better: nearly all of them have the slot.

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
from detemplate.page.stated import stated_segments

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.model import AutoOptions
    from detemplate.detectors.auto.site import SiteShares
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

STATED_LEVELS: Final = 2
"""Levels of groups that are kept whole where the page's own data state most of them."""

BESIDE: Final = 50
"""Minimum words of a page's own text beside comments or teasers: without one, they are what the page says."""

_COMMENTS: Final = re.compile(
    rb'\s(?:class|id)="[^"]*?(?:com{1,2}ent(?!ary|ator)|kom{1,2}ent|disqus|opinie|reacties)', re.IGNORECASE
)
"""An attribute of a canonical start tag that names comments, in the languages of most sites."""

_BLOCKS: Final = np.flatnonzero(tags.FLAGS & tags.BLOCK)

FEW: Final = 1 / 3
"""Share of the other pages below which some of them are few, and from which on they are many."""

FIELD_PAGES: Final = 4
"""Minimum number of other pages that tell fields."""

SLOT_SHARE: Final = 0.8
"""Minimum share of the other pages that have a value's slot."""

MAX_TEXTS: Final = 24
"""Maximum segments of a value's slot on this page: more are a list."""

LIST_TEXTS: Final = 60
"""Maximum segments of a field's slot on this page, like a table of figures."""

MAX_WORDS: Final = 25
"""Maximum words of a field's segment."""

MIN_CONTENT: Final = 0.008
"""Minimum page-only content probability of a field."""

VARIETY: Final = 0.4
"""Minimum share of the texts in a value's slot on other pages that are different from each other."""

FILLINGS: Final = 100
"""Nor need a slot's texts differ on more pages than that: of many prices, some are equal."""

NEWS: Final = 0.9
"""Minimum number of texts, a page, that are new in a field's slot which also has labels that repeat."""

VALUES: Final = 3
"""Minimum slots of a record with short values, and as many for each slot with sentences."""

VALUE_WORDS: Final = 5
"""Maximum mean words of a short value on the site's pages: a price, a name, a day, an address."""


class Judged(NamedTuple):
    """What the rules know of a page's segments.

    ``kept``: which are kept by their probabilities.
    ``fields``: which are fields.
    ``odds``: log-odds by page, site and slots.
    ``words``: words of each.
    ``shares``: what the site's other pages have.
    ``group``: number of the group around each at each level, -1 for none. Segments × levels.
    """

    kept: Bools
    fields: Bools
    odds: Reals
    words: npt.NDArray[np.integer]
    shares: SiteShares
    group: npt.NDArray[np.int32]


class Ruled(NamedTuple):
    """Which segments rules keep or remove.

    ``fields``, ``stated``, ``headings``, ``titles``: kept: as fields, as what the page's own data state, as
        headings of sections that stay, and as the page's title.
    ``commented``, ``repeated``: removed: readers' comments, and sentences that most pages of the site have.
    """

    fields: Bools
    stated: Bools
    headings: Bools
    titles: Bools
    commented: Bools
    repeated: Bools

    @classmethod
    def of(cls, page: Page, judged: Judged, options: AutoOptions) -> Ruled:
        """Apply all rules that the options ask for."""
        kept, fields, odds, words, shares, group = judged
        titled, commented = np.zeros((2, len(kept)), np.bool_)
        repeated = kept & _sentences(words, shares)
        kept = kept & ~repeated
        if options.comments == DROP:
            commented = readers_comments(page, kept, words)
            kept = kept & ~commented
        fields = fields & ~kept
        stay, share = kept | fields, shares.segment_share
        titles = own_titles(page, share, shares.pages)
        stated = _stated(page, titles, shares, words, group) & ~stay
        stay |= stated
        if options.title == KEEP and titles:
            title = headline(titles, stay, words, share, shares.pages)
            if title is not None:
                titled[title] = stay[title] = True
        headings = section_headings(page, stay, words, odds)
        return cls(fields, stated, headings, titled, commented, repeated)

    @property
    def kept(self) -> Bools:
        """Which segments rules keep."""
        return self.fields | self.stated | self.headings | self.titles

    @property
    def removed(self) -> Bools:
        """Which segments rules remove, whatever else keeps them."""
        return self.commented | (self.repeated & ~self.titles)


def _sentences(words: npt.NDArray[np.integer], shares: SiteShares) -> Bools:
    """Tell which segments are sentences that most of the site's other pages have."""
    if shares.pages < OTHER_PAGES:
        return np.zeros(len(words), np.bool_)
    return np.asarray((words >= SENTENCE_WORDS) & (shares.text_share >= HALF))


def _stated(
    page: Page,
    titles: list[int],
    shares: SiteShares,
    words: npt.NDArray[np.integer],
    group: npt.NDArray[np.int32],
) -> Bools:
    """Tell which segments show the page's own product, recipe, or questions and answers."""
    stated = np.zeros(len(words), np.bool_)
    listed = stated_segments(page)
    if listed is not None:
        stated |= listed
        for around in group.T[:STATED_LEVELS]:  # a list is stated as a whole, if most of it is
            stated |= _is_mostly(around, words * listed, words)
    offer = own_offer(page, titles)
    stated[offer.shown] = True
    if shares.pages >= OTHER_PAGES:
        stated &= shares.segment_share < HALF
    stated[offer.stated] = True
    return stated


def own_titles(page: Page, shares: Reals, others: int) -> list[int]:
    """Find the segments that show the page's own title.

    ``page``: the page.
    ``shares``: share of the site's other pages that have each segment.
    ``others``: number of other pages.
    Returns: numbers of the segments that show the longest part of the title that is not the site's name: no
        segment of another part that is shown is on most other pages. Ascending; empty if there is none.
    """
    for number, titles in enumerate(page.titles):
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

    ``titles``: numbers of the segments that show the page's title, ascending: see :func:`own_titles`.
    ``kept``: which segments are kept so far.
    ``words``: words of each segment.
    ``shares``: share of the site's other pages that have each segment.
    ``others``: number of other pages.
    Returns: the last title up to the first kept segment of :data:`SENTENCE_WORDS` words, else the first
        title. None if the page shows no title of its own, or one of them is kept already.
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

    ``page``: the page.
    ``kept``: which segments are kept.
    ``words``: words of each segment.
    ``odds``: log-odds of each segment, by the page, its site and the site's slots.
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
    first, behind, following, rows = (each[gone] for each in (first, behind, following, rows))
    bounds = np.stack([first, behind], axis=1).ravel()
    doubted = np.maximum.reduceat(odds, bounds)[::2] >= UNLIKELY if len(bounds) else gone[:0]
    for number in doubted.nonzero()[0].tolist():
        begin, stop = int(first[number]), int(behind[number])
        above = columns.around(int(rows[number]), int(segments[stop]))
        if above < 0:
            continue
        end = min(int(following[number]), int(segments.searchsorted(columns.end[above])))
        stays = kept_words[end] - kept_words[stop]
        enough = max(SENTENCE_WORDS, HALF * (all_words[end] - all_words[stop]))
        if stays >= enough:
            raised[begin:stop] = True
    return raised


def readers_comments(page: Page, kept: Bools, words: npt.NDArray[np.integer]) -> Bools:
    """Find the segments of readers' comments.

    They are in block elements whose class or id names comments. An element is not one of comments if it
    holds, or stands before, the first kept running text: a page says in its ``body`` that it may be commented
    on, and the first post of a thread is named like those below it.

    ``page``: the page.
    ``kept``: which segments are kept so far.
    ``words``: words of each segment.
    Returns: which segments are in such elements; none if less than :data:`BESIDE` words of kept running text
        are outside of them.
    """
    inside = np.zeros(len(kept), np.bool_)
    running = kept & (words >= RUNNING_WORDS)
    if not running.any():
        return inside
    columns, segments = page.columns, page.segments
    rows = page.rows_with(_COMMENTS)
    rows = rows[np.isin(columns.tag[rows], _BLOCKS)]  # others may be texts that show markup
    first, behind = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    below = first > running.argmax()
    inside = covering(first[below], behind[below], len(kept)) > 0
    if words[running & ~inside].sum() < BESIDE:
        inside[:] = False
    return inside


def rotating(
    shares: SiteShares, words: npt.NDArray[np.integer], group: npt.NDArray[np.int32], odds: Reals
) -> Bools:
    """Tell which segments come and go on the site: teasers, and other articles below a page's own.

    These are sentences that some other pages have in the same slot, but few; many pages have the slot, and
    most of its texts come again. And all of a group in which most sentences are such, and none is the page's
    own. None where the page says nothing of its own beside them: a page of teasers is a list.

    ``shares``: what the site's other pages have.
    ``words``: words of each segment.
    ``group``: number of the group around each segment at each level, -1 for none. Segments × levels.
    ``odds``: log-odds of each segment by the page, its site and the means of its slots.
    """
    seen, long = shares.segment_share, words >= SENTENCE_WORDS
    varied = shares.slot_variety >= HALF
    found = long & (seen > 0) & (seen < FEW) & (shares.slot_share >= FEW) & ~varied
    own = long & (seen == 0) & (odds > 0) & (varied | (shares.slot_pages == 0))
    if not np.count_nonzero(found) or words[own].sum() < BESIDE:
        return np.zeros(len(words), np.bool_)
    gone = found.copy()
    for around in group.T:
        without = np.bincount(around + 1, own)[around + 1] == 0
        gone |= without & _is_mostly(around, words * found, words * long)
    return np.asarray(gone)


def _is_mostly(
    group: npt.NDArray[np.int32], part: npt.NDArray[np.integer], whole: npt.NDArray[np.integer]
) -> Bools:
    """Tell which segments are in a group of whose words (``whole``) half and more are in ``part``."""
    parts, wholes = np.bincount(group + 1, part), np.bincount(group + 1, whole)
    mostly = (parts > 0) & (parts >= HALF * wholes)
    mostly[0] = False  # no group
    return np.asarray(mostly[group + 1])


class FieldFeatures(NamedTuple):
    """What the rules for fields use; columns with one value a segment, but for ``slot_words``.

    ``shares``: what the site's other pages have.
    ``slot``: number of the segment's slot.
    ``slot_words``: mean words of a text in each slot, on all of the site's pages.
    ``slot_texts``: segments in the slot on this page.
    ``linked``: whether the segment is in a link.
    ``words``: words of the segment.
    ``page_content``: page-only content probability.
    """

    shares: SiteShares
    slot: npt.NDArray[np.integer]
    slot_words: Reals
    slot_texts: npt.NDArray[np.floating]
    linked: Bools
    words: npt.NDArray[np.integer]
    page_content: Reals


def fields(features: FieldFeatures, *, records: bool) -> Bools:
    """Tell which segments are fields; only those of a record are, none on other pages.

    A record has several values: short texts outside of links, in slots that nearly all other pages have and
    that mostly say something else there; an article has a by-line and a day, beside sentences. Where a page
    is a record, slots that are rarer, or have labels as well, hold fields, too. With ``records``, each page
    is one.
    """
    f, shares = features, features.shares
    if shares.pages < FIELD_PAGES:
        return np.zeros(len(f.words), np.bool_)
    varied = shares.slot_variety >= np.minimum(VARIETY, FILLINGS / np.maximum(shares.slot_pages, 1))
    some = (
        (f.slot_texts <= LIST_TEXTS)
        & (f.words <= MAX_WORDS)
        & (shares.segment_share < 1)
        & (f.page_content >= MIN_CONTENT)
    )
    filled = some & (varied | (shares.slot_new >= NEWS)) & (shares.slot_share >= HALF)
    if records:
        return np.asarray(filled)
    value = some & varied & ~f.linked & (shares.slot_share >= SLOT_SHARE) & (f.slot_texts <= MAX_TEXTS)
    if not np.count_nonzero(value):
        return value
    words = f.slot_words[np.unique(f.slot[value])]
    sentences = int(np.count_nonzero(words >= SENTENCE_WORDS))
    record = np.count_nonzero(words <= VALUE_WORDS) >= VALUES * max(sentences, 1)
    return np.asarray(filled & record)
