"""``detemplate clean``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    MaxMemory,
    MaxSeconds,
    MethodOrStore,
    Output,
    Overwrite,
    Quiet,
    Reading,
    RejectsFile,
    Settings,
    Show,
    SiteByOrStore,
    SummaryFile,
    Workers,
    closing_summary,
    identity_of,
    reads_pages,
    settings_of,
    workers_of,
)
from detemplate.errors import UserError
from detemplate.output.options import Images, Links, Tables  # noqa: TC001  # typer reads them


@reads_pages()
def clean(
    inputs: Inputs,
    output: Output = "-",
    method: MethodOrStore = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            show_default="by the output's name, else text",
            help="text (txt), markdown (md) or html; several, joined by commas, for several columns.",
        ),
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="jsonl, csv, tsv, arrow, parquet or warc, whatever the output's name says; on stdout: "
            "jsonl, csv, tsv or arrow.",
        ),
    ] = None,
    keep_scripts: Annotated[
        bool,
        typer.Option("--keep-scripts", help="Leave scripts, style sheets and event handlers in HTML."),
    ] = False,
    links: Annotated[
        Links | None,
        typer.Option(
            show_default="none in text, inline in Markdown",
            help="Addresses of links: none, inline behind their texts, or by reference at the end.",
        ),
    ] = None,
    images: Annotated[
        Images | None,
        typer.Option(
            show_default="none in text, inline in Markdown",
            help="Images: none, their descriptions (alt), or inline with their addresses.",
        ),
    ] = None,
    tables: Annotated[
        Tables | None,
        typer.Option(
            show_default="tsv in text, markdown in Markdown",
            help="Tables of data: none, cells between tabs (tsv), or between bars (markdown).",
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            "--state",
            metavar="FILE",
            help="Go on with what FILE says of the sites, if it exists; write what is learnt into it.",
        ),
    ] = None,
    frozen: Annotated[
        bool,
        typer.Option("--frozen", help="Learn nothing: clean each page by --store FILE alone, in one pass."),
    ] = False,
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
    settings: Settings = None,
    site_by: SiteByOrStore = None,
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    max_page_memory: MaxMemory = 2 << 30,
    workers: Workers = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Note in DIR how far the run has come; if it is killed, the same command goes on there.",
        ),
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(
            metavar="MB",
            show_default="1074",
            help="Memory for what is learnt; the rest waits in a file.",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Tell in FILE how the run goes: a JSON line every 30 seconds."),
    ] = None,
    metrics: Annotated[
        int | None,
        typer.Option(metavar="PORT", help="Tell the same to Prometheus, on 127.0.0.1:PORT/metrics."),
    ] = None,
    rejects: RejectsFile = None,
    every_skip: Annotated[
        bool,
        typer.Option(
            "--every-skip",
            help="List in --rejects all that was skipped: also duplicates, redirects, other media types.",
        ),
    ] = False,
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
      detemplate clean one.html -o one.md
      detemplate clean pages.parquet --method sandwich --format text,html -o cleaned.parquet
      detemplate clean monday.warc.gz --store templates.db -o monday.jsonl
      detemplate clean tuesday.warc.gz --store templates.db --frozen -o tuesday.csv.zst
      detemplate clean crawl/*.warc.gz --checkpoint progress/ -o cleaned.parquet
      detemplate clean crawl.warc.gz --method segments --set min_df=3 --explain --show 20 -o cleaned.jsonl.zst
    """
    from detemplate.engines.checkpoint import was_closing
    from detemplate.engines.job import Job
    from detemplate.engines.run import run
    from detemplate.io.sinks.base import STDOUT
    from detemplate.io.sinks.open import formats_of, open_sink
    from detemplate.report.progress import terminal_progress
    from detemplate.sites.store import DEFAULT_BUDGET

    kinds = formats_of(formats or [], output, output_format)
    job = Job(
        method=method,
        options=settings_of(settings or []),
        site_by=site_by,
        threshold=threshold,
        store=store,
        frozen=frozen,
        formats=kinds,
        keep_scripts=keep_scripts,
        links=links,
        images=images,
        tables=tables,
        stream=stream,
        explain=explain,
        metadata=metadata,
        show=show,
        every_skip=every_skip,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
        max_page_memory=max_page_memory,
        workers=workers_of(workers),
        checkpoint=checkpoint,
        memory=DEFAULT_BUDGET if memory is None else round(memory * 1e6),
        log=log,
        metrics=metrics,
        output=output if output != STDOUT else "",
        identity=identity_of(inputs, output, reading) | {"kind": output_format, "rejects": rejects},
    )
    if checkpoint is not None and output == STDOUT:
        raise UserError("a run with --checkpoint needs a file or a directory as its output: name it with -o")
    source = reading.source(inputs, outputs=(output, rejects, summary, store, log))
    progress = terminal_progress(quiet=quiet)
    with closing_summary(summary, quiet=quiet) as tell:
        sink = open_sink(
            output,
            format=kinds,
            kind=output_format,
            overwrite=overwrite or was_closing(checkpoint),
            command=" ".join(sys.argv),
        )
        tell(run(source, sink, job, rejects=rejects, progress=progress, lines=progress is None and not quiet))
