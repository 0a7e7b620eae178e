"""``detemplate render``: stores browser layouts."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    Quiet,
    Reading,
    RejectsFile,
    check_complete,
)
from detemplate.report.terminal import say


def render(
    inputs: Inputs,
    output: Annotated[str, Option("--output", "-o", metavar="FILE", help="The file: .parquet.")],
    allow_network: Annotated[
        bool,
        Option("--allow-network", help="Let pages load styles, images, frames, from public addresses."),
    ] = False,
    allow_private: Annotated[
        bool,
        Option("--allow-private", help="With --allow-network: also from this machine and private networks."),
    ] = False,
    width: Annotated[int, Option(metavar="N", help="Width of the window in pixels.")] = 1024,
    height: Annotated[int, Option(metavar="N", help="Height of the window in pixels.")] = 768,
    max_page_seconds: Annotated[float, Option(metavar="S", help="Give up on a page after S seconds.")] = 10.0,
    max_memory: Annotated[
        int, Option(metavar="MIB", help="End a browser that takes over MIB mebibytes.")
    ] = 2048,
    rejects: RejectsFile = None,
    reading: Reading = AS_USUAL,
    quiet: Quiet = False,
) -> None:
    """Store where a browser puts each node of each page, for methods that ask for the layout.

    Needs Chromium or Chrome, and pip install 'detemplate[render]'. Scripts stay off.

    \b
    Examples:
      detemplate render crawl.warc.gz -o layout.parquet
      detemplate render pages.jsonl --allow-network --max-page-seconds 30 -o layout.parquet
    """
    from detemplate.engines.browserlayouts import store_layouts
    from detemplate.layout.browser import BrowserSettings
    from detemplate.report.progress import terminal_progress

    settings = BrowserSettings(
        width=width,
        height=height,
        seconds=max_page_seconds,
        memory=max_memory << 20,
        allow_network=allow_network,
        allow_private=allow_private,
    )
    source = reading.source(inputs, outputs=(output, rejects))
    summary = store_layouts(
        source,
        output,
        settings,
        max_page_bytes=reading.max_page_bytes,
        rejects=rejects,
        progress=terminal_progress(quiet=quiet),
    )
    if not quiet:
        rate = summary.pages / summary.seconds if summary.seconds else 0.0
        say(f"{summary.pages:,} pages rendered, {summary.seconds:.1f} s ({rate:,.1f} pages/s)", err=True)
        for line in summary.lines()[2:]:  # the first two are about cleaning
            say(line, err=True)
    check_complete(summary.skipped)
