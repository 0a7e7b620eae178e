"""Judging one page by several methods, after they have learnt its site."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from detemplate.errors import PageError, UserError
from detemplate.io.record import Skip
from detemplate.report.explainedpage import Judged
from detemplate.run.cleaner import Cleaner
from detemplate.run.intake import Intake, page_parser
from detemplate.run.progress import Meter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page
    from detemplate.run.progress import Progress


def find_page(source: Source, *, url: str | None, site_by: str, max_page_bytes: int, seconds: float) -> Page:
    """Find the page to explain.

    ``url``: URL of the page; None: the input's first page.
    ``site_by``: what is one site.
    ``max_page_bytes``, ``seconds``: limits of a page.
    Raises UserError: there is no such page, or it cannot be parsed.
    """
    intake = Intake(
        source, page_parser(site_by), max_page_bytes=max_page_bytes, max_page_seconds=seconds, max_bad=1.0
    )
    first: Skip | None = None
    for item in intake.items():
        if isinstance(item, Skip):
            first = first or item
            if url is not None and item.url == url:
                raise UserError(str(PageError(item.reason, item.detail, item.url)))
        elif url is None or item[1].url == url:
            return item[1]
    if url is not None:
        raise UserError(f"the input has no page {url!r}; 'detemplate inspect' tells what it has")
    why = f": {PageError(first.reason, first.detail, first.url)}" if first is not None else ""
    raise UserError(f"the input has no page to explain{why}")


def judge_page(
    page: Page,
    methods: Sequence[str],
    *,
    site: Source | None = None,
    store: str | None = None,
    options: Mapping[str, Any] | None = None,
    site_by: str = "host",
    threshold: float | None = None,
    max_page_bytes: int,
    seconds: float,
    progress: Progress | None = None,
) -> list[Judged]:
    """Judge a page by methods that have learnt its site.

    ``methods``: names of methods. With a store, the store's method comes first, and has learnt what the store
        says.
    ``site``: pages of the site; those of other sites are passed over. None: the page is all there is.
    ``store``: a store that knows the site.
    ``options``: options of the first method.
    ``site_by``: what is one site.
    ``threshold``: threshold of the first method; None: its own.
    ``max_page_bytes``, ``seconds``: limits of a page of the site; those beyond are passed over.
    ``progress``: shows how far learning has come.
    Returns: one a method.
    Raises UserError: for an unknown method or option, a store that cannot be used, or pages that are all of
        other sites.
    """
    given: dict[str, Any] = dict(options or {})
    if threshold is not None:
        given["threshold"] = threshold
    with ExitStack() as stack:
        cleaners: list[Cleaner] = []
        if store is not None:
            cleaners.append(stack.enter_context(Cleaner.load(store, streaming=False, **given)))
            given = {}
        for name in methods:
            if name not in {each.method for each in cleaners}:
                made = Cleaner(name, site_by=site_by, streaming=False, **given)
                cleaners.append(stack.enter_context(made))
                given = {}
        if site is not None:
            learn = cleaners[1:] if store is not None else cleaners
            intake = Intake(
                site, page_parser(site_by), max_page_bytes=max_page_bytes, max_page_seconds=seconds
            )
            meter = stack.enter_context(Meter(progress, site))
            meter.begin("learning")
            learnt = others = 0
            for item in intake:
                if isinstance(item, Skip):
                    continue
                if item[1].site != page.site:
                    others += 1
                    continue
                for cleaner in learn:
                    cleaner.learn(item[1])
                learnt += 1
                meter.advance(learnt, 1)
            if not learnt:
                raise UserError(
                    f"none of the {others:,} pages of --site is of the page's site {page.site!r}: name the "
                    "page's URL (--url, or --base-url for files), or what is one site (--site-by)"
                )
        return [
            Judged(each.method, each.clean(page).verdict, each.detector(page.site).pages) for each in cleaners
        ]
