"""What sites show about their pages, for training: real sites seen in part, and sites that are made up.

Labelled sites with many pages are few, and most are manuals; labelled single pages are many and of all
kinds. So single pages are given the site evidence that they could have: that of content is lent by a page
of a real site, that of template is drawn. A part of a template stands on all pages, or on a section's, or
its items come and go, or it is new on every page; the more it looks like content, the more likely the last
two are (teasers, other people's words).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.detectors.auto.sitekeys import BASE, UNKNOWN
from detemplate.features.segment import LEVELS
from detemplate.training.auto.examples import CONTENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.detectors.auto.detector import Look
    from detemplate.detectors.auto.sitekeys import SiteKeys
    from detemplate.training.auto.examples import Example

    Reals = npt.NDArray[np.float64]

SEEN: Final = (1, 2, 3, 5, 10, 20, 50)
"""Pages of a site that have been seen, the page itself included."""

_PAGES, _OWN, _SHARE, _TEXT, _GROUP = (
    BASE.index(name)
    for name in ("site pages", "segment pages", "segment share", "text share", "group share level 0")
)
_SLOT_SHARE, _SLOT_PAGES, _VOTE, _NEWS = (
    BASE.index(name) for name in ("slot share", "slot pages", "slot content", "slot news")
)
_PLAIN: Final = (5.5, 1.5, 1.5, 1.5)
_TEXTUAL: Final = (5.0, 2.0, 2.5, 4.0)
"""How template that does not look like content, and template that does, is spread over the four kinds."""
_STATIC, _SECTION, _COMING, _NEW = range(4)
_LOOKS: Final = 0.25
_CLEAN: Final = 0.95
_SHORT: Final = 4
_WAVERING: Final = 0.8
"""How far from a half a slot must look on one page to look so on all."""
_TRIES: Final = 20


class Case(NamedTuple):
    """A page with site evidence.

    Attributes
    ----------
    example
        The page.
    shares
        Its site evidence, see :meth:`~detemplate.detectors.auto.sitekeys.SiteKeys.shares`.
    """

    example: Example
    shares: Reals


def seen_shares(target: SiteKeys, others: Sequence[SiteKeys]) -> Reals:
    """Give a page's site evidence after it and others have been learnt, the way the detector does."""
    table = recurrence_table([-1])
    for keys in (target, *others):
        keys.learn(table)
    return target.shares(target.without(table.counts(target.keys)), table.pages - 1)


def drawn_case(
    example: Example, look: Look, donors: Sequence[Case], generator: np.random.Generator
) -> Case | None:
    """Make up what a site would show about a labelled page.

    Parameters
    ----------
    example, look
        The page, and the first look at it.
    donors
        Pages of real sites with evidence of at least one other page. Only those of the example's fold lend.
    generator
        Decides what is random.

    Returns
    -------
    Case or None
        None where no donor with content and template was found.
    """
    found = _lent(example, donors, generator)
    if found is None:
        return None
    lent, kept = found
    others = int(lent[0, _PAGES])
    content = example.label == CONTENT
    if generator.random() < _CLEAN:
        _forget_content(lent, content, look.features.words, others, generator)
    counts = _template_pages(look, content, others, generator)
    rest = ~content
    share = counts[rest] / others
    lent[rest, _OWN], lent[rest, _SHARE] = counts[rest], share
    elsewhere = np.where(generator.random(len(content)) < 0.1, generator.random(len(content)) / 2, 0)[rest]
    lent[rest, _TEXT] = np.maximum(share, elsewhere)
    groups = look.features.groups
    group, number = np.unique(groups, return_inverse=True)
    number = number.reshape(groups.shape)
    least = np.ones(len(group))  # a group is where all that it holds is
    np.minimum.at(least, number, lent[:, _SHARE, None])
    lent[:, _GROUP : _GROUP + LEVELS] = np.where(groups >= 0, least[number], 0)
    _draw_slots(lent, look.around.slot, kept, content | (counts == 0), generator)
    lent[rest, _SLOT_SHARE] = np.maximum(lent[rest, _SLOT_SHARE], share)
    lent[rest, _SLOT_PAGES] = np.maximum(lent[rest, _SLOT_PAGES], counts[rest])
    again = ~content & (counts > 0)
    pages = np.maximum(lent[again, _SLOT_PAGES], 1)
    news = np.clip(1 - counts[again] / others, 1 / pages, 1) * generator.uniform(0.7, 1, len(pages))
    lent[again, _NEWS] = news
    lent[:, _NEWS] = np.where(lent[:, _SLOT_PAGES] > 0, np.maximum(lent[:, _NEWS], 0), UNKNOWN)
    lent[:, _VOTE] = _votes(look, lent[:, _SLOT_PAGES], generator)
    return Case(example, lent)


def _lent(
    example: Example, donors: Sequence[Case], generator: np.random.Generator
) -> tuple[Reals, Reals] | None:
    """Lend a page the evidence of another, runs of content to content and of template to template.

    Also given: the evidence of all of the other's content.
    """
    for _ in range(_TRIES):
        donor, shares = donors[int(generator.integers(len(donors)))]
        if donor.fold != example.fold:
            continue
        lent = np.empty((len(example.label), shares.shape[1]))
        lent[:, _PAGES] = shares[0, _PAGES]
        for wanted in (True, False):
            own = np.flatnonzero((example.label == CONTENT) == wanted)
            theirs = np.flatnonzero((donor.label == CONTENT) == wanted)
            if not len(theirs):
                break
            lent[own] = shares[theirs[(np.arange(len(own)) + generator.integers(len(theirs))) % len(theirs)]]
        else:
            return lent, shares[donor.label == CONTENT]
    return None


def _draw_slots(
    lent: Reals,
    slot: npt.NDArray[np.int32],
    kept: Reals,
    new: npt.NDArray[np.bool_],
    generator: np.random.Generator,
) -> None:
    """Make slots of what is new, content or not, look alike: as those of the lender's content do.

    All segments of a slot that are new have the same evidence of it.
    """
    pick = generator.integers(len(kept), size=int(slot.max()) + 1)[slot]
    for column in (_SLOT_SHARE, _SLOT_PAGES, _NEWS):
        lent[new, column] = kept[pick[new], column]


def _votes(look: Look, pages: Reals, generator: np.random.Generator) -> Reals:
    """Draw on how many pages each slot looks like content: the first look errs alike on a site's pages."""
    slot = look.around.slot
    count = int(slot.max()) + 1
    mean, most = np.zeros(count), np.zeros(count)
    mean[slot] = look.around.over_slots(look.content)
    np.maximum.at(most, slot, pages)
    likely = np.clip(0.5 + (mean - 0.5) / _WAVERING, 0.02, 0.98)
    share = generator.binomial(most.astype(np.int64), likely) / np.maximum(most, 1)
    return np.where(pages > 0, share[slot], UNKNOWN)


def _forget_content(
    lent: Reals,
    content: npt.NDArray[np.bool_],
    words: npt.NDArray[np.int32],
    others: int,
    generator: np.random.Generator,
) -> None:
    """Make content what it is on most sites: on no other page, but for labels and what is quoted."""
    lent[content, _OWN:_SLOT_SHARE] = 0
    draw = generator.random(len(content))
    labels = np.flatnonzero(content & (words <= _SHORT) & (draw < 0.1))
    pages = np.maximum(generator.binomial(others, generator.beta(0.5, 3, len(labels))), 1)
    lent[labels, _OWN] = pages
    lent[labels, _SHARE] = lent[labels, _TEXT] = pages / others
    quoted = content & (words <= 25) & (draw > 0.9)
    lent[quoted, _TEXT] = np.maximum(lent[quoted, _TEXT], 1 / others)


def _template_pages(
    look: Look,
    content: npt.NDArray[np.bool_],
    others: int,
    generator: np.random.Generator,
) -> Reals:
    """Draw on how many other pages each segment of the template is; 0 for content."""
    count = len(content)
    pages = np.zeros(count)
    rest = np.flatnonzero(~content)
    if not len(rest):
        return pages
    around, groups = look.around, look.features.groups
    running = np.concatenate([[0], np.cumsum(content)])
    pure = (running[around.last] == running[around.first]) & (around.last > around.first)
    height = np.cumprod(pure, axis=1).sum(axis=1)  # levels up to which a group is template alone
    level = np.clip(height - 1 - generator.integers(0, 2), 0, LEVELS - 1)
    alone = -1 - np.arange(count)
    region = np.where(height > 0, groups[np.arange(count), level], alone)[rest]
    item = np.where(height > 0, groups[:, 0], alone)[rest]
    regions, at = np.unique(region, return_inverse=True)
    items, which = np.unique(item, return_inverse=True)
    looks = np.bincount(at, look.content[rest]) / np.bincount(at)
    mix = np.where(
        looks[:, None] > _LOOKS, generator.dirichlet(_TEXTUAL)[None], generator.dirichlet(_PLAIN)[None]
    )
    kind = (generator.random(len(regions))[:, None] > mix.cumsum(axis=1)[:, :-1]).sum(axis=1)
    rate = np.where(generator.random(len(regions)) < 0.75, 1.0, generator.uniform(0.5, 1, len(regions)))
    rate = np.where(kind == _SECTION, generator.uniform(0, 0.6, len(regions)), rate)
    whole = np.where(kind <= _SECTION, generator.binomial(others, rate), 0)
    once = (kind == _SECTION) & (whole == 0) & (generator.random(len(regions)) < 0.5)
    whole[once] = 1
    often = generator.exponential(generator.uniform(0.01, 0.3), len(items)) + 0.5 / others
    coming = generator.binomial(others, np.minimum(often, 1))
    pages[rest] = np.where(kind[at] == _COMING, coming[which], whole[at])
    # Dates and counts differ from page to page inside of what does not.
    varies = (generator.random(count) < 0.06) & (look.features.words <= _SHORT)
    pages[varies] = 0
    return pages
