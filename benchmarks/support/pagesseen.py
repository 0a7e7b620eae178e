"""Quality against the number of a site's pages seen.

A target page is cleaned by a detector that has learnt exactly n pages of its site: the target and n - 1
others, drawn at random. Draws are nested: the pages for a small n are among those for every greater one, so
that a curve shows what more pages do and not what other pages do. That also makes it cheap: one detector a
target learns on, and is asked at every n on the way. The target is learnt first. Where the order of the
pages does not matter, it could as well be the last; of a method whose ``ordered`` is true it is measured how
it cleans the page that it saw first.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from detemplate.detectors.registry import detector_class
from detemplate.errors import PageError, UserError
from detemplate.labelled.measure import score_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.labelled.datasets import Kind, LabelledPage, LabelledSet
    from detemplate.labelled.measure import PageScores
    from detemplate.page.page import Page

SEEN: Final = (1, 2, 3, 5, 10, 20, 50)
PAGES_PER_SITE: Final = 5
PARTS: Final = 8
"""Parts that a set of many sites is measured in, so that processes can share it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.

    Parameters
    ----------
    methods
        Names of methods, each in its defaults for two passes.
    seen
        Numbers of pages learnt, ascending; the target is one of them.
    pages_per_site
        Most target pages of a site.
    seed
        Seed of all draws, from 0.

    Raises
    ------
    UserError
        For an unknown method or a value out of range.
    """

    methods: tuple[str, ...]
    seen: tuple[int, ...] = SEEN
    pages_per_site: int = PAGES_PER_SITE
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.methods:
            detector_class(name)
        if not self.methods or len(set(self.methods)) < len(self.methods):
            raise UserError("the methods must be at least one, and each only once")
        if not self.seen or self.seen[0] < 1 or any(one >= other for one, other in pairwise(self.seen)):
            given = ",".join(map(str, self.seen))
            raise UserError(f"the numbers of pages seen must ascend from 1 or more, not {given!r}")
        if self.pages_per_site < 1:
            raise UserError(f"the pages a site must be at least 1, not {self.pages_per_site}")
        if self.seed < 0:
            raise UserError(f"the seed must be 0 or more, not {self.seed}")


class Draw(NamedTuple):
    """A target page and the other pages that are learnt after it, in this order; numbers of pages."""

    target: int
    others: tuple[int, ...]


class Part(NamedTuple):
    """Every ``of``-th site of a set, from the site ``number`` on."""

    labelled: LabelledSet
    number: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Curve:
    """One method's scores of one target page.

    Attributes
    ----------
    method
        The method's name.
    set, kind, part
        The set's name, the kind of its gold, and ``train`` or ``test`` for sites.
    site, page
        The site, and the id of the target.
    pages
        Readable pages of the site: the curve reaches as far as they do.
    rows
        Scores, one row for each number of pages seen that the site has.
    crashed
        How often the page could not be cleaned, and its output counted as empty.
    """

    method: str
    set: str
    kind: Kind
    part: str
    site: str
    page: str
    pages: int
    rows: tuple[PageScores, ...]
    crashed: int = 0


def draws(pages: int, labelled: Sequence[int], plan: Plan, site: str) -> list[Draw]:
    """Draw a site's target pages, and for each the other pages.

    Every draw depends on the seed and the site only: more targets or greater numbers of pages seen add
    to what was drawn, and all methods meet the same draws.

    Parameters
    ----------
    pages
        Number of the site's pages.
    labelled
        Which of them have gold.
    plan
        How many are wanted, and the seed.
    site
        The site's name.

    Returns
    -------
    list of Draw
        At most ``plan.pages_per_site``; of the others, as many as the most pages seen need.
    """
    key = [plan.seed, crc32(site.encode("utf-8", "replace"))]
    found = []
    for target in np.random.default_rng(key).permutation(labelled)[: plan.pages_per_site].tolist():
        others = np.delete(np.arange(pages), target)
        order = np.random.default_rng([*key, target]).permutation(others)[: plan.seen[-1] - 1]
        found.append(Draw(target, tuple(order.tolist())))
    return found


def parts_of(sets: Iterable[LabelledSet]) -> list[Part]:
    """Divide sets into what one process measures at a time: a labelled site, a part of another set."""
    found = []
    for labelled in sets:
        of = 1 if labelled.kind == "site" else PARTS
        found += [Part(labelled, number, of) for number in range(of)]
    return found


def measure_part(plan: Plan, part: Part) -> list[Curve]:
    """Measure some sites of a set.

    Parameters
    ----------
    plan
        What is measured.
    part
        The sites.

    Returns
    -------
    list of Curve
        One a target page and method; sites with fewer pages than the smallest number seen have none.

    Raises
    ------
    UserError
        The set cannot be read.
    """
    sites = islice(part.labelled.sites(), part.number, None, part.of)
    return [curve for site in sites for curve in _measure_site(plan, part.labelled, site)]


def _measure_site(plan: Plan, labelled: LabelledSet, site: Sequence[LabelledPage]) -> list[Curve]:
    # The readable pages; what is no page can be neither learnt nor cleaned.
    pages = [(given, page) for given in site if (page := _parsed(given)) is not None]
    if len(pages) < plan.seen[0]:
        return []
    parsed = [page for _, page in pages]
    golds = {number: given.gold for number, (given, _) in enumerate(pages) if given.gold is not None}
    curves = []
    for drawn in draws(len(pages), list(golds), plan, f"{labelled.name}/{site[0].site}"):
        target, gold = pages[drawn.target][0], golds[drawn.target]
        for method in plan.methods:
            outputs = _outputs(method, parsed, drawn, plan.seen)
            rows = [score_page(labelled.kind, gold, target.html, output or "") for output in outputs]
            curves.append(
                Curve(
                    method, labelled.name, labelled.kind, labelled.part, target.site, target.id,
                    len(pages), tuple(rows), sum(output is None for output in outputs),
                )
            )  # fmt: skip
    return curves


def _parsed(given: LabelledPage) -> Page | None:
    from detemplate import Page

    try:
        return Page(given.url, given.html, site="site")
    except PageError:
        return None


def _outputs(method: str, pages: Sequence[Page], drawn: Draw, seen: Sequence[int]) -> list[str | None]:
    """Clean a target at each number of pages seen that there are; None where it cannot be cleaned."""
    from detemplate import Cleaner

    target = pages[drawn.target]
    outputs: list[str | None] = []
    with closing(Cleaner(method=method, streaming=False)) as cleaner:
        cleaner.learn(target)
        learnt = 1
        for wanted in seen:
            if wanted > len(pages):
                break
            for number in drawn.others[learnt - 1 : wanted - 1]:
                cleaner.learn(pages[number])
            learnt = wanted
            try:
                outputs.append(cleaner.clean(target).text)
            except PageError:
                outputs.append(None)
    return outputs
