"""Judging one page by several methods, after they have learned its site."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.detectors.causes import causes_of
from detemplate.errors import MOST_LISTED, PageError, UserError, abridged, listed
from detemplate.io.record import Record, Skip
from detemplate.output.choice import unused
from detemplate.page import tags
from detemplate.report.htmlfile import asset, html_file, sanitised_html
from detemplate.run.cleaner import Engine
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader, page_parser, record_page
from detemplate.sites.naming import site_key, site_name
from detemplate.sites.storefile import StoreFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from detemplate.detectors.verdict import Verdict
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page
    from detemplate.run.progress import Progress

_SHOWN: Final = 240  # characters of a segment's text that the list shows
_DEEP: Final = 6  # elements of a path that are shown, from the inside out


class Judged(NamedTuple):
    """What one method says about the page."""

    method: str
    """Name of the method."""
    verdict: Verdict
    """Its verdict."""
    pages: int
    """Pages of the site that it has learned."""
    idle: list[str]
    """What :func:`~detemplate.output.choice.unused` says of the rules."""


def explained_page(page: Page, judged: Sequence[Judged]) -> str:
    """Write the file of a page.

    ``judged``: the verdicts of one or more methods, the one to show first first.
    Returns: the HTML.
    Raises MissingExtra: jinja is not installed.
    """
    segments = range(len(page.segments))
    data = {
        "frame": sanitised_html(page, asset("frame.css")),
        "texts": [abridged(" ".join(page.segment_text(each).split()), _SHOWN) for each in segments],
        "chars": page.segment_chars.tolist(),
        "paths": [_path(page, int(row)) for row in page.segments],
        "methods": [
            {
                "name": each.method,
                "threshold": round(float(each.verdict.threshold), 6),
                "pages": each.pages,
                "scores": [round(float(score), 4) for score in each.verdict.scores],
                "template": each.verdict.template.tolist(),
                **_reasons(each.verdict),
            }
            for each in judged
        ],
    }
    return html_file(
        "explain",
        data,
        title=page.title or page.url or "A page",
        url=page.url,
        site=page.site,
        segments=len(page.segments),
        methods=[each.method for each in judged],
        learned=judged[0].pages,
        single=not any(each.pages for each in judged),
    )


def _reasons(verdict: Verdict) -> dict[str, object]:
    """Return the reasons and causes of all segments; equal ones once, by their numbers."""
    numbers: dict[str, int] = {}
    reasons: list[dict[str, object]] = []
    which = []
    for segment in range(len(verdict)):
        reason = verdict.explain(segment)
        if reason not in numbers:
            numbers[str(reason)] = len(reasons)
            causes = [[each.code, each.weight, dict(each.values)] for each in causes_of(reason)]
            reasons.append({"text": str(reason), "causes": causes})
        which.append(numbers[reason])
    return {"reasons": reasons, "reason": which}


def _path(page: Page, row: int) -> str:
    """Tell where a segment is: the tags around it with their ids or first classes, the innermost last."""
    parts = [_named(page, above) for above in islice(page.columns.above(row), _DEEP + 1)]
    if len(parts) > _DEEP:
        parts[-1] = "…"
    return " › ".join(reversed(parts))


def _named(page: Page, row: int) -> str:
    tag = int(page.columns.tag[row]) & tags.NUMBER
    start = page.canonical[page.columns.start[row] :][:400].decode("utf-8", "replace")
    name = tags.NAMES[tag] if 0 < tag < len(tags.NAMES) else start[1:].split(">")[0].split()[0]
    head = start.partition(">")[0]
    for attribute, sign in ((" id=", "#"), (" class=", ".")):
        value = head.partition(f'{attribute}"')[2].partition('"')[0].split()
        if value:
            return f"{name}{sign}{abridged(value[0], 30)}"
    return name


_NAME_IT: Final = "name its URL with --url"  # how to say where a page is from


def find_page(
    source: Source, *, url: str | None, file: str | None, site_by: str, max_page_bytes: int, seconds: float
) -> Page:
    """Find the page to explain.

    ``url``: URL of the page; of an input that is one file of HTML, it is the page's own. None: the input's
        first page.
    ``file``: name of the page's file, if the input is a folder.
    ``site_by``: what is one site.
    ``max_page_bytes``, ``seconds``: limits of a page.
    Raises UserError: there is no such page, or it cannot be parsed.
    """
    reader = Reader(
        source, page_parser(site_by), max_page_bytes=max_page_bytes, max_page_seconds=seconds, max_bad=1.0
    )
    first: Skip | None = None
    seen: list[Record] = []
    for item in reader.items():
        record = item[0] if isinstance(item, tuple) else item
        if file is not None and not (record.source and same_file(record.source.path, file)):
            continue
        if isinstance(item, Skip):
            first = first or item
            if url is not None and item.url == url:
                raise UserError(str(PageError(item.reason, item.detail, item.url)))
        elif url is None or item[1].url == url:
            return item[1]
        elif len(seen) <= MOST_LISTED:
            seen.append(item[0])
    if url is not None and len(seen) == 1 and seen[0].url.startswith("file:"):
        return record_page(replace(seen[0], url=url), site_by, keep_document=True)
    if url is not None:
        raise UserError(f"the input has no page {url!r}; {_has(seen)}")
    why = f": {PageError(first.reason, first.detail, first.url)}" if first is not None else ""
    raise UserError(f"the input has no page to explain{why}")


def same_file(name: str, other: str) -> bool:
    """Tell whether two names are of one file that exists."""
    try:
        return Path(name).samefile(other)
    except (OSError, ValueError):
        return False


def _has(seen: Sequence[Record]) -> str:
    """Tell which pages an input has."""
    if not seen:
        return "it has none"
    return f"it has {listed(each.url for each in seen)}"


def judge_page(
    page: Page,
    methods: Sequence[str],
    *,
    site: Source | None = None,
    store: str | None = None,
    options: Mapping[str, Any] | None = None,
    site_by: str = "host",
    threshold: float | None = None,
    rules: Mapping[str, Any] = MappingProxyType({}),
    max_page_bytes: int,
    seconds: float,
    progress: Progress | None = None,
) -> list[Judged]:
    """Judge a page by methods that have learned its site.

    ``methods``: names of methods. With a store, the store's method comes first, and has learned what the
        store says.
    ``site``: pages of the site; those of other sites are passed over. None: the page is all there is.
    ``store``: a store that knows the site. A page without a URL is of the only site that there is.
    ``options``: options of the first method.
    ``site_by``: what is one site.
    ``threshold``: threshold of the first method; None: its own.
    ``rules``: ``keep`` and ``drop`` of :class:`~detemplate.Cleaner`, for all methods.
    ``max_page_bytes``, ``seconds``: limits of a page of the site; those beyond are passed over.
    ``progress``: shows how far learning has come.
    Returns: one a method.
    Raises UserError: for an unknown method or option, a store that cannot be used or does not know the site,
        pages that are all of other sites, or of several if the page has no URL.
    """
    given: dict[str, Any] = dict(options or {})
    if threshold is not None:
        given["threshold"] = threshold
    with ExitStack() as stack:
        cleaners: list[Engine] = []
        if store is not None:
            _join_store(page, store)
            cleaners.append(stack.enter_context(Engine.load(store, streaming=False, **rules, **given)))
            given = {}
        for name in methods:
            if name not in {each.method for each in cleaners}:
                made = Engine(name, site_by=site_by, streaming=False, **rules, **given)
                cleaners.append(stack.enter_context(made))
                given = {}
        if site is not None:
            reader = Reader(
                site, page_parser(site_by), max_page_bytes=max_page_bytes, max_page_seconds=seconds
            )
            meter = stack.enter_context(Meter(progress, site))
            _learn(page, reader, cleaners[1:] if store is not None else cleaners, meter)
        judged = []
        for each in cleaners:
            result, known = each.clean(page), each.detector(page.site).pages
            idle = unused(each.work.choice, result.rules)
            judged.append(Judged(each.method, result.verdict, known, idle))
        return judged


def _learn(page: Page, reader: Reader[Any], cleaners: Sequence[Engine], meter: Meter) -> None:
    """Learn the pages of a page's site."""
    meter.begin("learning")
    alone, learned, others = _nameless(page), 0, Counter[str]()
    for item in reader:
        if isinstance(item, Skip):
            continue
        if alone and not learned and not _nameless(item[1]):  # it is of the only site there is
            page.site = item[1].site
        if item[1].site != page.site:
            others[item[1].site] += 1
            continue
        for cleaner in cleaners:
            cleaner.learn(item[1])
        learned += 1
        meter.advance(learned, 1)
    if alone and learned and others:
        raise UserError(
            f"the page has no URL, and --site has pages of {len(others) + 1:,} sites: "
            f"{_names([page.site, *others])}; {_NAME_IT}"
        )
    if not learned:
        raise UserError(
            f"the page is of the site {page.site!r}, and --site has pages of {_names(others)} only: "
            "name other pages, or say what is one site with --site-by"
        )


def way_of(store: str | None, given: str | None) -> str:
    """Return what is one site: as given, else as a store has it, else the host; UserError if they differ."""
    if store is None:
        return given or "host"
    with closing(StoreFile(store)) as file:
        known = file.settings.site_by
    if given not in {None, known}:
        raise UserError(f"{store} was learned with --site-by {known}: leave --site-by {given} out")
    return known


def _join_store(page: Page, path: str) -> None:
    """Make a page without a URL one of a store's only site; raise UserError if the store lacks its site."""
    with closing(StoreFile(path)) as store:
        if store.row(site_key(page.site)) is not None:
            return
        if not _nameless(page):
            raise UserError(
                f"{path} does not know the page's site {page.site!r}; 'detemplate store show {path}' lists "
                "those that it knows"
            )
        if store.sites != 1:
            raise UserError(f"the page has no URL, and {path} knows {store.sites:,} sites: {_NAME_IT}")
        page.site = next(site_name(row.name) for row in store.rows())


def _nameless(page: Page) -> bool:
    """Tell whether nothing says from where on the web a page is."""
    return not page.url or page.url.startswith("file:")


def _names(sites: Iterable[str]) -> str:
    """List the names of some sites."""
    return listed(each or "(no host)" for each in sites)
