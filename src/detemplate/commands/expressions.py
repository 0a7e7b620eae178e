"""``detemplate expressions …``: template expressions are mined, and what they match is removed."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import (
    Inputs,
    Logging,
    MinedOn,
    Output,
    Overwrite,
    Quiet,
    Reading,
    Show,
    SiteBy,
    closing_summary,
    show_summary,
)


def mine(
    inputs: Inputs,
    output: Annotated[
        str, Option(".json (with counts) or .txt (one a line).", "-o --output FILE", panel="Output")
    ],
    on: MinedOn = "text",
    token: Annotated[str, Option("What a token is.", "REGEX")] = r"\S+",
    separator: Annotated[
        str | None, Option("What parts tokens; derived from a token like \\S+ or [a-z]+.", "REGEX")
    ] = None,
    mutable: Annotated[
        str | None,
        Option("TOML file of patterns that vary, tried before the shipped ones; none for none.", "FILE"),
    ] = None,
    min_documents: Annotated[int, Option("Leave out strings in fewer documents.", "N")] = 2,
    min_literals: Annotated[
        int,
        Option(
            "Leave out expressions with fewer constant tokens; 1 leaves out those of patterns "
            "alone, which match dates and numbers in content, too.",
            "N",
        ),
    ] = 0,
    cut: Annotated[
        str | None,
        Option(
            "Strings in at least this share (0.5, 50%) or number of a site's documents are template.",
            "X",
            default="found from their histogram",
        ),
    ] = None,
    collections: Annotated[
        str | None,
        Option(
            "Expressions of at least this share or number of the sites are idioms, not template.",
            "X",
            default="a tenth, minimum 3",
        ),
    ] = None,
    plot: Annotated[
        str | None, Option("Draw the sites' histograms and cut-offs: .svg or .png.", "FILE", panel="Output")
    ] = None,
    site_by: SiteBy = "host",
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_memory")],
) -> None:
    """Mine template expressions: regular expressions of what recurs on most pages of a site.

    \b
    Examples:
      detemplate expressions mine crawl.warc.gz -o expressions.json --plot histogram.svg
      detemplate expressions mine news/ --input-format text --site-by directory -o expressions.txt
      detemplate expressions mine pages.jsonl --on html --mutable prices.toml -o expressions.json
    """
    from detemplate.expressions.collections import amount
    from detemplate.expressions.mine import MiningOptions
    from detemplate.expressions.mutable import read_mutables
    from detemplate.expressions.tokens import Tokenizer
    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.mining.run import MiningJob, mine_into
    from detemplate.report.terminal import terminal_progress

    if mutable not in {None, "none"}:
        refuse_outputs([str(mutable)], (output, plot))
    patterns = None if mutable is None else () if mutable == "none" else read_mutables(mutable)
    job = MiningJob(
        tokenizer=Tokenizer(token, separator, patterns),
        options=MiningOptions(
            min_documents=min_documents,
            cut=None if cut is None else amount(cut, "--cut"),
            min_literals=min_literals,
        ),
        on=on,
        site_by=site_by,
        collections=None if collections is None else amount(collections, "--collections"),
        **reading.limits(),
    )
    source = reading.source(inputs, text=True, outputs=(output, plot))
    done = mine_into(source, job, output, plot=plot, progress=terminal_progress(quiet=quiet))
    show_summary(done.lines(), done.skipped, quiet=quiet)


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
