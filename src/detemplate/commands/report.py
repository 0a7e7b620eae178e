"""``detemplate report``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.shared import (
    HtmlOutput,
    Inputs,
    Judging,
    Quiet,
    Reading,
    Workers,
    check_complete,
    check_html,
    workers_of,
)
from detemplate.errors import Incomplete, counted
from detemplate.report.terminal import say


def report(
    inputs: Inputs,
    output: HtmlOutput,
    title: Annotated[
        str | None, Option("Title of the report.", "WORDS", panel="Output", default="the sites")
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
    *,
    reading: Reading,
    judging: Judging,
) -> None:
    """Show sites at a glance: their templates, how much of each page they are, and what is out of line.

    INPUT is pages, which are read twice, or one store, which keeps counts of pages. One file to open in a
    browser. Needs pip install 'detemplate[report]'.

    \b
    Examples:
      detemplate report crawl.warc.gz -o report.html
      detemplate report site/ --base-url https://example.org/ -o report.html
      detemplate report templates.db -o report.html
    """
    from detemplate.files.atomic import AtomicFile
    from detemplate.report.reporting import is_store_file, report_pages, report_store
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.job import Job

    check_html(output)
    summary = None
    with AtomicFile(output) as written:
        if len(inputs) == 1 and is_store_file(inputs[0]):
            text, sites = report_store(inputs[0], title=title)
            told = f"{counted(sites, 'site')} of the store"
        else:
            limits = reading.limits(memory=True)
            job = Job(**judging.given(), **limits, workers=workers_of(workers))
            source = reading.source(inputs, outputs=(output,))
            text, summary = report_pages(source, job, title=title, progress=terminal_progress(quiet=quiet))
            told = f"{counted(summary.pages, 'page')} of {counted(summary.sites, 'site')}"
        written.write(text.encode())
    if not quiet:
        say(f"{told}; open {output} in a browser", err=True)
    if summary is not None:
        check_complete(summary.skipped)
        if summary.rejected and not summary.pages:
            raise Incomplete(f"no page is left: all {summary.rejected:,} were rejected")
