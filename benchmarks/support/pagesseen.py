"""Quality against the number of a site's pages seen.

A target page is cleaned by a detector that has learned exactly n pages of its site: the target and n - 1
others, drawn at random. Draws are nested: the pages for a small n are among those for every greater n. So a
curve shows the effect of more pages, not of other pages, and one detector a target is enough: it learns on,
and cleans the target at each n. The target is learned first. To most methods the order does not matter; a
method whose ``ordered`` is true is measured on the first page that it learned.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from detemplate import Cleaner, Page
from detemplate.detectors.registry import detector_class
from detemplate.errors import PageError, UserError
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.catalogue import SITES
from lab.labelled.measure import page_or_none, score_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lab.labelled.catalogue import Kind
    from lab.labelled.measure import PageScores
    from lab.labelled.pages import LabelledPage, LabelledSet

SEEN: Final = (1, 2, 3, 4, 5, 10, 20, 50)  # numbers of pages learned, by default
PARTS: Final = 8  # parts of a set of many sites; each is measured by one process
PANEL_SHARE: Final = 0.8
"""Minimum share of the target pages whose sites have as many pages as the panel ends at."""
SCORES: Final[dict[Kind, tuple[str, ...]]] = {
    "site": ("f1", "kept", "removed"),
    "text": ("f1", "precision", "recall"),
    "values": ("intact",),
}
"""Reported scores by kind of set, the main score first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Methods (with their defaults, in two passes), pages learned, targets a site, and the seed of draws."""

    methods: tuple[str, ...]
    seen: tuple[int, ...] = SEEN
    pages_per_site: int = 5
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


class Part(NamedTuple):
    """A part of a labelled set: every ``of``-th site, from the site ``number`` on."""

    labelled: LabelledSet
    number: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Curve:
    """One method's scores on one target page: a row for each number of pages up to the site's ``pages``."""

    method: str
    set: str
    kind: Kind
    part: str
    site: str
    page: str
    pages: int
    rows: tuple[PageScores, ...]
    crashed: int = 0  # number of outputs that could not be made; each counts as empty


def draws(pages: int, labelled: Sequence[int], plan: Plan, site: str) -> list[tuple[int, list[int]]]:
    """Draw a site's targets, and for each the other pages in the order learned, by seed and site alone."""
    key = [plan.seed, crc32(site.encode("utf-8", "replace"))]
    drawn = []
    for target in np.random.default_rng(key).permutation(labelled)[: plan.pages_per_site].tolist():
        others = np.delete(np.arange(pages), target)
        order = np.random.default_rng([*key, target]).permutation(others)[: plan.seen[-1] - 1]
        drawn.append((target, order.tolist()))
    return drawn


def parts_of(sets: Iterable[LabelledSet]) -> list[Part]:
    """Divide sets into parts for one process each: a labelled site, or some sites of another set."""
    divided = ((labelled, 1 if labelled.kind == "site" else PARTS) for labelled in sets)
    return [Part(labelled, number, of) for labelled, of in divided for number in range(of)]


def measure_part(plan: Plan, part: Part) -> list[Curve]:
    """Measure the sites of a part; sites with fewer pages than ``plan.seen[0]`` have no curves."""
    sites = islice(part.labelled.sites(), part.number, None, part.of)
    return [curve for site in sites for curve in _measure_site(plan, part.labelled, site)]


def _measure_site(plan: Plan, labelled: LabelledSet, site: Sequence[LabelledPage]) -> list[Curve]:
    # Only readable pages can be learned and cleaned.
    pages = [(each, page) for each in site if (page := page_or_none(each.url, each.html, "site")) is not None]
    if len(pages) < plan.seen[0]:
        return []
    golds = {number: each.gold for number, (each, _) in enumerate(pages) if each.gold is not None}
    curves = []
    for number, others in draws(len(pages), list(golds), plan, f"{labelled.name}/{site[0].site}"):
        target, gold = pages[number][0], golds[number]
        learned = [page for _, page in (pages[number], *(pages[other] for other in others))]
        seen = [wanted for wanted in plan.seen if wanted <= len(pages)]
        for method in plan.methods:
            outputs = _outputs(method, learned, seen)
            rows = tuple(score_page(labelled.kind, gold, target.html, output or "") for output in outputs)
            source = (method, labelled.name, labelled.kind, labelled.part, target.site, target.id)
            curves.append(Curve(*source, len(pages), rows, outputs.count(None)))
    return curves


def _outputs(method: str, pages: Sequence[Page], seen: Sequence[int]) -> list[str | None]:
    """Clean the first page after each number of pages learned; None where it cannot be cleaned."""
    outputs: list[str | None] = []
    with closing(Cleaner(method=method, streaming=False)) as cleaner:
        for before, wanted in pairwise((0, *seen)):
            for page in pages[before:wanted]:
                cleaner.learn(page)
            try:
                outputs.append(cleaner.clean(pages[0]).text)
            except PageError:
                outputs.append(None)
    return outputs


class Point(NamedTuple):
    """Means over target pages at one number of pages seen, with intervals.

    ``since_first`` and ``since_last`` are mean differences of the main score to that of the same pages at the
    smallest number and at the number before; None at the smallest.
    """

    seen: int
    pages: int
    sites: int
    scores: dict[str, Estimate]
    since_first: Estimate | None = None
    since_last: Estimate | None = None


def falls(change: Estimate | None) -> bool:
    """Tell whether a score falls for certain: the whole interval is below 0."""
    return change is not None and change.high < 0


class Group:
    """The averages of one method on a set, on all sites or on a part of the sites.

    ``panel`` is the greatest number of pages seen that :data:`PANEL_SHARE` of the target pages reach,
    ``members`` the curves of sites with so many pages. ``same`` are means over the members at each number up
    to ``panel``, ``every`` those over all pages that reach each number.
    """

    def __init__(self, name: str, curves: Sequence[Curve], seen: Sequence[int]) -> None:
        self.name, self.method, self.kind = name, curves[0].method, curves[0].kind
        self.crashed = sum(curve.crashed for curve in curves)
        reach = np.array([curve.pages for curve in curves])
        self.panel = max(n for n in seen if n == seen[0] or np.mean(reach >= n) >= PANEL_SHARE)
        self.members = [curve for curve in curves if curve.pages >= self.panel]
        self.same = self._points(self.members, [number for number in seen if number <= self.panel])
        self.every = self._points(curves, seen)

    def _points(self, curves: Sequence[Curve], seen: Sequence[int]) -> list[Point]:
        points = []
        names = SCORES[self.kind]
        for place, number in enumerate(seen):
            reached = [curve for curve in curves if len(curve.rows) > place]
            if not reached:
                break
            found = {name: self._mean(reached, name, place) for name in names}
            scores = {name: estimate for name, estimate in found.items() if estimate is not None}
            sites = len({(curve.set, curve.site) for curve in reached})
            changes = [
                self._mean(reached, names[0], place, base) if place else None for base in (0, place - 1)
            ]
            points.append(Point(number, len(reached), sites, scores, *changes))
        return points

    def _mean(
        self, curves: Sequence[Curve], score: str, place: int, base: int | None = None
    ) -> Estimate | None:
        """Average a score at one place of ``seen``, or its difference to another; of sites, first by site."""
        by_site: dict[tuple[str, str], list[float]] = {}
        flat: list[tuple[float, tuple[str, str]]] = []
        for curve in curves:
            value, less = curve.rows[place][score], 0.0 if base is None else curve.rows[base][score]
            if value is not None and less is not None:
                by_site.setdefault((curve.set, curve.site), []).append(value - less)
                flat.append((value - less, (curve.set, curve.site)))
        if not flat:
            return None
        if self.kind != "site" or len(by_site) < 2:
            return bootstrap_mean([value for value, _ in flat], [site for _, site in flat])
        return bootstrap_mean([float(np.mean(by_site[site])) for site in sorted(by_site)])


def grouped(curves: Sequence[Curve], seen: Sequence[int]) -> list[Group]:
    """Group curves by method and set: sites by part, and together if there are several; then other sets."""
    parts = sorted({curve.part for curve in curves if curve.kind == "site"}, reverse=True)
    names = [*([SITES] if len(parts) > 1 else []), *(f"{SITES}/{part}" for part in parts)]
    members: dict[str, list[Curve]] = {name: [] for name in names}
    for curve in curves:
        for name in (SITES, f"{SITES}/{curve.part}") if curve.kind == "site" else (curve.set,):
            if curve.kind != "site" or name in members:
                members.setdefault(name, []).append(curve)
    methods = list(dict.fromkeys(curve.method for curve in curves))
    return [
        Group(name, chosen, seen)
        for name, of_set in members.items()
        for method in methods
        if (chosen := [curve for curve in of_set if curve.method == method])
    ]
