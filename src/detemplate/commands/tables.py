"""``detemplate tables``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.commands.shared import (
    BaseUrl,
    InputFormat,
    Inputs,
    MaxBytes,
    MaxSeconds,
    Overwrite,
    Quiet,
    RejectsFile,
    SiteBy,
    source_of,
)

if TYPE_CHECKING:
    from detemplate.io.record import Skip
    from detemplate.page.page import Page


def tables(
    inputs: Inputs,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A .duckdb file, or a directory (ending in /) for Parquet files.",
        ),
    ],
    k: Annotated[
        int,
        typer.Option("-k", metavar="N", help="An element with a child of at least N links is no pagelet."),
    ] = 3,
    width: Annotated[int, typer.Option(metavar="N", help="Words a gram of a shingle.")] = 5,
    sketch: Annotated[int, typer.Option(metavar="N", help="Minima a pagelet's shingle.")] = 4,
    site_by: SiteBy = "host",
    base_url: BaseUrl = None,
    input_format: InputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
    max_page_seconds: MaxSeconds = 20.0,
    rejects: RejectsFile = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Write a crawl's pages, pagelets and links as tables, in one pass.

    \b
    Examples:
      detemplate tables crawl.warc.gz -o crawl.duckdb
      detemplate tables site/ --base-url https://example.org/ -o tables/
    """
    from contextlib import ExitStack

    from detemplate.engines.intake import Clock, Intake
    from detemplate.engines.run import Job, Rejects
    from detemplate.relations.build import build
    from detemplate.relations.write import open_tables
    from detemplate.report.progress import terminal_progress

    job = Job(site_by=site_by, max_page_bytes=max_page_bytes, max_page_seconds=max_page_seconds)
    source = source_of(inputs, base_url, input_format, max_page_bytes)
    sites: set[str] = set()
    with ExitStack() as stack:
        log = stack.enter_context(Rejects(rejects))
        cleaner = job.cleaner(source)  # names the sites
        stack.callback(cleaner.close)
        intake = Intake(source, cleaner, max_page_bytes=max_page_bytes, clock=Clock(max_page_seconds))
        writer = stack.enter_context(open_tables(output, overwrite=overwrite))
        bar = terminal_progress(quiet=quiet)
        if bar is not None:
            stack.callback(bar.end)
            bar.begin("tabulating", source.total_bytes)

        def skipped(skip: Skip) -> None:
            if skip.rejected:
                log.write(skip)

        def seen(pages: int, page: Page) -> None:
            if bar is not None:
                sites.add(page.site)
                if pages % 16 == 0:
                    bar.advance(pages, len(sites), source.bytes_read)

        done = build(intake, writer, k=k, width=width, sketch=sketch, on_skip=skipped, on_page=seen)
    if not quiet:
        for line in done.lines():
            typer.echo(line, err=True)
