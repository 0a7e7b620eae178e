"""``detemplate mine``."""

from __future__ import annotations

from typing import Annotated

import typer

from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    MaxSeconds,
    Quiet,
    Reading,
    SiteBy,
    check_complete,
    reads_pages,
)


@reads_pages()
def mine(
    inputs: Inputs,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help=".json (with counts) or .txt (one a line).")
    ],
    on: Annotated[
        str, typer.Option(help="text: the pages' visible text; html: their markup, unparsed.")
    ] = "text",
    token: Annotated[str, typer.Option(metavar="REGEX", help="What a token is.")] = r"\S+",
    separator: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="What parts tokens; derived from a token like \\S+ or [a-z]+."),
    ] = None,
    mutable: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="TOML file of patterns that vary, tried before the shipped ones; none for none.",
        ),
    ] = None,
    min_documents: Annotated[
        int, typer.Option(metavar="N", help="Leave out strings in fewer documents.")
    ] = 2,
    min_literals: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Leave out expressions with fewer tokens that do not vary; 1 leaves out those of patterns "
            "alone, which match dates and numbers in content, too.",
        ),
    ] = 0,
    cut: Annotated[
        str | None,
        typer.Option(
            metavar="X",
            help="Strings in at least this share (0.5, 50%) or number of a site's documents are template; "
            "found from their histogram without it.",
        ),
    ] = None,
    collections: Annotated[
        str | None,
        typer.Option(
            metavar="X",
            help="Expressions of at least this share or number of the sites are idioms, no template "
            "(default: a tenth, at least 3).",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the sites' histograms and cut-offs: .svg or .png."),
    ] = None,
    site_by: SiteBy = "host",
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
) -> None:
    """Mine template expressions: regular expressions of what recurs on most pages of a site.

    \b
    Examples:
      detemplate mine crawl.warc.gz -o expressions.json --plot histogram.svg
      detemplate mine news/ --input-format text --site-by directory -o expressions.txt
      detemplate mine pages.jsonl --on html --mutable prices.toml -o expressions.json
    """
    from detemplate.engines.mining import MiningJob, mine_into
    from detemplate.expressions.collections import amount
    from detemplate.expressions.mine import MiningOptions
    from detemplate.expressions.mutable import read_mutables
    from detemplate.expressions.tokens import Tokenizer
    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.report.progress import terminal_progress

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
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
    )
    source = reading.source(inputs, text=True, outputs=(output, plot))
    done = mine_into(source, job, output, plot=plot, progress=terminal_progress(quiet=quiet))
    if not quiet:
        for line in done.lines():
            typer.echo(line, err=True)
    check_complete(done.skipped)
