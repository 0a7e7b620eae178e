"""Examples for the site stage: labelled pages with site shares, real or synthetic.

Labelled sites with many pages are few, and most are manuals. Labelled single pages are many and of all kinds.
So a single page gets the site shares that it could have: its content those of content on a page of a real
site, its template simulated ones. A region of template is on all pages, or on those of a section, or its
items come and go, or it is new on each page. The last two are more likely for template that looks like
content (teasers, comments).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.auto.reasons import logit
from detemplate.detectors.auto.site import UNKNOWN, Query, Site, SiteShares, SlotTree
from detemplate.features.segment import LEVELS
from lab.labelled.segmentlabels import CONTENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.detectors.auto.stages import PageStage
    from detemplate.page.page import Page
    from lab.auto.examples import Example

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

PAGES_SEEN: Final = (1, 2, 3, 5, 10, 20, 50)
"""Numbers of pages of a site that are learned from, the page itself included."""
_STATIC, _SECTION, _CHANGING, _NEW = range(4)
"""Kinds of template: on all pages, on a section's pages, items that come and go, new on each page."""
_KINDS: Final = (5.5, 1.5, 1.5, 1.5)
"""Dirichlet parameters of the kinds, for template that does not look like content."""
_CONTENT_LIKE_KINDS: Final = (5.0, 2.0, 2.5, 4.0)
"""Dirichlet parameters of the kinds, for template that looks like content."""
_CONTENT_LIKE: Final = 0.25
"""A region of template looks like content above this mean page-only content probability."""
_RESET_CHANCE: Final = 0.95
"""Probability that a page's content is set to what is usual: on no other page, but for labels and quotes."""
_LABEL_WORDS: Final = 4  # maximum words of a label, a date or a count
_QUOTE_WORDS: Final = 25
_UNCERTAIN_WIDTH: Final = 0.8  # width of the interval around 0.5 in which a slot's vote is uncertain
_TRIES: Final = 20  # pages of real sites that are tried


class SiteExample(NamedTuple):
    """A labelled page, and the shares of other pages of its site that have its parts."""

    example: Example
    shares: SiteShares


class SitePage(NamedTuple):
    """A page of a site: the groups around its segments, and what it asks its site."""

    group: npt.NDArray[np.int32]
    query: Query

    @classmethod
    def of(cls, page: Page, stage: PageStage) -> SitePage:
        """Collect what other pages need of a page; its slots are judged by the page stage alone."""
        columns = page.columns
        tree = SlotTree.of(columns.parent, columns.segments, stage.features.node_slots)
        return cls(stage.around.group, stage.query(page, tree, logit(stage.content)))


def real_shares(target: SitePage, others: Sequence[SitePage]) -> SiteShares:
    """Return a page's site shares after it and others have been learned, as the detector does."""
    site = Site(np.array([-1]), MOST_ENTRIES)
    for page in (target, *others):
        site.learn(page.query)
    answer = site.answer(target.query)
    if answer is None:
        return SiteShares.unknown(0, len(target.group))
    return SiteShares.of(target.query, answer, target.group)


def synthetic_example(
    example: Example, stage: PageStage, real: Sequence[SiteExample], generator: np.random.Generator
) -> SiteExample | None:
    """Simulate what other pages of its site have of a labelled single page.

    `real` are pages of real sites, with at least one other page; those of the example's fold are used. None
    if none of them with content and template was found.
    """
    copied = _copy_shares(example, real, generator)
    if copied is None:
        return None
    shares, content_shares = copied
    others, words = shares.pages, stage.features.words
    content = example.label == CONTENT
    template = ~content
    if generator.random() < _RESET_CHANCE:
        _reset_content(shares, content, words, generator)
    pages = _template_pages(stage, content, others, generator)
    share = pages[template] / others
    shares.segment_pages[template], shares.segment_share[template] = pages[template], share
    elsewhere = np.where(generator.random(len(words)) < 0.1, generator.random(len(words)) / 2, 0)
    shares.text_share[template] = np.maximum(share, elsewhere[template])
    groups = stage.features.groups
    group, number = np.unique(groups, return_inverse=True)
    least = np.ones(len(group))  # the share of a group is the least of the segments in it
    np.minimum.at(least, number.reshape(groups.shape), shares.segment_share[:, None])
    shares.group_shares[:] = np.where(groups >= 0, least[number.reshape(groups.shape)], 0)
    _copy_slots(shares, stage.around.slot, content_shares, content | (pages == 0), generator)
    shares.slot_share[template] = np.maximum(shares.slot_share[template], share)
    shares.slot_pages[template] = np.maximum(shares.slot_pages[template], pages[template])
    repeated = template & (pages > 0)
    with_slot = np.maximum(shares.slot_pages[repeated], 1)
    new = np.clip(1 - pages[repeated] / others, 1 / with_slot, 1)
    shares.slot_new[repeated] = shares.slot_variety[repeated] = new * generator.uniform(0.7, 1, len(new))
    for column in (shares.slot_new, shares.slot_variety):
        column[:] = np.where(shares.slot_pages > 0, np.maximum(column, 0), UNKNOWN)
    shares.slot_content[:] = _draw_votes(stage, shares.slot_pages, generator)
    return SiteExample(example, shares)


def _copy_shares(
    example: Example, real: Sequence[SiteExample], generator: np.random.Generator
) -> tuple[SiteShares, SiteShares] | None:
    """Copy shares from a page of a real site, by runs of content and template; also return its content's."""
    for _ in range(_TRIES):
        source, shares = real[int(generator.integers(len(real)))]
        if source.fold != example.fold:
            continue
        table = np.empty((len(example.label), shares.table.shape[1]))
        for wanted in (True, False):
            own = np.flatnonzero((example.label == CONTENT) == wanted)
            theirs = np.flatnonzero((source.label == CONTENT) == wanted)
            if not len(theirs):
                break
            run = (np.arange(len(own)) + generator.integers(len(theirs))) % len(theirs)
            table[own] = shares.table[theirs[run]]
        else:
            content_table = shares.table[source.label == CONTENT]
            return SiteShares(shares.pages, table), SiteShares(shares.pages, content_table)
    return None


def _reset_content(
    shares: SiteShares, content: Bools, words: npt.NDArray[np.int32], generator: np.random.Generator
) -> None:
    """Set the content to what is usual: on no other page, but for some labels and quotes."""
    for column in (shares.segment_pages, shares.segment_share, shares.text_share, shares.group_shares):
        column[content] = 0
    draw = generator.random(len(content))
    labels = np.flatnonzero(content & (words <= _LABEL_WORDS) & (draw < 0.1))
    pages = np.maximum(generator.binomial(shares.pages, generator.beta(0.5, 3, len(labels))), 1)
    shares.segment_pages[labels] = pages
    shares.segment_share[labels] = shares.text_share[labels] = pages / shares.pages
    quotes = content & (words <= _QUOTE_WORDS) & (draw > 0.9)
    shares.text_share[quotes] = np.maximum(shares.text_share[quotes], 1 / shares.pages)


def _template_pages(stage: PageStage, content: Bools, others: int, generator: np.random.Generator) -> Reals:
    """Draw the number of other pages that each segment of the template is on; 0 for content."""
    count = len(content)
    pages = np.zeros(count)
    template = np.flatnonzero(~content)
    if not len(template):
        return pages
    around, groups = stage.around, stage.features.groups
    content_before = np.concatenate([[0], np.cumsum(content)])
    pure = (content_before[around.last] == content_before[around.first]) & (around.last > around.first)
    height = np.cumprod(pure, axis=1).sum(axis=1)  # levels up to which the groups hold template alone
    level = np.clip(height - 1 - generator.integers(0, 2), 0, LEVELS - 1)
    # A region is a group of template, and an item one of the nearest groups in it; a segment without such
    # a group is a region of its own.
    single = -1 - np.arange(count)
    region = np.where(height > 0, groups[np.arange(count), level], single)[template]
    item = np.where(height > 0, groups[:, 0], single)[template]
    regions, region_of = np.unique(region, return_inverse=True)
    items, item_of = np.unique(item, return_inverse=True)
    likeness = np.bincount(region_of, stage.content[template]) / np.bincount(region_of)
    mixture = np.where(
        likeness[:, None] > _CONTENT_LIKE,
        generator.dirichlet(_CONTENT_LIKE_KINDS)[None],
        generator.dirichlet(_KINDS)[None],
    )
    kind = (generator.random(len(regions))[:, None] > mixture.cumsum(axis=1)[:, :-1]).sum(axis=1)
    rate = np.where(generator.random(len(regions)) < 0.75, 1.0, generator.uniform(0.5, 1, len(regions)))
    rate = np.where(kind == _SECTION, generator.uniform(0, 0.6, len(regions)), rate)
    region_pages = np.where(kind <= _SECTION, generator.binomial(others, rate), 0)
    once = (kind == _SECTION) & (region_pages == 0) & (generator.random(len(regions)) < 0.5)
    region_pages[once] = 1
    item_rate = generator.exponential(generator.uniform(0.01, 0.3), len(items)) + 0.5 / others
    item_pages = generator.binomial(others, np.minimum(item_rate, 1))
    changing = kind[region_of] == _CHANGING
    pages[template] = np.where(changing, item_pages[item_of], region_pages[region_of])
    # Dates and counts differ from page to page where the text around them does not.
    varies = (generator.random(count) < 0.06) & (stage.features.words <= _LABEL_WORDS)
    pages[varies] = 0
    return pages


def _copy_slots(
    shares: SiteShares,
    slot: npt.NDArray[np.int32],
    content_shares: SiteShares,
    new: Bools,
    generator: np.random.Generator,
) -> None:
    """Copy what is known of the slots of new segments from real content; all of one slot get the same row."""
    row = generator.integers(len(content_shares.table), size=int(slot.max()) + 1)[slot][new]
    shares.slot_share[new] = content_shares.slot_share[row]
    shares.slot_pages[new] = content_shares.slot_pages[row]
    shares.slot_new[new] = content_shares.slot_new[row]
    shares.slot_variety[new] = content_shares.slot_variety[row]


def _draw_votes(stage: PageStage, slot_pages: Reals, generator: np.random.Generator) -> Reals:
    """Draw the share of pages on which each slot looks like content, with this page's probability."""
    slot, weight = stage.around.slot, stage.around.weight
    mean = np.bincount(slot, stage.content * weight) / np.bincount(slot, weight)
    pages = np.zeros(len(mean))
    np.maximum.at(pages, slot, slot_pages)
    chance = np.clip(0.5 + (mean - 0.5) / _UNCERTAIN_WIDTH, 0.02, 0.98)
    share = generator.binomial(pages.astype(np.int64), chance) / np.maximum(pages, 1)
    return np.where(slot_pages > 0, share[slot], UNKNOWN)
