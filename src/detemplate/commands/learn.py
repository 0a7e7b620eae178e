"""``detemplate learn``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import (
    Inputs,
    Judging,
    Logging,
    Quiet,
    Reading,
    Workers,
    closing_summary,
    workers_of,
)


def learn(
    inputs: Inputs,
    store: Annotated[
        str,
        Option("The store to make, or to add to: what is learned is saved there.", "FILE", panel="Output"),
    ],
    workers: Workers = None,
    quiet: Quiet = False,
    *,
    reading: Reading,
    judging: Annotated[Judging, Without("threshold", "keep", "drop")],
    logging: Annotated[Logging, Without("every_skip", "progress", "metrics")],
) -> None:
    """Learn the templates of pages into a store; nothing is cleaned.

    One pass. 'clean --store FILE --frozen' then cleans pages by what was learned.

    \b
    Examples:
      detemplate learn crawl.warc.gz --store templates.db
      zcat pages.jsonl.gz | detemplate learn - --store templates.db --method segments
    """
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.job import Job
    from detemplate.run.learning import learn as run

    job = Job(**judging.given(), **reading.limits(memory=True), store=store, workers=workers_of(workers))
    source = reading.source(inputs, outputs=(store, *logging.files))
    with closing_summary(logging.summary, quiet=quiet) as report:
        report(run(source, job, rejects=logging.rejects, progress=terminal_progress(quiet=quiet)))
