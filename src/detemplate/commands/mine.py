"""``detemplate expressions mine``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import Inputs, MinedOn, Quiet, Reading, SiteBy, show_summary


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
    show_summary(done, quiet=quiet)
