"""``detemplate graph tables``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    MaxSeconds,
    Overwrite,
    Quiet,
    Reading,
    RejectsFile,
    SiteBy,
    show_summary,
)


def tables(
    inputs: Inputs,
    output: Annotated[
        str,
        Option(
            "--output",
            "-o",
            metavar="DIR/",
            help="A directory (ending in /): one directory of Parquet files a table.",
        ),
    ],
    k: Annotated[
        int,
        Option("-k", metavar="N", help="An element with a child of at least N links is no pagelet."),
    ] = 3,
    width: Annotated[int, Option(metavar="N", help="Words a gram of a shingle.")] = 5,
    sketch: Annotated[int, Option(metavar="N", help="Minima a pagelet's shingle.")] = 4,
    site_by: SiteBy = "host",
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    rejects: RejectsFile = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Write a crawl's pages, pagelets and links as tables, in one pass.

    \b
    Examples:
      detemplate graph tables crawl.warc.gz -o crawl/
      detemplate graph tables site/ --base-url https://example.org/ -o tables/
    """
    from detemplate.links.tabulating import TablesJob, tabulate
    from detemplate.report.progress import terminal_progress

    job = TablesJob(
        k=k,
        width=width,
        sketch=sketch,
        site_by=site_by,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
    )
    source = reading.source(inputs, outputs=(output, rejects))
    done = tabulate(
        source,
        output,
        job,
        overwrite=overwrite,
        rejects=rejects,
        progress=terminal_progress(quiet=quiet),
    )
    show_summary(done, quiet=quiet)
