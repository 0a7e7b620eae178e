"""``detemplate render``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.commands.shared import BaseUrl, InputFormat, Inputs, MaxBytes, Quiet, RejectsFile, source_of

if TYPE_CHECKING:
    from detemplate.engines.progress import Progress
    from detemplate.engines.summary import Summary
    from detemplate.io.sources.base import Source
    from detemplate.layout.browser import Rendering


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
    from detemplate.layout.browser import Rendering
    from detemplate.report.progress import terminal_progress

    settings = Rendering(
        width=width,
        height=height,
        seconds=max_page_seconds,
        memory=max_memory << 20,
        allow_network=allow_network,
    )
    source = source_of(inputs, base_url, input_format, max_page_bytes)
    done = _render_all(source, output, settings, max_page_bytes, rejects, terminal_progress(quiet=quiet))
    if not quiet:
        rate = done.pages / done.seconds if done.seconds else 0.0
        typer.echo(f"{done.pages:,} pages rendered, {done.seconds:.1f} s ({rate:,.1f} pages/s)", err=True)
        for line in done.lines()[2:]:  # after what cleaning is about
            typer.echo(line, err=True)


def _render_all(
    source: Source,
    output: str,
    settings: Rendering,
    max_page_bytes: int,
    rejects: str | None,
    progress: Progress | None,
) -> Summary:
    """Render every page of a source into a file of layouts."""
    import time
    from contextlib import ExitStack
    from dataclasses import asdict

    from detemplate.engines.intake import Intake, page_parser
    from detemplate.engines.limits import rejection
    from detemplate.engines.rejects import Rejects
    from detemplate.engines.summary import Summary
    from detemplate.errors import PageError
    from detemplate.io.record import Skip
    from detemplate.layout.browser import Renderer
    from detemplate.layout.store import LayoutWriter

    start = time.perf_counter()
    done = Summary("render", 1)
    intake = Intake(
        source, page_parser("host"), max_page_bytes=max_page_bytes, max_page_seconds=settings.seconds
    )
    with ExitStack() as stack:
        renderer = stack.enter_context(Renderer(settings))
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
                    writer.write(page, renderer.layout(page))
                    done.pages += 1
                    sites.add(page.site)
                except PageError as error:
                    skip = rejection(record, error)
            if skip is not None:
                done.skip(skip)
                if skip.rejected:
                    log.write(skip)
            if progress is not None:
                progress.advance(done.pages, len(sites), source.bytes_read)
        done.sites = len(sites)
    done.seconds = time.perf_counter() - start
    return done
