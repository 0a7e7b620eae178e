"""``detemplate expressions mine``."""

from __future__ import annotations

from detemplate.commands.miningoptions import (
    Cut,
    MinDocuments,
    Mined,
    MinLiterals,
    MostSites,
    MutableFile,
    On,
    Plot,
    Separator,
    Token,
    mining_job,
)
from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    MaxSeconds,
    Quiet,
    Reading,
    SiteBy,
    show_summary,
)


def mine(
    inputs: Inputs,
    output: Mined,
    on: On = "text",
    token: Token = r"\S+",
    separator: Separator = None,
    mutable: MutableFile = None,
    min_documents: MinDocuments = 2,
    min_literals: MinLiterals = 0,
    cut: Cut = None,
    collections: MostSites = None,
    plot: Plot = None,
    site_by: SiteBy = "host",
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
) -> None:
    """Mine template expressions: regular expressions of what recurs on most pages of a site.

    \b
    Examples:
      detemplate expressions mine crawl.warc.gz -o expressions.json --plot histogram.svg
      detemplate expressions mine news/ --input-format text --site-by directory -o expressions.txt
      detemplate expressions mine pages.jsonl --on html --mutable prices.toml -o expressions.json
    """
    from detemplate.mining.run import mine_into
    from detemplate.report.progress import terminal_progress

    job = mining_job(
        on=on,
        token=token,
        separator=separator,
        mutable=mutable,
        min_documents=min_documents,
        min_literals=min_literals,
        cut=cut,
        collections=collections,
        site_by=site_by,
        reading=reading,
        max_page_seconds=max_page_seconds,
        outputs=(output, plot),
    )
    source = reading.source(inputs, text=True, outputs=(output, plot))
    done = mine_into(source, job, output, plot=plot, progress=terminal_progress(quiet=quiet))
    show_summary(done, quiet=quiet)
