"""Averages of quality against the pages seen: over the same pages at all numbers, and over all at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.catalogue import SITES
from lab.labelled.measure import MAIN_SCORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.support.pagesseen import Curve
    from lab.labelled.catalogue import Kind

PANEL_SHARE: Final = 0.8
"""Least share of the target pages whose sites have as many pages as the panel ends at."""
SCORES: Final[dict[Kind, tuple[str, ...]]] = {
    "site": ("f1", "kept", "removed"),
    "text": ("f1", "precision", "recall"),
    "values": ("intact",),
}
"""Reported scores by kind of set, the main score first."""


class Point(NamedTuple):
    """Means over target pages at one number of pages seen.

    Attributes
    ----------
    seen
        The number of pages seen.
    pages, sites
        Number of target pages, and of their sites.
    scores
        Means by score, with intervals.
    since_first
        Mean difference of the main score to that of the same pages at the smallest number; None there.
    since_last
        The same to the number before; None at the smallest.
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

    Parameters
    ----------
    name
        ``dragnet-hosts``, ``sites``, ``sites/train``, …
    curves
        The curves of one method and one kind of set, at least one. Each has a row for the smallest number of
        pages seen.
    seen
        The numbers of pages seen, ascending.

    Attributes
    ----------
    name
        Name of the group.
    method, kind
        The method, and the kind of gold.
    crashed
        How often a page could not be cleaned; its output then counts as empty.
    panel
        The greatest number of pages seen in the panel (:func:`panel_end`).
    members
        The curves of the panel: those of sites with at least ``panel`` pages.
    same
        Means over the panel, at each number up to ``panel``.
    every
        Means at each number, over all pages whose sites have that many.
    """

    def __init__(self, name: str, curves: Sequence[Curve], seen: Sequence[int]) -> None:
        self.name, self.method, self.kind = name, curves[0].method, curves[0].kind
        self.crashed = sum(curve.crashed for curve in curves)
        self.panel = panel_end([curve.pages for curve in curves], seen)
        self.members = [curve for curve in curves if curve.pages >= self.panel]
        self.same = self._points(self.members, [number for number in seen if number <= self.panel])
        self.every = self._points(curves, seen)

    def _points(self, curves: Sequence[Curve], seen: Sequence[int]) -> list[Point]:
        points = []
        for place, number in enumerate(seen):
            reached = [curve for curve in curves if len(curve.rows) > place]
            if not reached:
                break
            names = SCORES[self.kind]
            found = {name: self._mean(reached, name, place) for name in names}
            points.append(
                Point(
                    number,
                    len(reached),
                    len({(curve.set, curve.site) for curve in reached}),
                    {name: estimate for name, estimate in found.items() if estimate is not None},
                    self._mean(reached, names[0], place, 0) if place else None,
                    self._mean(reached, names[0], place, place - 1) if place else None,
                )
            )
        return points

    def _mean(
        self, curves: Iterable[Curve], score: str, place: int, base: int | None = None
    ) -> Estimate | None:
        """Average a score at one place of ``seen``, or its difference to another place, ``base``."""
        values: list[float] = []
        sites = []
        for curve in curves:
            value = curve.rows[place][score]
            less = 0.0 if base is None else curve.rows[base][score]
            if value is not None and less is not None:
                values.append(value - less)
                sites.append((curve.set, curve.site))
        return mean_over(self.kind, values, sites) if values else None


def mean_over(kind: Kind, values: Sequence[float], sites: Sequence[tuple[str, str]]) -> Estimate:
    """Average values of pages as `~lab.labelled.measure.summarise` does.

    Parameters
    ----------
    kind
        Kind of set. For ``site``, the mean is over the pages of each site, then over sites; else over pages.
    values
        One value a page, at least one.
    sites
        The site of each page.

    Returns
    -------
    Estimate
        The mean, and its interval by resampling sites; by resampling pages if there is one site.
    """
    several = sorted(set(sites))
    if kind != "site" or len(several) < 2:
        return bootstrap_mean(values, sites)
    of_site = {site: [v for v, name in zip(values, sites, strict=True) if name == site] for site in several}
    return bootstrap_mean([float(np.mean(pages)) for pages in of_site.values()])


def panel_end(pages: Sequence[int], seen: Sequence[int]) -> int:
    """Choose the greatest number of pages seen in the panel.

    Parameters
    ----------
    pages
        For each target page, the number of its site's pages.
    seen
        The numbers of pages seen, ascending; all sites have at least the first.

    Returns
    -------
    int
        The greatest of `seen` that at least a share of :data:`PANEL_SHARE` of the target pages reach.
    """
    reach = np.asarray(pages)
    return max(n for n in seen if n == seen[0] or np.mean(reach >= n) >= PANEL_SHARE)


def grouped(curves: Sequence[Curve], seen: Sequence[int]) -> list[Group]:
    """Group curves by method and set; sites by part, and all together if there are several parts.

    Parameters
    ----------
    curves
        The curves.
    seen
        The numbers of pages seen.

    Returns
    -------
    list of Group
        Sites first, then sets in the order of the curves. The methods of a set follow each other.
    """
    members: dict[str, list[Curve]] = {}
    parts = sorted({curve.part for curve in curves if curve.kind == "site"}, reverse=True)
    names = [*([SITES] if len(parts) > 1 else []), *(f"{SITES}/{part}" for part in parts)]
    members.update((name, []) for name in names)
    for curve in curves:
        if curve.kind != "site":
            members.setdefault(curve.set, []).append(curve)
            continue
        for name in (SITES, f"{SITES}/{curve.part}"):
            if name in members:
                members[name].append(curve)
    methods = list(dict.fromkeys(curve.method for curve in curves))
    return [
        Group(name, chosen, seen)
        for name, of_set in members.items()
        for method in methods
        if (chosen := [curve for curve in of_set if curve.method == method])
    ]


class SiteLine(NamedTuple):
    """One site's mean main score at each number of pages seen.

    Attributes
    ----------
    site
        Name of the site.
    means
        The means, by ascending number of pages seen.
    """

    site: str
    means: tuple[float, ...]

    @property
    def fall(self) -> float:
        """The last mean minus the greatest before it; 0 if there is only one."""
        return self.means[-1] - max(self.means[:-1], default=self.means[-1])


def site_lines(group: Group) -> list[SiteLine]:
    """Give the sites of a group's panel, those first whose last mean is farthest below the best before."""
    score = MAIN_SCORE[group.kind]
    places = len(group.same)
    of_site: dict[str, list[Curve]] = {}
    for curve in group.members:
        of_site.setdefault(curve.set if curve.kind == "site" else curve.site, []).append(curve)
    lines = []
    for site, curves in of_site.items():
        table = [[curve.rows[place][score] for place in range(places)] for curve in curves]
        known = [row for row in table if None not in row]
        if known:
            lines.append(SiteLine(site, tuple(np.mean(np.array(known, float), axis=0).tolist())))
    return sorted(lines, key=lambda line: (line.fall, line.site))
