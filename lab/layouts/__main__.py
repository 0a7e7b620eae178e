"""``python -m lab.layouts``: stores browser layouts."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from detemplate.cli import main
from detemplate.commands.command import Option, Without, command_of
from detemplate.commands.shared import Inputs, Logging, Quiet, Reading, check_complete
from detemplate.errors import PageError
from detemplate.report.terminal import say, terminal_progress
from detemplate.run.limits import Rejects, rejection
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader, page_parser
from detemplate.run.summary import Summary, run_pass
from lab.layouts.browser import BrowserSettings, LayoutBrowser
from lab.layouts.storing import LayoutWriter

if TYPE_CHECKING:
    from detemplate.io.record import Record, Skip
    from detemplate.page.page import Page


def render(
    inputs: Inputs,
    output: Annotated[str, Option("The file: .parquet.", "-o --output FILE")],
    allow_network: Annotated[
        bool, Option("Let pages load styles, images, frames, from public addresses.")
    ] = False,
    allow_private: Annotated[
        bool, Option("With --allow-network: also from this machine and private networks.")
    ] = False,
    width: Annotated[int, Option("Width of the window in pixels.", "N")] = 1024,
    height: Annotated[int, Option("Height of the window in pixels.", "N")] = 768,
    max_page_seconds: Annotated[float, Option("Give up on a page after S seconds.", "S")] = 10.0,
    max_memory: Annotated[int, Option("End a browser that takes over MIB mebibytes.", "MIB")] = 2048,
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_seconds", "max_page_memory")],
    logging: Annotated[Logging, Without("summary", "every_skip", "progress", "metrics")],
) -> None:
    """Store where a browser puts each node of each page; needs Chromium and the extra lab. Scripts stay off.

    \b
    Examples:
      python -m lab.layouts crawl.warc.gz -o layout.parquet
      python -m lab.layouts pages.jsonl --allow-network --max-page-seconds 30 -o layout.parquet
    """
    settings = BrowserSettings(
        width=width,
        height=height,
        seconds=max_page_seconds,
        memory=max_memory << 20,
        allow_network=allow_network,
        allow_private=allow_private,
    )
    source = reading.source(inputs, outputs=(output, logging.rejects))
    progress = terminal_progress(quiet=quiet)
    with ExitStack() as stack:
        browser = stack.enter_context(LayoutBrowser(settings))
        log = stack.enter_context(Rejects(logging.rejects))
        writer = stack.enter_context(LayoutWriter(output, asdict(settings)))
        meter = stack.enter_context(Meter(progress, source, pages_a_step=1))
        reader = Reader(
            source,
            page_parser("host"),
            max_page_bytes=reading.max_page_bytes,
            max_page_seconds=settings.seconds,
            meter=meter,
        )
        meter.begin("rendering")
        start = time.perf_counter()
        summary = Summary("render", 1)  # it has no counts of text
        sites: set[str] = set()

        def lay_out(item: tuple[Record, Page]) -> Skip | None:
            record, page = item
            try:
                writer.write(page, browser.layout(page))
            except PageError as error:
                return rejection(record, error)
            sites.add(page.site)
            summary.pages += 1
            return None

        run_pass(reader, lay_out, summary=summary, rejects=log, meter=meter)
        summary.sites = len(sites)
        summary.seconds = time.perf_counter() - start
    if not quiet:
        rate = summary.pages / summary.seconds if summary.seconds else 0.0
        say(f"{summary.pages:,} pages rendered, {summary.seconds:.1f} s ({rate:,.1f} pages/s)", err=True)
        for line in summary.lines()[2:]:  # the first two are about cleaning
            say(line, err=True)
    check_complete(summary.skipped)


if __name__ == "__main__":
    sys.exit(main(command=command_of(render)))
