"""``detemplate render``: stores browser layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.commands.shared import BaseUrl, InputFormat, Inputs, MaxBytes, Quiet, RejectsFile, source_of

if TYPE_CHECKING:
    from detemplate.engines.run import Progress
    from detemplate.engines.summary import Summary
    from detemplate.io.sources.base import Source
    from detemplate.layout.browser import BrowserSettings


def render(
    inputs: Inputs,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file: .parquet.")],
    allow_network: Annotated[
        bool, typer.Option("--allow-network", help="Let pages load styles, images and frames.")
    ] = False,
    width: Annotated[int, typer.Option(metavar="N", help="Width of the window in pixels.")] = 1024,
    height: Annotated[int, typer.Option(metavar="N", help="Height of the window in pixels.")] = 768,
    max_page_seconds: Annotated[
        float, typer.Option(metavar="S", help="Give up on a page after S seconds.")
    ] = 10.0,
    max_memory: Annotated[
        int, typer.Option(metavar="MIB", help="End a browser that takes over MIB mebibytes.")
    ] = 2048,
    rejects: RejectsFile = None,
    base_url: BaseUrl = None,
    input_format: InputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
    quiet: Quiet = False,
) -> None:
    """Store where a browser puts each node of each page, for methods that ask for the layout.

    Needs Chromium or Chrome, and pip install 'detemplate[render]'. Scripts stay off.

    \b
    Examples:
      detemplate render crawl.warc.gz -o layout.parquet
      detemplate render pages.jsonl --allow-network --max-page-seconds 30 -o layout.parquet
    """
    from detemplate.layout.browser import BrowserSettings
    from detemplate.report.progress import terminal_progress

    settings = BrowserSettings(
        width=width,
        height=height,
        seconds=max_page_seconds,
        memory=max_memory << 20,
        allow_network=allow_network,
    )
    source = source_of(inputs, base_url, input_format, max_page_bytes)
    summary = _lay_out_all(source, output, settings, max_page_bytes, rejects, terminal_progress(quiet=quiet))
    if not quiet:
        rate = summary.pages / summary.seconds if summary.seconds else 0.0
        typer.echo(
            f"{summary.pages:,} pages rendered, {summary.seconds:.1f} s ({rate:,.1f} pages/s)", err=True
        )
        for line in summary.lines()[2:]:  # the first two are about cleaning
            typer.echo(line, err=True)


def _lay_out_all(
    source: Source,
    output: str,
    settings: BrowserSettings,
    max_page_bytes: int,
    rejects: str | None,
    progress: Progress | None,
) -> Summary:
    """Lay out every page of a source in the browser; write the layouts to a file."""
    import time
    from contextlib import ExitStack
    from dataclasses import asdict

    from detemplate.engines.intake import Clock, Intake, rejection
    from detemplate.engines.run import Job, Rejects
    from detemplate.engines.summary import Summary
    from detemplate.errors import PageError
    from detemplate.io.record import Skip
    from detemplate.layout.browser import LayoutBrowser
    from detemplate.layout.store import LayoutWriter

    start = time.perf_counter()
    summary = Summary("render", 1)
    clock = Clock(settings.seconds)
    intake = Intake(source, Job().cleaner(source), max_page_bytes=max_page_bytes, clock=clock)
    with ExitStack() as stack:
        browser = stack.enter_context(LayoutBrowser(settings))
        log = stack.enter_context(Rejects(rejects))
        writer = stack.enter_context(LayoutWriter(output, asdict(settings)))
        if progress is not None:
            stack.callback(progress.end)
            progress.begin("rendering", source.total_bytes)
        sites = set()
        for item in intake:
            skip = item if isinstance(item, Skip) else None
            if not isinstance(item, Skip):
                record, page = item
                try:
                    writer.write(page, browser.layout(page))
                    summary.pages += 1
                    sites.add(page.site)
                except PageError as error:
                    skip = rejection(record, error)
            if skip is not None:
                summary.skip(skip)
                if skip.rejected:
                    log.write(skip)
            if progress is not None:
                progress.advance(summary.pages, len(sites), source.bytes_read)
        summary.sites = len(sites)
    summary.seconds = time.perf_counter() - start
    return summary
