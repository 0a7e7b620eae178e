"""``detemplate graph tables``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import (
    Inputs,
    Logging,
    Overwrite,
    Quiet,
    Reading,
    SiteBy,
    show_summary,
)


def tables(
    inputs: Inputs,
    output: Annotated[
        str,
        Option(
            "A directory (ending in /): one directory of Parquet files a table.",
            "-o --output DIR/",
            panel="Output",
        ),
    ],
    k: Annotated[
        int, Option("An element with a child of at least N links is no pagelet.", "-k N", panel="Pagelets")
    ] = 3,
    width: Annotated[int, Option("Words a gram of a shingle.", "N", panel="Pagelets")] = 5,
    sketch: Annotated[int, Option("Minima a pagelet's shingle.", "N", panel="Pagelets")] = 4,
    overwrite: Overwrite = False,
    site_by: SiteBy = "host",
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_memory")],
    logging: Annotated[Logging, Without("summary", "every_skip", "progress", "metrics")],
) -> None:
    """Write a crawl's pages, pagelets and links as tables, in one pass.

    \b
    Examples:
      detemplate graph tables crawl.warc.gz -o crawl/
      detemplate graph tables site/ --base-url https://example.org/ -o tables/
    """
    from detemplate.links.tabulating import tabulate
    from detemplate.report.terminal import terminal_progress

    source = reading.source(inputs, outputs=(output, logging.rejects))
    done = tabulate(
        source,
        output,
        k=k,
        width=width,
        sketch=sketch,
        site_by=site_by,
        **reading.limits(),
        overwrite=overwrite,
        rejects=logging.rejects,
        progress=terminal_progress(quiet=quiet),
    )
    show_summary(done, quiet=quiet)
