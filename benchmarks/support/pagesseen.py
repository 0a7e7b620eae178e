"""Quality against the number of a site's pages seen.

A target page is cleaned by a detector that has learnt exactly n pages of its site: the target and n - 1
others, drawn at random. Draws are nested: the pages for a small n are among those for every greater n. So a
curve shows the effect of more pages, not of other pages, and one detector a target is enough: it learns on,
and cleans the target at each n. The target is learnt first. To most methods the order does not matter; a
method whose ``ordered`` is true is measured on the first page that it learnt.
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
from lab.labelled.measure import score_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.page.page import Page
    from lab.labelled.catalogue import Kind
    from lab.labelled.measure import PageScores
    from lab.labelled.pages import LabelledPage, LabelledSet

SEEN: Final = (1, 2, 3, 4, 5, 10, 20, 50)
"""Numbers of pages learnt, by default."""
PAGES_PER_SITE: Final = 5
"""Most target pages of a site, by default."""
PARTS: Final = 8
"""Parts of a set of many sites; each is measured by one process."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of measurements.

    Parameters
    ----------
    methods
        Names of methods; each runs with its defaults, in two passes.
    seen
        Numbers of pages learnt, the target included; ascending, from 1.
    pages_per_site
        Most target pages of a site, at least 1.
    seed
        Seed of all draws, at least 0.

    Raises
    ------
    UserError
        A method is unknown, or a value is out of range.
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
            numbers = ",".join(map(str, self.seen))
            raise UserError(f"the numbers of pages seen must ascend from 1 or more, not {numbers!r}")
        if self.pages_per_site < 1:
            raise UserError(f"the pages a site must be at least 1, not {self.pages_per_site}")
        if self.seed < 0:
            raise UserError(f"the seed must be 0 or more, not {self.seed}")


class Draw(NamedTuple):
    """A target page and the other pages that are learnt after it.

    Attributes
    ----------
    target
        Number of the target page within its site.
    others
        Numbers of the other pages, in the order in which they are learnt.
    """

    target: int
    others: tuple[int, ...]


class Part(NamedTuple):
    """A part of a labelled set: every ``of``-th site, from the site ``number`` on."""

    labelled: LabelledSet
    number: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Curve:
    """One method's scores on one target page, by the number of pages learnt.

    Attributes
    ----------
    method
        The method's name.
    set, kind, part
        The set's name, the kind of its gold, and ``train`` or ``test`` for sites.
    site, page
        The site, and the id of the target.
    pages
        Number of the site's readable pages; the curve ends there.
    rows
        Scores, one row for each of the plan's numbers up to ``pages``.
    crashed
        How often the page could not be cleaned; its output then counts as empty.
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
    """Draw a site's target pages, and the other pages for each.

    A draw depends only on the seed and the site. So all methods have the same draws, and more targets or
    greater numbers of pages extend the draws without changing them.

    Parameters
    ----------
    pages
        Number of the site's pages.
    labelled
        Numbers of those with gold.
    plan
        The plan.
    site
        Name of the site.

    Returns
    -------
    list of Draw
        At most ``plan.pages_per_site``, each with at most ``plan.seen[-1] - 1`` other pages.
    """
    key = [plan.seed, crc32(site.encode("utf-8", "replace"))]
    drawn = []
    for target in np.random.default_rng(key).permutation(labelled)[: plan.pages_per_site].tolist():
        others = np.delete(np.arange(pages), target)
        order = np.random.default_rng([*key, target]).permutation(others)[: plan.seen[-1] - 1]
        drawn.append(Draw(target, tuple(order.tolist())))
    return drawn


def parts_of(sets: Iterable[LabelledSet]) -> list[Part]:
    """Divide sets into parts for one process each: a labelled site, or some sites of another set."""
    parts = []
    for labelled in sets:
        of = 1 if labelled.kind == "site" else PARTS
        parts += [Part(labelled, number, of) for number in range(of)]
    return parts


def measure_part(plan: Plan, part: Part) -> list[Curve]:
    """Measure the sites of a part.

    Parameters
    ----------
    plan
        The plan.
    part
        The sites.

    Returns
    -------
    list of Curve
        One for each target page and method. Sites with fewer pages than ``plan.seen[0]`` have none.

    Raises
    ------
    UserError
        The set cannot be read.
    """
    sites = islice(part.labelled.sites(), part.number, None, part.of)
    return [curve for site in sites for curve in _measure_site(plan, part.labelled, site)]


def _measure_site(plan: Plan, labelled: LabelledSet, site: Sequence[LabelledPage]) -> list[Curve]:
    # Only readable pages can be learnt and cleaned.
    pages = [(labelled_page, page) for labelled_page in site if (page := _parsed(labelled_page)) is not None]
    if len(pages) < plan.seen[0]:
        return []
    parsed = [page for _, page in pages]
    golds = {number: each.gold for number, (each, _) in enumerate(pages) if each.gold is not None}
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


def _parsed(labelled: LabelledPage) -> Page | None:
    from detemplate import Page

    try:
        return Page(labelled.url, labelled.html, site="site")
    except PageError:
        return None


def _outputs(method: str, pages: Sequence[Page], drawn: Draw, seen: Sequence[int]) -> list[str | None]:
    """Clean a target at each number of pages that the site has; None where it cannot be cleaned."""
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
