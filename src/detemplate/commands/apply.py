"""``detemplate expressions apply``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import (
    Logging,
    MinedOn,
    Output,
    Overwrite,
    Quiet,
    Reading,
    Show,
    SiteBy,
    closing_summary,
)


def apply(
    expressions: Annotated[
        str, Argument("What 'expressions mine' wrote: .json, or one a line.", "EXPRESSIONS")
    ],
    inputs: Annotated[
        list[str],
        Argument(
            "WARC, JSON Lines, Parquet, HTML or plain-text (.txt) files, directories, patterns, or - "
            "for stdin.",
            "INPUT…",
        ),
    ],
    output: Output = "-",
    on: MinedOn = "text",
    whose: Annotated[
        str,
        Option(
            "Whose expressions a page gets: own (its own site's), all, or auto (its own site's, where "
            "the file has any, else all).",
            "WHOSE",
        ),
    ] = "auto",
    merge_gap: Annotated[
        int | None,
        Option("Remove also what is left between two removals: under N characters.", "N", default="0"),
    ] = None,
    min_sliver: Annotated[
        int | None, Option("Keep what would be removed in pieces under N characters.", "N", default="20")
    ] = None,
    explain: Annotated[
        bool, Option("Write what was removed from each page, and which expressions match.", panel="Output")
    ] = False,
    show: Show = 0,
    overwrite: Overwrite = False,
    site_by: SiteBy = "host",
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_memory")],
    logging: Annotated[Logging, Without("every_skip", "progress", "metrics")],
) -> None:
    """Apply template expressions: remove what they match from pages or plain text, in one pass.

    \b
    Examples:
      detemplate expressions apply expressions.json crawl.warc.gz -o cleaned.jsonl
      detemplate expressions apply expressions.txt news/*.txt --min-sliver 30 -o cleaned/
      detemplate expressions apply expressions.json pages.jsonl --on html --explain -o -
    """
    from detemplate.expressions.files import read
    from detemplate.expressions.remove import MERGE_GAP, MIN_SLIVER, Locality
    from detemplate.io.sinks.open import open_sink
    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.mining.apply import ApplyJob
    from detemplate.mining.apply import apply as run
    from detemplate.report.terminal import terminal_progress

    refuse_outputs([expressions], (output, *logging.files))
    job = ApplyJob(
        expressions=read(expressions),
        on=on,
        whose=whose,
        locality=Locality(
            MERGE_GAP if merge_gap is None else merge_gap, MIN_SLIVER if min_sliver is None else min_sliver
        ),
        explain=explain,
        show=show,
        site_by=site_by,
        **reading.limits(),
    )
    source = reading.source(inputs, text=True, outputs=(output, *logging.files))
    with closing_summary(logging.summary, quiet=quiet) as report:
        sink = open_sink(output, format=on, overwrite=overwrite)
        report(run(source, sink, job, rejects=logging.rejects, progress=terminal_progress(quiet=quiet)))
