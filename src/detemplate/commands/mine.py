"""``detemplate mine``."""

from __future__ import annotations

from typing import Annotated

import typer

from detemplate.commands.shared import (
    AnyInputFormat,
    BaseUrl,
    Inputs,
    MaxBytes,
    MaxSeconds,
    Quiet,
    SiteBy,
    source_of,
)
from detemplate.errors import UserError


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
    base_url: BaseUrl = None,
    input_format: AnyInputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
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
    from contextlib import ExitStack

    from detemplate.engines.mining import MiningJob
    from detemplate.engines.mining import mine as run
    from detemplate.expressions.collections import amount
    from detemplate.expressions.files import write_json, write_txt
    from detemplate.expressions.mine import MiningOptions
    from detemplate.expressions.mutable import read_mutables
    from detemplate.expressions.tokens import Tokenizer
    from detemplate.files.atomic import AtomicFile, writing
    from detemplate.report.histogram import check_plot, plot_histograms
    from detemplate.report.progress import terminal_progress

    write = {".json": write_json, ".txt": write_txt}.get("." + output.lower().rpartition(".")[2])
    if write is None:
        raise UserError(f"cannot write {output}: its name must end in .json or .txt")
    if plot is not None:
        check_plot(plot)
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
        max_page_bytes=max_page_bytes,
        max_page_seconds=max_page_seconds,
    )
    source = source_of(inputs, base_url, input_format, max_page_bytes, text=True)
    with ExitStack() as stack:
        files = {name: AtomicFile(name) for name in (output, plot) if name is not None}
        for file in files.values():
            stack.callback(file.discard)
        done = run(source, job, terminal_progress(quiet=quiet))
        with writing(output):
            write(done.expressions, files[output].file)
        files[output].commit()
        if plot is not None:
            with writing(plot):
                plot_histograms(done.histograms, files[plot].file, plot)
            files[plot].commit()
    if not quiet:
        for line in done.lines():
            typer.echo(line, err=True)
