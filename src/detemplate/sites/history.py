"""The history of a site: which templates its pages had, since when, and when it was redesigned.

It is made of summaries of cleaned pages, and it is for people: no verdict depends on it. It is bounded,
whatever the pages are. No page is kept by itself, and the counts of two runs add up.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import astuple, dataclass, field, fields, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

import numpy as np

from detemplate.algorithms.keysample import KeySample
from detemplate.detectors.state import DAMAGE, StateError
from detemplate.errors import abridged
from detemplate.files.jsonvalues import utc_now
from detemplate.page.address import directory
from detemplate.sites.naming import site_key

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

Made = TypeVar("Made", bound="Template | Point | Redesign | _Few")

SAMPLE: Final = 24
"""Maximum number of templates that a page's summary has."""

TEXTS: Final = 256
"""Texts of which a history keeps the numbers of pages: so many that were removed, and so many kept."""

_MANY: Final = 2048  # segments of a page beyond which a summary has some of their keys

WIDTH: Final = 100
"""Characters of a template's text that are kept."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The first characters of texts of a ``page``'s segments by ``numbers``, read when they are asked for."""

    page: Page
    numbers: tuple[int, ...]

    def __getitem__(self, index: int) -> str:
        return self.page.segment_text(self.numbers[index])[:WIDTH]

    def __reduce__(self) -> tuple[type[tuple[str, ...]], tuple[list[str]]]:
        """Become a tuple where it is pickled."""
        return tuple, ([self[index] for index in range(len(self.numbers))],)


class PageSummary(NamedTuple):
    """What the history of a site takes from one cleaned page.

    ``share``: share of the text's characters that are template.
    ``keys``, ``texts``: keys of some of the removed segments, each once, and their texts.
    ``url``, ``chars``: the page's URL, and the characters of its text.
    ``every``, ``goes``: keys of its segments, 64-bit numbers, and whether each of them was removed, a byte
        each; of many segments, those that samples of their keys can take.
    """

    share: float
    keys: tuple[int, ...]
    texts: Texts | tuple[str, ...]
    url: str = ""
    chars: int = 0
    every: bytes = b""
    goes: bytes = b""

    @classmethod
    def of(cls, page: Page, verdict: Verdict, most: int = TEXTS) -> Self:
        """Look at a page and its verdict, for samples of ``most`` keys.

        Of more removed segments than :data:`SAMPLE`, those with the smallest keys are taken: a template that
        is on two pages is taken from both or from none, but for what the pages have of their own.
        """
        chars, template, every = page.segment_chars, verdict.template, page.segment_keys
        numbers = template.nonzero()[0]
        total = int(chars.sum())
        share = int(chars[numbers].sum()) / total if total else 0.0
        keys, places = np.unique(every[numbers], return_index=True)
        chosen = tuple(numbers[places[:SAMPLE]].tolist())
        if len(every) > _MANY:
            every, template = _smallest(every, template, most)
        return cls(
            share, tuple(keys[:SAMPLE].tolist()), Texts(page, chosen), page.url, total, every.tobytes(),
            template.tobytes(),
        )  # fmt: skip


def _smallest(
    every: npt.NDArray[np.uint64], template: npt.NDArray[np.bool_], most: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return the smallest keys of removed and of kept segments, one more than samples keep of each."""
    parts = [np.unique(every[each])[: most + 1] for each in (template, ~template)]
    return np.concatenate(parts), np.repeat([True, False], [len(part) for part in parts])


BINS: Final = 20
"""Bins of shares of template, of equal width."""

_DIRECTORIES: Final = 48  # maximum number of directories that are told apart
_URLS: Final = 8  # URLs of pages out of line that are kept, of each kind: the last ones
_NAME: Final = 120  # characters of a directory's name that are kept
_URL: Final = 200  # characters of a URL that are kept
_WAITING: Final = 32  # pages whose texts are taken into the samples together, which takes a sixth of the time
_SEGMENTS: Final = 8192  # segments of pages that may wait


@dataclass(slots=True)
class _Few:
    """The number of pages of one kind, and the URLs of the last ones."""

    pages: int = 0
    urls: list[str] = field(default_factory=list)

    def add(self, pages: int, urls: list[str]) -> None:
        """Add later pages."""
        self.pages += pages
        self.urls = [*self.urls, *urls][-_URLS:]


@dataclass(slots=True)
class PageCounts:
    """Counts of the pages of a site, in their order.

    ``pages``, ``total``, ``shares``: number of pages, sum of their shares of template, and pages by that
        share, in :data:`BINS` bins.
    ``directories``, ``lost``: by name: pages, and the sum of their shares. Of more than 48, those with many
        pages are kept (Misra and Gries 1982): each number may be too low, by at most ``lost``, which is at
        most a 49th of the pages.
    ``none``, ``only``: pages without template, and pages with nothing else.
    ``removed``, ``kept``: samples of the texts that were removed, and of those that were kept, but for the
        pages that wait: pages of each, and the first. A text that a page has several times can be both.
    ``waiting``: keys of the segments of the last pages, and which of them were removed. :meth:`sample` takes
        them in.
    """

    pages: int = 0
    total: float = 0.0
    shares: list[int] = field(default_factory=lambda: [0] * BINS)
    directories: dict[str, tuple[int, float]] = field(default_factory=dict)
    lost: int = 0
    none: _Few = field(default_factory=_Few)
    only: _Few = field(default_factory=_Few)
    removed: KeySample = field(default_factory=lambda: KeySample(TEXTS))
    kept: KeySample = field(default_factory=lambda: KeySample(TEXTS))
    waiting: list[tuple[bytes, bytes]] = field(default_factory=list)

    def add(self, page: PageSummary) -> None:
        """Count a page."""
        share = page.share
        self.pages += 1
        self.total += share
        self.shares[min(int(share * BINS), BINS - 1)] += 1
        if not page.chars or share >= 1:
            self.only.add(1, [abridged(page.url, _URL)])
        elif share == 0:
            self.none.add(1, [abridged(page.url, _URL)])
        name = _directory(page.url)
        pages, total = self.directories.get(name, (0, 0.0))
        self.directories[name] = pages + 1, total + share
        if len(self.directories) > _DIRECTORIES:
            self._cut_directories()
        self.waiting.append((page.every, page.goes))
        if len(self.waiting) >= _WAITING or sum(len(goes) for _, goes in self.waiting) >= _SEGMENTS:
            self.sample()

    def sample(self) -> None:
        """Take the texts of pages that wait into the samples."""
        if not self.waiting:
            return
        waiting, self.waiting = self.waiting, []
        keys = np.frombuffer(b"".join([every for every, _ in waiting]), np.uint64)
        goes = np.frombuffer(b"".join([goes for _, goes in waiting]), np.bool_)
        numbers = np.arange(self.pages - len(waiting) + 1, self.pages + 1, dtype=np.uint32)
        pages = np.repeat(numbers, [len(goes) for _, goes in waiting])
        for sample, chosen in ((self.removed, goes), (self.kept, ~goes)):
            sample.add(keys[chosen], pages[chosen])

    def _cut_directories(self) -> None:
        """Subtract the count of the largest one too many from all; drop those without a count left."""
        counts = sorted((pages for pages, _ in self.directories.values()), reverse=True)
        if len(counts) <= _DIRECTORIES:
            return
        less = counts[_DIRECTORIES]
        self.lost += less
        self.directories = {
            name: (pages - less, total * (pages - less) / pages)
            for name, (pages, total) in self.directories.items()
            if pages > less
        }

    def merge(self, later: PageCounts) -> PageCounts:
        """Return the counts of this one's pages and then the other's; neither changes.

        They are those of one run over all pages, but for other directories that may be left of too many.
        """
        joined = self.from_json(self.to_json())
        joined.pages += later.pages
        joined.total += later.total
        joined.shares = [one + two for one, two in zip(self.shares, later.shares, strict=True)]
        for name, (pages, total) in later.directories.items():
            before = joined.directories.get(name, (0, 0.0))
            joined.directories[name] = before[0] + pages, before[1] + total
        joined.lost += later.lost
        joined._cut_directories()
        joined.none.add(later.none.pages, later.none.urls)
        joined.only.add(later.only.pages, later.only.urls)
        later.sample()
        joined.removed = self.removed.merge(later.removed, self.pages)
        joined.kept = self.kept.merge(later.kept, self.pages)
        return joined

    def to_json(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        self.sample()
        return {
            "pages": self.pages,
            "total": round(self.total, 4),
            "shares": self.shares,
            "directories": [
                [name, pages, round(total, 4)] for name, (pages, total) in self.directories.items()
            ],
            "lost": self.lost,
            "none": [self.none.pages, self.none.urls],
            "only": [self.only.pages, self.only.urls],
            "removed": self.removed.to_text(),
            "kept": self.kept.to_text(),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Read what :meth:`to_json` gave; raises ValueError, LookupError or TypeError for anything else."""
        counts = cls(int(values["pages"]), float(values["total"]), [int(each) for each in values["shares"]])
        if len(counts.shares) != BINS:
            raise ValueError(f"it has {len(counts.shares)} bins of shares")
        counts.directories = {
            str(name): (int(pages), float(total)) for name, pages, total in values["directories"]
        }
        counts.lost = int(values["lost"])
        counts.none, counts.only = (_made(_Few, values[name]) for name in ("none", "only"))
        counts.removed, counts.kept = (
            KeySample.from_text(values[name], TEXTS) for name in ("removed", "kept")
        )
        return counts


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "int": int,
    "float": float,
    "str": str,
    "list[str]": lambda texts: [str(text) for text in texts],
}


def _made(kind: type[Made], values: list[Any]) -> Made:
    """Make a record of JSON values; they become what its fields are."""
    return kind(*(_READ[str(each.type)](value) for each, value in zip(fields(kind), values, strict=True)))


def _directory(url: str) -> str:
    """Name the directory of a page."""
    plain = url.count("/") > 2 and "?" not in url and "#" not in url
    return _known_directory(url[: url.rfind("/") + 1]) if plain else _shown(url)


def _shown(url: str) -> str:
    return abridged(directory(url), _NAME)


_known_directory = lru_cache(maxsize=1024)(_shown)  # Pages one after the other are often of one directory


_TEMPLATES: Final = 48  # maximum number of templates of a site
_STALE: Final = 100  # pages after which a template that was not seen again is the first to make room
_POINTS: Final = 32  # maximum number of points in time; beyond, neighbours are joined
_POINT_PAGES: Final = 256  # pages after which a run begins another point
_REDESIGNS: Final = 12  # maximum number of redesigns; the last ones are kept

# Pages after which a template is known; so many also only teach, at the beginning and after a redesign.
_WARM: Final = 20

_WINDOW: Final = 20  # number of pages in a row that tell a redesign
_USUAL: Final = 0.5  # least usual share of known templates for which a drop is a redesign
_DROP: Final = 0.2  # a drop below this part of the usual share is a redesign
_SLOW: Final = 64  # pages over which the usual share is averaged
_GONE: Final = 5  # texts that a redesign lists


@dataclass(slots=True)
class Template:
    """A text that was removed, at one place in the page's tree.

    ``text``, ``first``, ``last``: its first characters; when it was first and last seen (UTC, ISO 8601).
    ``pages``, ``born``, ``at``: number of pages that it was seen on; numbers of the first and the last one,
        among those that were seen.
    """

    text: str
    first: str
    last: str
    pages: int = 0
    born: int = 0
    at: int = 0


@dataclass(slots=True)
class Point:
    """Some pages in a row.

    ``run``: when the run began that saw the last of them.
    ``first``, ``last``, ``pages``: dates of the first and the last page, and number of pages.
    ``share``, ``known``: mean share of template in their characters, and of their templates that were known
        before.
    """

    run: str
    first: str
    last: str
    pages: int = 0
    share: float = 0.0
    known: float = 0.0

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
    """The moment when the known templates of a site went.

    ``date``: date of the first page of the new design.
    ``before``, ``after``: share of a page's templates that were known: usually, and on the pages by which
        this was found.
    ``gone``: texts of templates that went: the most frequent ones.
    """

    date: str
    before: float
    after: float
    gone: list[str]


@dataclass(slots=True)
class SiteHistory:
    """What summaries of a site's pages have told, in the pages' order.

    ``pages``, ``since``: number of pages seen, and of those since the last redesign.
    ``usual``: share of a page's templates that are known, usually.
    ``templates``: templates of the present design by key: the most frequent ones.
    ``points``, ``redesigns``: in the order in which they were seen.
    ``recent``: dates of the last pages, and the share of their templates that were known.
    ``counts``: counts of the pages together.
    """

    pages: int = 0
    since: int = 0
    usual: float = 0.0
    templates: dict[int, Template] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    redesigns: list[Redesign] = field(default_factory=list)
    recent: list[tuple[str, float]] = field(default_factory=list)
    counts: PageCounts = field(default_factory=PageCounts)

    def add(self, page: PageSummary, date: str, run: str) -> None:
        """Take in a page: what is seen of it, when it was fetched, and when the run began (UTC, ISO 8601)."""
        seen = [self.templates.get(key) for key in page.keys]
        self.pages += 1
        old = [each for each in seen if each is not None and each.born <= self.pages - _WARM]
        known = len(old) / max(len(seen), 1)
        self.since += 1
        self.counts.add(page)
        self._point(Point(run, date, date, 1, page.share, known))
        self._count(page, date)
        if self.since > _WARM:
            self._watch(date, known)

    def _point(self, new: Point) -> None:
        """Add pages to the last point, or begin another."""
        points = self.points
        if points and points[-1].run == new.run and points[-1].pages < _POINT_PAGES:
            points[-1].add(new)
        else:
            points.append(new)
            self._join_points()

    def _join_points(self) -> None:
        """Join neighbours, those with the fewest pages first, until there are few enough points."""
        points = self.points
        while len(points) > _POINTS:
            sizes = [one.pages + two.pages for one, two in pairwise(points)]
            at = sizes.index(min(sizes))
            points[at].add(points.pop(at + 1))

    def _count(self, page: PageSummary, date: str) -> None:
        """Count a page's templates, as far as there is room."""
        here = set(page.keys)
        self._make_room(here, len(here - self.templates.keys()))
        for index, key in enumerate(page.keys):
            template = self.templates.get(key)
            if template is None:
                if len(self.templates) >= _TEMPLATES:
                    continue
                template = self.templates[key] = Template(page.texts[index], date, date, born=self.pages)
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

        Templates and counts add up. A redesign between the two is not found.
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
            history.templates = {int(key, 16): _made(Template, one) for key, *one in values["templates"]}
            history.points = [_made(Point, one) for one in values["points"]]
            history.redesigns = [_made(Redesign, one) for one in values["redesigns"]]
            history.counts = PageCounts.from_json(values["counts"])
        except DAMAGE as error:
            raise StateError(f"the history of a site is damaged: {error}") from error
        return history


# Histories that are held in memory, about 40 KB each; the others are in the store's transaction.
_HELD: Final = 1000

# Pages for each history that is read back: where the pages of more sites than are held are mixed, some are
# left out, as reading a history takes longer than adding a page to it.
_RELOADS: Final = 8

_SAVED: Final = 100.0  # histories that may be read back at once

# The beginning of a date that an input states.
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)


class Histories:
    """Takes the summaries of pages; reads and writes the histories of their sites, by the sites' keys."""

    def __init__(
        self,
        read: Callable[[str | bytes], SiteHistory | None],
        write: Callable[[str | bytes, SiteHistory], None],
    ) -> None:
        self._read = read
        self._write = write
        self._held: OrderedDict[str, SiteHistory] = OrderedDict()
        self._run = utc_now()
        self._reloads = _SAVED

    def add(self, site: str, page: PageSummary, date: str | None = None) -> None:
        """Take in a page of a site; if it is not known when it was fetched, the run's date counts."""
        self._reloads = min(self._reloads + 1 / _RELOADS, _SAVED)
        history = self._held.get(site)
        if history is None:
            if len(self._held) >= _HELD:
                if self._reloads < 1:
                    return
                self._reloads -= 1
                oldest, held = self._held.popitem(last=False)
                self._write(site_key(oldest), held)
            history = self._read(site_key(site)) or SiteHistory()
            self._held[site] = history
        self._held.move_to_end(site)
        history.add(page, self.date_of(date), self._run)

    def date_of(self, date: str | None) -> str:
        """Return the date of a page (UTC, ISO 8601): when it was fetched, or else the run's date."""
        fetched = _MOMENT.match(date or "")
        return f"{fetched[0]}Z" if fetched else self._run

    def flush(self) -> None:
        """Write all histories that are held."""
        for site, history in self._held.items():
            self._write(site_key(site), history)
        self._held.clear()
