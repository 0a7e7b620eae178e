"""``detemplate learn``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.merged import merging
from detemplate.commands.shared import (
    AS_USUAL,
    COLUMN,
    MAX_PAGE,
    Inputs,
    MaxMemory,
    MaxSeconds,
    MethodOrStore,
    Quiet,
    Reading,
    RejectsFile,
    Settings,
    SiteByOrStore,
    SummaryFile,
    Workers,
    closing_summary,
    settings_of,
    workers_of,
)


@merging(MAX_PAGE, COLUMN)
def learn(
    inputs: Inputs,
    store: Annotated[
        str,
        Option(
            "--store", metavar="FILE", help="Where what is learnt is kept; FILE is made, or goes on with."
        ),
    ],
    method: MethodOrStore = None,
    settings: Settings = None,
    site_by: SiteByOrStore = None,
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    max_page_memory: MaxMemory = 2 << 30,
    workers: Workers = None,
    rejects: RejectsFile = None,
    summary: SummaryFile = None,
    quiet: Quiet = False,
) -> None:
    """Learn the templates of pages into a store; nothing is cleaned.

    One pass. 'clean --store FILE --frozen' then cleans pages by what was learnt.

    \b
    Examples:
      detemplate learn crawl.warc.gz --store templates.db
      zcat pages.jsonl.gz | detemplate learn - --store templates.db --method segments
    """
    from detemplate.report.progress import terminal_progress
    from detemplate.run.job import Job
    from detemplate.run.learning import learn as run

    job = Job(
        method=method,
        options=settings_of(settings or []),
        site_by=site_by,
        store=store,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
        max_page_memory=max_page_memory,
        workers=workers_of(workers),
    )
    source = reading.source(inputs, outputs=(store, rejects, summary))
    with closing_summary(summary, quiet=quiet) as tell:
        tell(run(source, job, rejects=rejects, progress=terminal_progress(quiet=quiet)))
