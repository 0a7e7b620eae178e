"""``detemplate clean``."""

from __future__ import annotations

from typing import Annotated, Final

from detemplate.commands.cleaningoptions import (
    Drop,
    EverySkip,
    Explain,
    Formats,
    HowImages,
    HowLinks,
    HowTables,
    Keep,
    KeepScripts,
    Log,
    Sanitize,
    Threshold,
    WhichMetadata,
)
from detemplate.commands.command import Option
from detemplate.commands.merged import Merged, Size, merging
from detemplate.commands.shared import (
    AS_USUAL,
    COLUMN,
    MAX_PAGE,
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
    settings_of,
    workers_of,
)
from detemplate.errors import Stopped, UserError
from detemplate.report.terminal import say

_LOG: Final = Merged(
    "--log",
    {
        "progress": "log",
        "rejects": "rejects",
        "skips": ("rejects", "every_skip"),
        "summary": "summary",
        "metrics": "metrics",
    },
    plain="log",
    commas=False,
    metavar="NAME=FILE",
    help="Write as JSON: summary=FILE, the counts at the end; rejects=FILE, the pages that were lost, and "
    "why; skips=FILE, also what is no page; progress=FILE, a line every 30 seconds. metrics=PORT tells "
    "Prometheus. Repeatable.",
)
_RENDER: Final = Merged(
    "--render",
    {
        "links": "links",
        "images": "images",
        "tables": "tables",
        "html": {"scripts": "keep_scripts", "sanitized": "sanitize"},
    },
    metavar="NAME=VALUE",
    help="How pages are written: links=none, inline or reference; images=none, alt or inline; tables=none, "
    "tsv or markdown; html=scripts (they stay) or sanitized (harmless inside of other pages).",
)


@merging(MAX_PAGE, COLUMN, _RENDER, _LOG)
def clean(
    inputs: Inputs,
    output: Output = "-",
    method: MethodOrStore = None,
    formats: Formats = None,
    output_format: Annotated[
        str | None,
        Option(
            metavar="KIND",
            help="jsonl, csv, tsv, arrow, parquet, warc, or text, markdown or html of one page, whatever the "
            "output's name says; spreadsheet: csv without formulas. On stdout, all but parquet and warc.",
        ),
    ] = None,
    keep_scripts: KeepScripts = False,
    sanitize: Sanitize = False,
    links: HowLinks = None,
    images: HowImages = None,
    tables: HowTables = None,
    store: Annotated[
        str | None,
        Option(
            "--store",
            "--state",
            metavar="FILE",
            help="Go on with what FILE says of the sites, if it exists; write what is learnt into it.",
        ),
    ] = None,
    frozen: Annotated[
        bool,
        Option("--frozen", help="Learn nothing: clean each page by --store FILE alone, in one pass."),
    ] = False,
    stream: Annotated[
        bool, Option("--stream", help="One pass: clean each page as it arrives (always so for stdin).")
    ] = False,
    explain: Explain = False,
    metadata: WhichMetadata = "basic",
    threshold: Threshold = None,
    keep: Keep = None,
    drop: Drop = None,
    settings: Settings = None,
    site_by: SiteByOrStore = None,
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    max_page_memory: MaxMemory = 2 << 30,
    workers: Workers = None,
    checkpoint: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Note in DIR how far the run has come; if it is killed, the same command goes on there.",
        ),
    ] = None,
    memory: Annotated[
        int | None,
        Option(
            metavar="SIZE",
            type=Size(10**6),
            show_default="1 GiB",
            help="Memory for what is learnt, in MB or as 500MiB; the rest waits in a file.",
        ),
    ] = None,
    log: Log = None,
    metrics: Annotated[
        int | None,
        Option(metavar="PORT", help="Tell the same to Prometheus, on 127.0.0.1:PORT/metrics."),
    ] = None,
    rejects: RejectsFile = None,
    every_skip: EverySkip = False,
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
    from detemplate.files.atomic import is_stream
    from detemplate.io.sinks.open import open_sink, own_format
    from detemplate.io.sinks.out import is_stdout
    from detemplate.output.options import Rendering
    from detemplate.report.progress import terminal_progress
    from detemplate.run.claim import was_closing
    from detemplate.run.job import Job
    from detemplate.run.run import finished, run
    from detemplate.sites.store import DEFAULT_BUDGET

    rendering = Rendering(
        links,
        images,
        tables,
        keep_scripts,
        sanitize,
        formats or own_format(output, output_format),
        explain,
        metadata,
    )
    streams = is_stdout(output) or is_stream(output)
    job = Job(
        method=method,
        options=settings_of(settings or []),
        site_by=site_by,
        threshold=threshold,
        store=store,
        frozen=frozen,
        rendering=rendering,
        keep=tuple(keep or ()),
        drop=tuple(drop or ()),
        stream=stream,
        show=show,
        every_skip=every_skip,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
        max_page_memory=max_page_memory,
        workers=workers_of(workers),
        checkpoint=checkpoint,
        memory=DEFAULT_BUDGET if memory is None else memory,
        log=log,
        metrics=metrics,
        output="" if streams else output,
        identity=identity_of(inputs, output, reading) | {"kind": output_format, "rejects": rejects},
    )
    if checkpoint is not None and streams:
        raise UserError("a run with --checkpoint needs a file or a directory as its output: name it with -o")
    source = reading.source(inputs, outputs=(output, rejects, summary, store, log))
    progress = terminal_progress(quiet=quiet)
    with closing_summary(summary, quiet=quiet) as tell:
        done = finished(source, job)
        if done is not None:
            say(f"this run is finished; remove {checkpoint} to do it again", err=True)
            tell(done)
            return
        sink = open_sink(
            output,
            format=rendering.format,
            kind=output_format,
            overwrite=overwrite or was_closing(checkpoint),
        )
        done = run(
            source, sink, job, rejects=rejects, progress=progress, lines=progress is None and not quiet
        )
        try:
            tell(done)
        except Stopped as stopped:
            stopped.advice = "all output was written"
            raise
