"""The options of commands that mine expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from detemplate.commands.command import Option

if TYPE_CHECKING:
    from detemplate.commands.shared import Reading
    from detemplate.mining.run import MiningJob

Mined = Annotated[
    str, Option("--output", "-o", metavar="FILE", help=".json (with counts) or .txt (one a line).")
]
On = Annotated[str, Option(help="text: the pages' visible text; html: their markup, unparsed.")]
Token = Annotated[str, Option(metavar="REGEX", help="What a token is.")]
Separator = Annotated[
    str | None,
    Option(metavar="REGEX", help="What parts tokens; derived from a token like \\S+ or [a-z]+."),
]
MutableFile = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="TOML file of patterns that vary, tried before the shipped ones; none for none.",
    ),
]
MinDocuments = Annotated[int, Option(metavar="N", help="Leave out strings in fewer documents.")]
MinLiterals = Annotated[
    int,
    Option(
        metavar="N",
        help="Leave out expressions with fewer tokens that do not vary; 1 leaves out those of patterns "
        "alone, which match dates and numbers in content, too.",
    ),
]
Cut = Annotated[
    str | None,
    Option(
        metavar="X",
        help="Strings in at least this share (0.5, 50%) or number of a site's documents are template; "
        "found from their histogram without it.",
    ),
]
MostSites = Annotated[
    str | None,
    Option(
        metavar="X",
        help="Expressions of at least this share or number of the sites are idioms, no template "
        "(default: a tenth, at least 3).",
    ),
]
Plot = Annotated[
    str | None,
    Option(metavar="FILE", help="Draw the sites' histograms and cut-offs: .svg or .png."),
]


def mining_job(
    *,
    on: str,
    token: str,
    separator: str | None,
    mutable: str | None,
    min_documents: int,
    min_literals: int,
    cut: str | None,
    collections: str | None,
    site_by: str,
    reading: Reading,
    max_page_seconds: float,
    outputs: tuple[str | None, ...],
) -> MiningJob:
    """Return how to mine, by the options of a command; ``outputs`` must not be the file of patterns."""
    from detemplate.expressions.collections import amount
    from detemplate.expressions.mine import MiningOptions
    from detemplate.expressions.mutable import read_mutables
    from detemplate.expressions.tokens import Tokenizer
    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.mining.run import MiningJob

    if mutable not in {None, "none"}:
        refuse_outputs([str(mutable)], outputs)
    patterns = None if mutable is None else () if mutable == "none" else read_mutables(mutable)
    return MiningJob(
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
