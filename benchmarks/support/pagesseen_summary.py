"""What was measured against the pages seen, averaged: all pages that reach a number, and the same pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.labelled.bootstrap import Estimate, bootstrap_mean
from detemplate.labelled.datasets import SITES
from detemplate.labelled.measure import MAIN_SCORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.support.pagesseen import Curve
    from detemplate.labelled.datasets import Kind

PANEL_SHARE: Final = 0.8
"""The panel ends at the greatest number of pages seen that so large a share of the target pages reach."""
SCORES: Final[dict[Kind, tuple[str, ...]]] = {
    "site": ("f1", "kept", "removed"),
    "text": ("f1", "precision", "recall"),
    "values": ("intact",),
}
"""The scores that are reported of each kind of set, the main one first."""


class Point(NamedTuple):
    """Means over target pages of which the detector had seen one number of pages.

    Attributes
    ----------
    seen
        The number.
    pages, sites
        Target pages and their sites.
    scores
        Means by score.
    since_first
        The main score less that of the same pages at the smallest number; None at the smallest.
    since_last
        The same, less that at the number before.
    """

    seen: int
    pages: int
    sites: int
    scores: dict[str, Estimate]
    since_first: Estimate | None = None
    since_last: Estimate | None = None


def falls(change: Estimate | None) -> bool:
    """Tell whether a score fell: the whole interval is below 0."""
    return change is not None and change.high < 0


class Group:
    """One method's curves of a set, of all sites or of a part of them.

    Parameters
    ----------
    name
        ``dragnet-hosts``, ``sites``, ``sites/train``, …
    curves
        What was measured of one method and kind of set, at least one; each reaches the smallest number of
        pages seen.
    seen
        The numbers of pages seen.

    Attributes
    ----------
    name
        As given.
    method, kind
        The method, and what the gold is.
    crashed
        How often a page could not be cleaned, and its output counted as empty.
    panel
        The greatest number of pages seen in the panel; see :data:`PANEL_SHARE`.
    members
        The curves of the panel.
    same
        Means of the panel: the same pages at every number up to ``panel``.
    every
        Means of all pages whose site has so many, number by number.
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
        """Average a score, or by how much it is above that at another place."""
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
    """Average figures of pages as `~detemplate.labelled.measure.summarise` does.

    Parameters
    ----------
    kind
        Of ``site``, a site counts once: means over its pages, then over sites. Of others, over pages.
    values
        One a page, at least one.
    sites
        The site of each.

    Returns
    -------
    Estimate
        The mean, and its interval from resampling sites; pages where there is only one site.
    """
    several = sorted(set(sites))
    if kind != "site" or len(several) < 2:
        return bootstrap_mean(values, sites)
    of_site = {site: [v for v, own in zip(values, sites, strict=True) if own == site] for site in several}
    return bootstrap_mean([float(np.mean(own)) for own in of_site.values()])


def panel_end(pages: Sequence[int], seen: Sequence[int]) -> int:
    """Choose the greatest number of pages seen in the panel.

    Parameters
    ----------
    pages
        For each target page the pages of its site.
    seen
        The numbers of pages seen, ascending; the first is in reach of all.

    Returns
    -------
    int
        One of `seen`: the greatest that a share of :data:`PANEL_SHARE` of the target pages reach.
    """
    reach = np.asarray(pages)
    return max(n for n in seen if n == seen[0] or np.mean(reach >= n) >= PANEL_SHARE)


def grouped(curves: Sequence[Curve], seen: Sequence[int]) -> list[Group]:
    """Group curves by set, sites by part and all together, each method by itself.

    Parameters
    ----------
    curves
        What was measured.
    seen
        The numbers of pages seen.

    Returns
    -------
    list of Group
        Sites first, then sets in the order of the curves; the methods of one set one after another.
        All sites together only where there are several parts.
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
        Group(name, own, seen)
        for name, found in members.items()
        for method in methods
        if (own := [curve for curve in found if curve.method == method])
    ]


class SiteLine(NamedTuple):
    """One site's mean main score at each number of pages seen, and how the last lies to the best before."""

    site: str
    means: tuple[float, ...]

    @property
    def fall(self) -> float:
        """The last mean less the best of those before; 0 where there is only one."""
        return self.means[-1] - max(self.means[:-1], default=self.means[-1])


def site_lines(group: Group) -> list[SiteLine]:
    """Give the sites of a group's panel, those first whose last score is farthest below their best."""
    score = MAIN_SCORE[group.kind]
    places = len(group.same)
    found: dict[str, list[Curve]] = {}
    for curve in group.members:
        found.setdefault(curve.set if curve.kind == "site" else curve.site, []).append(curve)
    lines = []
    for site, curves in found.items():
        table = [[curve.rows[place][score] for place in range(places)] for curve in curves]
        known = [row for row in table if None not in row]
        if known:
            lines.append(SiteLine(site, tuple(np.mean(np.array(known, float), axis=0).tolist())))
    return sorted(lines, key=lambda line: (line.fall, line.site))
