"""``detemplate clean``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from detemplate.commands.shared import (
    BaseUrl,
    InputFormat,
    Inputs,
    MaxBytes,
    MaxSeconds,
    Method,
    Output,
    Overwrite,
    Quiet,
    RejectsFile,
    Show,
    SiteBy,
    SummaryFile,
    closing_summary,
    settings_of,
    source_of,
)


def clean(
    inputs: Inputs,
    output: Output = "-",
    method: Method = "auto",
    text_format: Annotated[str, typer.Option("--format", "-f", help="text, html or markdown.")] = "text",
    stream: Annotated[
        bool, typer.Option("--stream", help="One pass: clean each page as it arrives (always so for stdin).")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Write what was removed from each page, its score and the reason."),
    ] = False,
    metadata: Annotated[
        str,
        typer.Option(help="basic: write the page's title, author, days, language and more; none: do not."),
    ] = "basic",
    threshold: Annotated[
        float | None,
        typer.Option(metavar="X", help="Remove what scores above X (default: the method's own)."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set an option of the method; can be repeated."),
    ] = None,
    site_by: SiteBy = "host",
    base_url: BaseUrl = None,
    input_format: InputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
    max_page_seconds: MaxSeconds = 20.0,
    rejects: RejectsFile = None,
    summary: SummaryFile = None,
    show: Show = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Clean pages: remove what their sites' templates repeat.

    Two passes by default (learn all pages of a site, then clean them); one with --stream.

    \b
    Examples:
      detemplate clean crawl.warc.gz -o cleaned.jsonl
      cat pages.jsonl | detemplate clean - --stream -o -
      detemplate clean site/ --base-url https://example.org/ --format markdown -o cleaned/
      detemplate clean pages.parquet --method sandwich --format html -o cleaned.parquet
      detemplate clean crawl.warc.gz --method segments --set min_df=3 --explain --show 20 -o cleaned.jsonl.zst
    """
    from detemplate.engines.run import Job, run
    from detemplate.io.sinks.open import open_sink
    from detemplate.report.progress import terminal_progress

    job = Job(
        method=method,
        options=settings_of(settings or []),
        site_by=site_by,
        threshold=threshold,
        text_format=text_format,
        stream=stream,
        explain=explain,
        metadata=metadata,
        show=show,
        max_page_bytes=max_page_bytes,
        max_page_seconds=max_page_seconds,
    )
    source = source_of(inputs, base_url, input_format, max_page_bytes)
    with closing_summary(summary, quiet=quiet) as tell:
        sink = open_sink(output, format=text_format, overwrite=overwrite, command=" ".join(sys.argv))
        tell(run(source, sink, job, rejects=rejects, progress=terminal_progress(quiet=quiet)))
