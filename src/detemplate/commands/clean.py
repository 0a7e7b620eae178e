"""``detemplate clean``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.merged import Size
from detemplate.commands.shared import (
    Checkpoint,
    GrownStore,
    Inputs,
    Judging,
    Logging,
    Output,
    Overwrite,
    Quiet,
    Reading,
    Show,
    Workers,
    Writing,
    closing_summary,
    identity_of,
    workers_of,
)
from detemplate.errors import Stopped, UserError
from detemplate.report.terminal import say


def clean(
    inputs: Inputs,
    output: Output = "-",
    output_format: Annotated[
        str | None,
        Option(
            "jsonl, csv, tsv, arrow, parquet, warc, or text, markdown or html of one page; spreadsheet: csv "
            "without formulas. On stdout, all but parquet and warc.",
            "KIND",
            panel="Output",
            default="by the output's name",
        ),
    ] = None,
    overwrite: Overwrite = False,
    store: GrownStore = None,
    frozen: Annotated[
        bool, Option("Learn nothing: clean each page by --store FILE alone, in one pass.", panel="Method")
    ] = False,
    stream: Annotated[
        bool, Option("One pass: clean each page as it arrives (always so for stdin).", panel="Run")
    ] = False,
    workers: Workers = None,
    checkpoint: Checkpoint = None,
    memory: Annotated[
        int | None,
        Option(
            "Maximum memory for what is learned, in MB or as 500MiB; the rest goes to a temporary file.",
            "SIZE",
            panel="Run",
            default="1GiB",
            type=Size(10**6),
        ),
    ] = None,
    show: Show = 0,
    quiet: Quiet = False,
    *,
    reading: Reading,
    writing: Writing,
    judging: Judging,
    logging: Logging,
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
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.checkpoint import was_closing
    from detemplate.run.job import Job
    from detemplate.run.run import finished, run
    from detemplate.sites.store import DEFAULT_BUDGET

    rendering = Rendering(format=writing.formats or own_format(output, output_format), **writing.how())
    streams = is_stdout(output) or is_stream(output)
    identity = identity_of(inputs, output, reading) | {"kind": output_format, "rejects": logging.rejects}
    job = Job(
        **judging.given(),
        **reading.limits(memory=True),
        store=store,
        frozen=frozen,
        rendering=rendering,
        stream=stream,
        show=show,
        every_skip=logging.every_skip,
        workers=workers_of(workers),
        checkpoint=checkpoint,
        memory=DEFAULT_BUDGET if memory is None else memory,
        log=logging.progress,
        metrics=logging.metrics,
        output="" if streams else output,
        identity=identity,
    )
    if checkpoint is not None and streams:
        raise UserError("a run with --checkpoint needs a file or a directory as its output: name it with -o")
    source = reading.source(inputs, outputs=(output, store, checkpoint, *logging.files))
    progress = terminal_progress(quiet=quiet)
    with closing_summary(logging.summary, quiet=quiet) as report:
        done = finished(source, job)
        if done is not None:
            say(f"this run is finished; remove {checkpoint} to do it again", err=True)
            report(done)
            return
        sink = open_sink(
            output,
            format=rendering.format,
            kind=output_format,
            explain=rendering.explain,
            overwrite=overwrite or was_closing(checkpoint),
        )
        lines = progress is None and not quiet
        done = run(source, sink, job, rejects=logging.rejects, progress=progress, lines=lines)
        try:
            report(done)
        except Stopped as stopped:
            stopped.advice = "all output was written"
            raise
