"""The history of a site: which templates its pages had, since when, and when it was redesigned.

It is made of glances at cleaned pages, and it is for people: no verdict depends on it. Whatever the pages
are, it is bounded.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.detectors.state import DAMAGE, StateError
from detemplate.sites.pagecounts import PageCounts

if TYPE_CHECKING:
    from detemplate.sites.glance import Glance

_TEMPLATES: Final = 48
"""Maximum number of templates of a site."""

_STALE: Final = 100
"""Pages after which a template that was not seen again is the first to make room."""

_POINTS: Final = 32
"""Maximum number of points in time; beyond, neighbours are joined."""

_POINT_PAGES: Final = 256
"""Pages after which a run begins another point."""

_REDESIGNS: Final = 12
"""Maximum number of redesigns; the last ones are kept."""

_WARM: Final = 20
"""Pages after which a template is known; so many also only teach, at the beginning and after a redesign."""

_WINDOW: Final = 20
"""Number of pages in a row that tell a redesign."""

_USUAL: Final = 0.5
"""Least usual share of known templates for which a drop is a redesign."""

_DROP: Final = 0.2
"""A drop below this part of the usual share is a redesign."""

_SLOW: Final = 64
"""Pages over which the usual share is averaged."""

_GONE: Final = 5
"""Texts that a redesign lists."""


@dataclass(slots=True)
class Template:
    """A text that was removed, at one place in the page's tree."""

    text: str
    """Its first characters."""
    first: str
    """When it was first seen (UTC, ISO 8601)."""
    last: str
    """When it was last seen."""
    pages: int = 0
    """Number of pages that it was seen on."""
    born: int = 0
    """Number of the first page, among those that the history has seen."""
    at: int = 0
    """Number of the last page."""


@dataclass(slots=True)
class Point:
    """Some pages in a row."""

    run: str
    """When the run began that saw the last of them."""
    first: str
    """Date of the first page."""
    last: str
    """Date of the last page."""
    pages: int = 0
    """Number of pages."""
    share: float = 0.0
    """Mean share of template in their characters."""
    known: float = 0.0
    """Mean share of their templates that were known before."""

    def add(self, other: Point) -> None:
        """Take in the pages of a later point."""
        self.pages += other.pages
        part = other.pages / self.pages
        self.share += (other.share - self.share) * part
        self.known += (other.known - self.known) * part
        self.run = other.run
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)


@dataclass(slots=True)
class Redesign:
    """The moment when the known templates of a site went."""

    date: str
    """Date of the first page of the new design."""
    before: float
    """Share of a page's templates that were known, usually."""
    after: float
    """That share on the pages by which the redesign was found."""
    gone: list[str]
    """Texts of templates that went: the most frequent ones."""


@dataclass(slots=True)
class SiteHistory:
    """What glances at a site's pages have told, in the pages' order.

    Attributes
    ----------
    pages
        Number of pages seen.
    since
        Number of pages seen since the last redesign.
    usual
        Share of a page's templates that are known, usually.
    templates
        Templates of the present design by key: the most frequent ones.
    points, redesigns
        In the order in which they were seen.
    recent
        Dates of the last pages, and the share of their templates that were known.
    counts
        Counts of the pages together: all, or those since the store keeps them.
    """

    pages: int = 0
    since: int = 0
    usual: float = 0.0
    templates: dict[int, Template] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    redesigns: list[Redesign] = field(default_factory=list)
    recent: list[tuple[str, float]] = field(default_factory=list)
    counts: PageCounts = field(default_factory=PageCounts)

    def add(self, glance: Glance, date: str, run: str) -> None:
        """Take in a page.

        Parameters
        ----------
        glance
            What is seen of it.
        date
            When it was fetched, or else when it was cleaned (UTC, ISO 8601).
        run
            When the run began.
        """
        seen = [self.templates.get(key) for key in glance.keys]
        self.pages += 1
        old = [each for each in seen if each is not None and each.born <= self.pages - _WARM]
        known = len(old) / max(len(seen), 1)
        self.since += 1
        self.counts.add(glance)
        self._point(Point(run, date, date, 1, glance.share, known))
        self._count(glance, date)
        if self.since > _WARM:
            self._watch(date, known)

    def _point(self, new: Point) -> None:
        """Add pages to the last point, or begin another."""
        points = self.points
        if points and points[-1].run == new.run and points[-1].pages < _POINT_PAGES:
            points[-1].add(new)
            return
        points.append(new)
        self._join_points()

    def _join_points(self) -> None:
        """Join neighbours, those with the fewest pages first, until there are few enough points."""
        points = self.points
        while len(points) > _POINTS:
            sizes = [one.pages + two.pages for one, two in pairwise(points)]
            at = sizes.index(min(sizes))
            points[at].add(points.pop(at + 1))

    def _count(self, glance: Glance, date: str) -> None:
        """Count a page's templates, as far as there is room."""
        here = set(glance.keys)
        self._make_room(here, len(here - self.templates.keys()))
        for index, key in enumerate(glance.keys):
            template = self.templates.get(key)
            if template is None:
                if len(self.templates) >= _TEMPLATES:
                    continue
                template = self.templates[key] = Template(glance.texts[index], date, date, born=self.pages)
            template.pages += 1
            template.at = self.pages
            if not template.first <= date <= template.last:
                template.first, template.last = min(template.first, date), max(template.last, date)

    def _make_room(self, kept: set[int], new: int) -> None:
        """Drop templates so that new ones fit: stale ones, then the rarest; none of those that are kept."""
        lacking = len(self.templates) + new - _TEMPLATES
        if lacking <= 0:
            return
        others = [(key, one) for key, one in self.templates.items() if key not in kept]
        others.sort(key=lambda item: (self.pages - item[1].at < _STALE, item[1].pages, item[1].at))
        for key, _ in others[:lacking]:
            del self.templates[key]

    def _watch(self, date: str, known: float) -> None:
        """Tell a redesign: most of the templates that were known are on none of the last pages."""
        self.recent.append((date, known))
        settled = self.since - _WARM - _WINDOW
        if settled > 0:
            _, past = self.recent.pop(0)
            self.usual += (past - self.usual) / min(settled, _SLOW)
        now = sum(share for _, share in self.recent) / len(self.recent)
        if settled < _WINDOW or self.usual < _USUAL or now >= _DROP * self.usual:
            return
        place = next(place for place, (_, share) in enumerate(self.recent) if share < self.usual / 2)
        first = self.pages - _WINDOW + 1 + place  # page of the new design
        old = [one for one in self.templates.values() if one.at < first and one.pages > 1]
        gone = [one.text for one in sorted(old, key=lambda one: -one.pages)[:_GONE]]
        after = [share for _, share in self.recent[place:]]
        redesign = Redesign(self.recent[place][0], self.usual, sum(after) / len(after), gone)
        self.redesigns = [*self.redesigns, redesign][-_REDESIGNS:]
        self.templates = {key: one for key, one in self.templates.items() if one.at >= first}
        self.since, self.usual, self.recent = 0, 0.0, []

    def merge(self, later: SiteHistory) -> SiteHistory:
        """Return the history of this one's pages and then the other's; neither changes.

        Templates add up, and so do the counts of pages (:meth:`PageCounts.merge
        <detemplate.sites.pagecounts.PageCounts.merge>`). A redesign between the two is not found.
        """
        joined, before = self.from_json(later.to_json()), self.from_json(self.to_json())
        joined.pages += before.pages
        for key, template in joined.templates.items():
            template.born += before.pages
            template.at += before.pages
            old = before.templates.pop(key, None)
            if old is not None:
                template.pages += old.pages
                template.born = old.born
                template.first, template.last = min(template.first, old.first), max(template.last, old.last)
        joined.templates |= before.templates
        joined._make_room(set(), 0)
        joined.points = before.points + joined.points
        joined._join_points()
        joined.redesigns = (before.redesigns + joined.redesigns)[-_REDESIGNS:]
        joined.counts = before.counts.merge(later.counts)
        return joined

    def texts(self) -> list[Template]:
        """Return the templates of the present design, each text once, the most frequent ones first.

        A text at several places of the tree counts on the pages of the place that has most. Texts without a
        letter or a digit are left out.
        """
        texts: dict[str, Template] = {}
        for one in self.templates.values():
            if not any(map(str.isalnum, one.text)):
                continue
            same = texts.setdefault(one.text, replace(one))
            same.pages = max(same.pages, one.pages)
            same.first, same.last = min(same.first, one.first), max(same.last, one.last)
        return sorted(texts.values(), key=lambda one: (-one.pages, one.first, one.text))

    @property
    def share(self) -> float:
        """Mean share of template in the characters of the pages, in [0, 1]."""
        return sum(point.pages * point.share for point in self.points) / max(self.pages, 1)

    def to_json(self) -> str:
        """Write the history as JSON."""
        values = {
            "pages": self.pages,
            "since": self.since,
            "usual": round(self.usual, 4),
            "recent": [[date, round(known, 4)] for date, known in self.recent],
            "templates": [[f"{key:016x}", *astuple(one)] for key, one in self.templates.items()],
            "points": [astuple(point) for point in self.points],
            "redesigns": [astuple(redesign) for redesign in self.redesigns],
            "counts": self.counts.to_json(),
        }
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote; raises StateError for anything else."""
        try:
            values: dict[str, Any] = json.loads(text)
            history = cls(int(values["pages"]), int(values["since"]), float(values["usual"]))
            history.recent = [(str(date), float(known)) for date, known in values["recent"]]
            history.templates = {
                int(key, 16): Template(str(shown), str(first), str(last), int(pages), int(born), int(at))
                for key, shown, first, last, pages, born, at in values["templates"]
            }
            history.points = [
                Point(str(run), str(first), str(last), int(pages), float(share), float(known))
                for run, first, last, pages, share, known in values["points"]
            ]
            history.redesigns = [
                Redesign(str(date), float(before), float(after), [str(one) for one in gone])
                for date, before, after, gone in values["redesigns"]
            ]
            if "counts" in values:  # stores of format 2 have none
                history.counts = PageCounts.from_json(values["counts"])
        except DAMAGE as error:
            raise StateError(f"the history of a site is damaged: {error}") from error
        return history
