"""``detemplate expressions apply``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import (
    AS_USUAL,
    MaxSeconds,
    Output,
    Overwrite,
    Quiet,
    Reading,
    RejectsFile,
    Show,
    SiteBy,
    SummaryFile,
    closing_summary,
)


def apply(
    expressions: Annotated[
        str,
        Argument(metavar="EXPRESSIONS", help="What 'expressions mine' wrote: .json, or one a line."),
    ],
    inputs: Annotated[
        list[str],
        Argument(
            metavar="INPUT…",
            help="WARC, JSON Lines, Parquet, HTML or plain-text (.txt) files, directories, patterns, "
            "or - for stdin.",
        ),
    ],
    output: Output = "-",
    on: Annotated[
        str,
        Option(
            help="text: the pages' visible text; html: their markup, unparsed: what is left of it may "
            "not be well formed. Use what the expressions were mined on."
        ),
    ] = "text",
    whose: Annotated[
        str,
        Option(
            help="Whose expressions a page gets: own (its own site's), all, or auto (its own site's, "
            "where the file has any, else all)."
        ),
    ] = "auto",
    merge_gap: Annotated[
        int | None,
        Option(metavar="N", help="Remove also what is left between two removals: under N characters."),
    ] = None,
    min_sliver: Annotated[
        int | None,
        Option(metavar="N", help="Keep what would be removed in pieces under N characters (default 20)."),
    ] = None,
    explain: Annotated[
        bool,
        Option("--explain", help="Write what was removed from each page, and which expressions match."),
    ] = False,
    site_by: SiteBy = "host",
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    rejects: RejectsFile = None,
    summary: SummaryFile = None,
    show: Show = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
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
    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.mining.apply import ApplyJob
    from detemplate.mining.apply import apply as run
    from detemplate.report.progress import terminal_progress

    refuse_outputs([expressions], (output, rejects, summary))
    job = ApplyJob(
        expressions=read(expressions),
        on=on,
        whose=whose,
        locality=Locality(
            MERGE_GAP if merge_gap is None else merge_gap, MIN_SLIVER if min_sliver is None else min_sliver
        ),
        site_by=site_by,
        explain=explain,
        show=show,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
    )
    source = reading.source(inputs, text=True, outputs=(output, rejects, summary))
    with closing_summary(summary, quiet=quiet) as tell:
        sink = open_sink(output, format=on, overwrite=overwrite)
        tell(run(source, sink, job, rejects=rejects, progress=terminal_progress(quiet=quiet)))
