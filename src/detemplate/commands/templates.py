"""``detemplate graph templates``."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import Quiet
from detemplate.errors import counted
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from detemplate.links.crawltemplates import CrawlTemplates

Listing = Annotated[
    str | None,
    Option("--output", "-o", metavar="FILE", help=".json, .jsonl, .csv or .parquet: one row a template."),
]
States = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Write the templates and their pages, for 'clean --method pagelets --set templates=FILE'.",
    ),
]
Save = Annotated[
    bool,
    Option(
        "--save",
        help="Put the tables templates and template_pagelets into the crawl, for other commands.",
    ),
]
Top = Annotated[
    int | None,
    Option(
        metavar="N",
        min=1,
        help="Only the N templates on most pages (default: 20 on screen, all in a file).",
    ),
]
MinPages = Annotated[int, Option(metavar="N", min=2, help="Leave out templates on fewer than N pages.")]

_TEXT: Final = 60
"""Characters of a template's text that are shown."""


def templates(
    crawl: Annotated[
        str,
        Argument(metavar="CRAWL", help="The directory that 'graph tables' made."),
    ],
    algorithm: Annotated[
        str,
        Option(
            "--algorithm",
            "-a",
            help="local: pagelets that recur, for a few pages of a larger web; global: only where the "
            "pages also link to each other, for a large part of it.",
        ),
    ] = "global",
    output: Listing = None,
    states: States = None,
    save: Save = False,
    top: Top = None,
    min_pages: MinPages = 2,
    memory: Annotated[
        str, Option(metavar="SIZE", help="What DuckDB may use; beyond it, it works on disk.")
    ] = "4GB",
    threads: Annotated[int | None, Option(metavar="N", min=1, help="Threads (default: one a core).")] = None,
    temp: Annotated[
        str | None,
        Option(metavar="DIR", help="Where intermediate tables go (default: the system's place)."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Find templates in the tables of a crawl: pagelets that recur on pages that link to each other.

    \b
    Examples:
      detemplate graph templates crawl/
      detemplate graph templates crawl/ --algorithm local -o templates.json
      detemplate graph templates crawl/ --save --states known.json
    """
    from pathlib import Path

    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.links.crawltemplates import TemplatesJob, find_templates

    refuse_outputs([crawl, *map(str, Path(crawl).glob("*/*.parquet"))], [output, states])
    job = TemplatesJob(
        algorithm=algorithm,
        min_pages=min_pages,
        top=top,
        save=save,
        memory=memory,
        threads=threads,
        temp=temp,
    )
    with telling(quiet=quiet) as tell:
        found = find_templates(Path(crawl), job, output=output, states=states, tell=tell)
    show_templates(found, algorithm, quiet=quiet)


def show_templates(templates: CrawlTemplates, algorithm: str, *, quiet: bool) -> None:
    """Print the templates on most pages, and their number on standard error."""
    found, rows = templates
    for row in rows:
        text = " ".join(row.text.split())
        cut = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
        hosts = "host " if row.hosts == 1 else "hosts"
        say(f"{row.pages:>9,} pages {row.hosts:>6,} {hosts}  {cut or '(no text)'}")
        say(f"{'':>31}{row.examples[0]}")
    if not quiet:
        say(
            f"{counted(found.templates, 'template')} ({algorithm}): {found.pagelets:,} of "
            f"{counted(found.all_pagelets, 'pagelet')}, on {found.pages:,} of "
            f"{counted(found.all_pages, 'page')}, with {found.links:,} of {counted(found.all_links, 'link')}",
            err=True,
        )


@contextmanager
def telling(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show the present step on standard error, where that is a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("tables") as status:
        yield status.update
