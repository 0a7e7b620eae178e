"""The report of sites, of an input or of a store: their templates, over pages and over time."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import xxhash

from detemplate.algorithms.keysample import KeySample, first_pages
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.page import address
from detemplate.report.htmlfile import html_file
from detemplate.report.templatecards import Part, Shown, cards, template_parts
from detemplate.run.progress import Meter
from detemplate.run.reader import record_in
from detemplate.run.summary import Summary
from detemplate.sites.history import Histories, PageCounts, PageSummary, SiteHistory
from detemplate.sites.naming import site_key, site_name, site_of
from detemplate.sites.storefile import StoreFile
from detemplate.sites.storejobs import known_share
from detemplate.sites.storetables import APPLICATION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.io.sources.base import Source
    from detemplate.output.result import Result
    from detemplate.run.job import Job
    from detemplate.run.progress import Progress


_NAMED: Final = 3  # sites that the title names


def site_report(
    sites: Sequence[Mapping[str, Any]],
    *,
    title: str | None,
    method: str,
    skipped: Mapping[str, int],
    from_store: bool,
    unlisted: int = 0,
) -> str:
    """Write the file.

    ``sites``: one a site: ``site``, ``pages``, ``share`` (mean share of template; None: not known),
        ``first`` and ``last`` (dates, may be empty). Those that are shown in detail also have ``cards``,
        ``points`` and ``redesigns``. Unless they are from a store, they have what
        :func:`page_counts` returns.
    ``title``: what the report is about; None: the sites.
    ``method``: name of the method.
    ``skipped``: number of records that were left out, by reason.
    ``from_store``: whether the sites are from a store, which does not know single pages.
    ``unlisted``: number of sites that the report leaves out.
    Returns: the HTML.
    Raises MissingExtra: jinja is not installed.
    """
    pages = sum(each["pages"] for each in sites)
    seen = [each for each in sites if each["share"] is not None]
    weight = sum(each.get("seen", each["pages"]) for each in seen)
    share = sum(each.get("seen", each["pages"]) * each["share"] for each in seen) / weight if weight else None
    return html_file(
        "report",
        {"sites": list(sites), "store": from_store},
        title=title or _names(sites, len(sites) + unlisted),
        method=method,
        pages=pages,
        share=share,
        sites=len(sites),
        unlisted=unlisted,
        skipped=sorted(skipped.items(), key=lambda item: -item[1]),
        from_store=from_store,
    )


def _names(sites: Sequence[Mapping[str, Any]], count: int) -> str:
    """Name the sites, the first few of many."""
    names = [each["site"] for each in sites[:_NAMED] if each["site"] not in {"", "file:"}]
    if not names:
        return "pages without URLs"
    return ", ".join(names) + (f" and {count - len(names):,} more" if count > len(names) else "")


DETAILED: Final = 24
"""Maximum number of sites that are shown in detail: those with the most pages."""

LISTED: Final = 5_000
"""Maximum number of sites that are listed."""

_COUNTED: Final = 200_000  # sites whose pages are counted; beyond, the smaller half is dropped
_SAMPLED: Final = 64  # pages of a site from which the looks of its templates are taken, about
_ROOM: Final = 2_500_000  # characters that the looks of all templates may take

_CONTENT: Final = 0.9
"""Pages with more template than this show no looks: on them, a part of the page is all of it."""

_HELD: Final = 4_000_000  # characters of the looks of a site's templates that are held while pages are read
_DATED: Final = 20_000  # removed texts of a site whose dates are known: the first ones
_TEXTS: Final = 1 << 15  # removed texts of a site whose pages are counted, and as many kept ones
_POINTS: Final = 128  # maximum number of points of the curve of growth
_DIRECTORIES: Final = 20  # directories that are listed


class Look(NamedTuple):
    """What is taken from one page."""

    url: str
    """Its URL."""
    site: str
    """Its site."""
    share: float
    """Share of the text's characters that are template."""
    page_summary: PageSummary | None
    """What the history of its site takes; None if the site is not shown in detail."""
    template: tuple[int, ...]
    """Keys of its template segments."""
    parts: dict[int, Part]
    """The parts that hold its templates, by key; from some pages only."""


@dataclass(frozen=True, slots=True)
class Looker:
    """Looks at results; runs in workers.

    ``strides``: by site that is shown in detail: one of so many pages shows how its templates look.
    """

    strides: Mapping[str, int]

    def __call__(self, result: Result) -> Look:
        """Take what a report needs of a page."""
        page, verdict, share = result.page, result.verdict, result.template_share
        stride = self.strides.get(page.site)
        if stride is None:
            return Look(page.url, page.site, share, None, (), {})
        place = xxhash.xxh3_64_intdigest(page.url.encode("utf-8", "surrogatepass"))
        parts = template_parts(page, verdict) if place % stride == 0 and share < _CONTENT else {}
        template = np.unique(page.segment_keys[verdict.template]).tolist()
        return Look(page.url, page.site, share, PageSummary.of(page, verdict, _TEXTS), tuple(template), parts)


@dataclass(slots=True)
class _Looks:
    """How the templates of a site look, and when they were seen.

    ``parts``: by key: a part of a page.
    ``room``: characters of HTML that further parts may take.
    ``dates``: by key: the first and the last date of pages from which it was removed.
    """

    parts: dict[int, Part] = field(default_factory=dict)
    room: int = _HELD
    dates: dict[int, tuple[str, str]] = field(default_factory=dict)

    def add(self, look: Look, date: str) -> None:
        """Take in a page."""
        for key, part in look.parts.items():
            if key not in self.parts and len(part.html) <= self.room:
                self.room -= len(part.html)
                for each in part.keys:
                    self.parts.setdefault(each, part)
        for key in look.template:
            first, last = self.dates.get(key, ("", ""))
            if first or len(self.dates) < _DATED:
                self.dates[key] = min(first or date, date), max(last, date)


class _Gathered:
    """What the pages of a run have told."""

    def __init__(self, detailed: set[str]) -> None:
        self.light: dict[str, tuple[int, float]] = {}  # by site: pages, and sum of their shares
        self.looks = {site: _Looks() for site in detailed}
        self._kept = {
            site_key(site): SiteHistory(counts=PageCounts(removed=KeySample(_TEXTS), kept=KeySample(_TEXTS)))
            for site in detailed
        }
        self.histories = Histories(self._kept.get, self._kept.__setitem__)

    def add(self, look: Look, date: str | None) -> None:
        """Take in a page."""
        if look.site not in self.light and len(self.light) >= _COUNTED:
            return
        pages, total = self.light.get(look.site, (0, 0.0))
        self.light[look.site] = pages + 1, total + look.share
        if look.page_summary is not None:
            self.looks[look.site].add(look, self.histories.date_of(date))
            self.histories.add(look.site, look.page_summary, date)

    def sites(self) -> list[dict[str, Any]]:
        """Describe the sites, those with the most pages first."""
        self.histories.flush()
        found = []
        room = _ROOM // max(len(self.looks), 1)
        for site, (pages, total) in sorted(self.light.items(), key=lambda item: (-item[1][0], item[0])):
            told: dict[str, Any] = {"site": site, "pages": pages, "share": total / pages}
            history = self._kept.get(site_key(site))
            if history is not None:
                told |= page_counts(history.counts) | in_time(history)
                told["cards"], told["all_cards"] = cards(
                    self._templates(site, history), self.looks[site].parts, room
                )
            found.append(told)
        return found

    def _templates(self, site: str, history: SiteHistory) -> dict[int, Shown]:
        """Describe what was removed from several pages of a site: where it has a look, or a history."""
        looks = self.looks[site]
        texts = {key: each.text for key, each in history.templates.items()}
        texts |= {key: part.text for key, part in looks.parts.items()}
        pages = history.counts.removed.counts_of(texts)
        return {
            key: Shown(text, count, *looks.dates.get(key, ("", "")))
            for (key, text), count in zip(texts.items(), pages, strict=True)
            if count >= min(2, history.pages)
        }


def in_time(history: SiteHistory) -> dict[str, Any]:
    """Describe a site's history."""
    return {
        "first": min((point.first for point in history.points), default=""),
        "last": max((point.last for point in history.points), default=""),
        "points": [
            {"first": each.first, "pages": each.pages, "share": each.share, "known": each.known}
            for each in history.points
        ],
        "redesigns": [{"date": each.date, "gone": each.gone} for each in history.redesigns],
    }


def page_counts(counts: PageCounts) -> dict[str, Any]:
    """Describe the counts of a site's pages.

    Numbers of texts are estimates where the samples do not hold all: ``sampled`` is then the number of texts
    in them. ``counted`` is the number of pages; if it is 0, there is nothing else.
    """
    if not counts.pages:
        return {"counted": 0}
    counts.sample()
    removed, kept = counts.removed, counts.kept
    bins, cut = _frequency_bins(removed, kept, counts.pages)
    every, share = first_pages(removed, kept)
    template, template_share = first_pages(removed)
    at = np.unique(np.linspace(1, counts.pages, _POINTS).astype(np.int64))
    texts = np.round(every.searchsorted(at, side="right") / share).astype(np.int64)
    templates = np.round(template.searchsorted(at, side="right") / template_share).astype(np.int64)
    directories = sorted(counts.directories.items(), key=lambda item: (-item[1][0], item[0]))
    return {
        "counted": counts.pages,
        "shares": counts.shares,
        "frequencies": bins,
        "cut": cut,
        "growth": list(zip(at.tolist(), texts.tolist(), np.minimum(templates, texts).tolist(), strict=True)),
        "sampled": len(removed) + len(kept) if share < 1 else 0,
        "directories": [
            {"name": name, "pages": pages, "share": round(total / pages, 3)}
            for name, (pages, total) in directories[:_DIRECTORIES]
        ],
        "all_directories": len(directories),
        "lost": counts.lost,
        "none": {"pages": counts.none.pages, "urls": counts.none.urls},
        "only": {"pages": counts.only.pages, "urls": counts.only.urls},
    }


def _frequency_bins(
    removed: KeySample, kept: KeySample, pages: int
) -> tuple[list[dict[str, int]], int | None]:
    """Count texts by numbers of pages; and find from which number on more are removed than kept."""
    bins, low = [], 1
    while low <= pages:
        high = min(2 * low - 1, pages)
        template, content = (
            round(np.count_nonzero((each.counts >= low) & (each.counts <= high)) / each.share)
            for each in (removed, kept)
        )
        bins.append({"low": low, "high": high, "template": template, "content": content})
        low = high + 1
    cut = None
    for each in reversed(bins):
        if each["content"] > each["template"]:
            break
        if each["template"]:
            cut = each["low"]
    return bins, cut


def report_pages(
    source: Source, job: Job, *, title: str | None, progress: Progress | None = None
) -> tuple[str, Summary]:
    """Write the report of an input's sites, in two passes.

    ``source``: the input; it must be readable twice.
    ``job``: the method, its options, the limits of a page, and the number of workers.
    ``title``: what the report is about; None: the sites.
    ``progress``: shows how far the passes have come.
    Returns: the HTML.
    Returns: the counts of the run.
    Raises UserError: the input cannot be read twice; for an unknown method or option.
    """
    if not source.rereadable:
        raise UserError("a report reads its input twice: give files, not standard input")
    with ExitStack() as stack:
        cleaner = stack.enter_context(job.cleaner(streaming=False))
        meter = stack.enter_context(Meter(progress, source))
        reader = job.reader(source)
        summary, counted = Summary(cleaner.method, 2), Counter[str]()
        meter.begin("learning")
        learning = cleaner.passes(record_in, Looker({}), job.limits, ahead=True)
        for number, (item, skip, _) in enumerate(reader.through(learning.learn), 1):
            if isinstance(item, Record) and skip is None:
                counted[_site(item, cleaner.site_by)] += 1
                if len(counted) > _COUNTED:
                    counted = Counter(dict(counted.most_common(_COUNTED // 2)))
            meter.advance(number, cleaner.used_sites)
        strides = {site: max(pages // _SAMPLED, 1) for site, pages in counted.most_common(DETAILED)}
        gathered = _Gathered(set(strides))
        meter.begin("looking")
        looking = cleaner.passes(record_in, Looker(strides), job.limits, ahead=True)
        for item, look in looking.clean(reader.items()):
            skip = reader.losses.skip_of(item, look)
            if skip is not None:
                summary.skip(skip)
            elif isinstance(item, Record) and not isinstance(look, PageError):
                summary.pages += 1
                gathered.add(look, item.source.date if item.source else None)
            meter.advance(summary.pages, len(gathered.light))
    summary.sites = len(gathered.light)
    sites = gathered.sites()
    written = site_report(
        sites[:LISTED],
        title=title,
        method=summary.method,
        skipped=summary.skipped,
        from_store=False,
        unlisted=max(len(sites) - LISTED, 0),
    )
    return written, summary


def _site(record: Record, site_by: str) -> str:
    """Name the site of a record as its page will."""
    return address.site_name(site_of(record.url, site_by) if record.site is None else record.site)


def is_store_file(path: str) -> bool:
    """Tell by its first bytes whether a file is a store: SQLite, with the application's number."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION.to_bytes(4, "big")


def report_store(path: str, *, title: str | None) -> tuple[str, int]:
    """Write the report of a store's sites; return it, and their number.

    Raises UserError: the store is damaged.
    """
    with closing(StoreFile(path)) as store:
        rows = sorted(store.rows(), key=lambda row: (-row.pages, site_name(row.name)))
        sites = []
        for number, row in enumerate(rows[:LISTED]):
            history = store.history(row.name) or SiteHistory()
            told: dict[str, Any] = {
                "site": site_name(row.name),
                "pages": row.pages,
                "share": known_share(history, row.pages),
            }
            told |= {"first": row.first, "last": row.last, "seen": history.pages}
            if number < DETAILED:
                told |= in_time(history) | page_counts(history.counts)
                known = {
                    key: Shown(each.text, each.pages, each.first, each.last)
                    for key, each in history.templates.items()
                }
                told["cards"], told["all_cards"] = cards(known, {}, 0)
            sites.append(told)
        method = store.settings.method
    written = site_report(
        sites,
        title=title,
        method=method,
        skipped={},
        from_store=True,
        unlisted=max(len(rows) - LISTED, 0),
    )
    return written, len(rows)
