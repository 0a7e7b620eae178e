"""Laying out the pages of a source in a browser, into a file of layouts."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

from detemplate.engines.intake import Intake, page_parser
from detemplate.engines.limits import rejection
from detemplate.engines.loop import run_pass
from detemplate.engines.progress import Meter
from detemplate.engines.rejects import Rejects
from detemplate.engines.summary import Summary
from detemplate.errors import PageError
from detemplate.layout.store import LayoutWriter
from lab.layouts.browser import LayoutBrowser

if TYPE_CHECKING:
    from detemplate.engines.progress import Progress
    from detemplate.io.record import Record, Skip
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page
    from lab.layouts.browser import BrowserSettings


def store_layouts(
    source: Source,
    output: str,
    settings: BrowserSettings,
    *,
    max_page_bytes: int,
    rejects: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Lay out every page of a source in the browser, and write the layouts to a file.

    Parameters
    ----------
    source
        The input.
    output
        The file: ``.parquet``.
    settings
        Window, limits and network of the browser. Its time limit holds for parsing, too.
    max_page_bytes
        Larger pages are lost.
    rejects, progress
        As for :func:`detemplate.engines.run.run`.

    Returns
    -------
    Summary
        Its pages are those laid out; it has no counts of text.

    Raises
    ------
    UserError
        No browser is installed, or the output cannot be written.
    MissingExtra
        Playwright is not installed.
    """
    start = time.perf_counter()
    summary = Summary("render", 1)
    sites: set[str] = set()
    with ExitStack() as stack:
        browser = stack.enter_context(LayoutBrowser(settings))
        log = stack.enter_context(Rejects(rejects))
        writer = stack.enter_context(LayoutWriter(output, asdict(settings)))
        meter = stack.enter_context(Meter(progress, source, pages_a_step=1))
        intake = Intake(
            source,
            page_parser("host"),
            max_page_bytes=max_page_bytes,
            max_page_seconds=settings.seconds,
            meter=meter,
        )
        meter.begin("rendering")

        def work(item: tuple[Record, Page]) -> Skip | None:
            record, page = item
            try:
                layout = browser.layout(page)
            except PageError as error:
                return rejection(record, error)
            writer.write(page, layout)
            sites.add(page.site)
            summary.pages += 1
            summary.sites = len(sites)
            return None

        run_pass(intake, work, summary=summary, rejects=log, meter=meter)
    summary.seconds = time.perf_counter() - start
    return summary
