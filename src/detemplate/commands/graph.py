"""``detemplate graph tables`` and ``graph templates``: a crawl as tables, and the templates in them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import (
    CrawlPath,
    Inputs,
    Logging,
    Overwrite,
    Quiet,
    Reading,
    SiteBy,
    show_summary,
)
from detemplate.errors import abridged, counted
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from detemplate.links.crawltemplates import CrawlTemplates


def tables(
    inputs: Inputs,
    output: Annotated[
        str,
        Option(
            "A directory (ending in /): one directory of Parquet files a table.",
            "-o --output DIR/",
            panel="Output",
        ),
    ],
    k: Annotated[
        int, Option("An element with a child of at least N links is no pagelet.", "-k N", panel="Pagelets")
    ] = 3,
    width: Annotated[int, Option("Words a gram of a shingle.", "N", panel="Pagelets")] = 5,
    sketch: Annotated[int, Option("Minima a pagelet's shingle.", "N", panel="Pagelets")] = 4,
    overwrite: Overwrite = False,
    site_by: SiteBy = "host",
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_memory")],
    logging: Annotated[Logging, Without("summary", "every_skip", "progress", "metrics")],
) -> None:
    """Write a crawl's pages, pagelets and links as tables, in one pass.

    \b
    Examples:
      detemplate graph tables crawl.warc.gz -o crawl/
      detemplate graph tables site/ --base-url https://example.org/ -o tables/
    """
    from detemplate.links.tabulating import tabulate
    from detemplate.report.terminal import terminal_progress

    source = reading.source(inputs, outputs=(output, logging.rejects))
    done = tabulate(
        source,
        output,
        k=k,
        width=width,
        sketch=sketch,
        site_by=site_by,
        **reading.limits(),
        overwrite=overwrite,
        rejects=logging.rejects,
        progress=terminal_progress(quiet=quiet),
    )
    show_summary(done.lines(), done.skipped, quiet=quiet)


_TEXT: Final = 60
"""Characters of a template's text that are shown."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Which templates of a crawl are found, and where they are written."""

    panel: ClassVar = "Output"
    merged: ClassVar[tuple[()]] = ()

    algorithm: Annotated[
        str,
        Option(
            "local: pagelets that recur, for a few pages of a larger web; global: only where the pages also "
            "link to each other, for a large part of it.",
            "-a --algorithm NAME",
            panel="Method",
        ),
    ] = "global"
    min_pages: Annotated[
        int, Option("Leave out templates on fewer than N pages.", "N", panel="Method", min=2)
    ] = 2
    output: Annotated[
        str | None, Option(".json, .jsonl, .csv or .parquet: one row a template.", "-o --output FILE")
    ] = None
    states: Annotated[
        str | None,
        Option(
            "Write the templates and their pages, for 'clean --method pagelets --set templates=FILE'.", "FILE"
        ),
    ] = None
    save: Annotated[
        bool, Option("Put the tables templates and template_pagelets into the crawl, for other commands.")
    ] = False
    top: Annotated[
        int | None,
        Option("Only the N templates on most pages.", "N", default="20 on screen, all in a file", min=1),
    ] = None
    temp: Annotated[
        str | None,
        Option(
            "Folder of intermediate tables; with Spark on a cluster, one that all machines reach.",
            "DIR",
            panel="Run",
            default="the system's",
        ),
    ] = None


def templates(
    crawl: CrawlPath,
    memory: Annotated[
        str, Option("Maximum memory of DuckDB; beyond it, it works on disk.", "SIZE", panel="Run")
    ] = "4GB",
    threads: Annotated[
        int | None, Option("Threads of DuckDB.", "N", panel="Run", default="one a core", min=1)
    ] = None,
    quiet: Quiet = False,
    *,
    finding: Finding,
) -> None:
    """Find templates in the tables of a crawl: pagelets that recur on pages that link to each other.

    \b
    Examples:
      detemplate graph templates crawl/
      detemplate graph templates crawl/ --algorithm local -o templates.json
      detemplate graph templates crawl/ --save --states known.json
    """
    from pathlib import Path

    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.links.crawltemplates import find_templates

    refuse_outputs([crawl, *map(str, Path(crawl).glob("*/*.parquet"))], [finding.output, finding.states])
    with telling(quiet=quiet) as tell:
        found = find_templates(Path(crawl), **asdict(finding), memory=memory, threads=threads, tell=tell)
    show_templates(found, finding.algorithm, quiet=quiet)


def show_templates(templates: CrawlTemplates, algorithm: str, *, quiet: bool) -> None:
    """Print the templates on most pages, and their number on standard error."""
    found, rows = templates
    for row in rows:
        text = abridged(" ".join(row.text.split()), _TEXT)
        hosts = "host " if row.hosts == 1 else "hosts"
        say(f"{row.pages:>9,} pages {row.hosts:>6,} {hosts}  {text or '(no text)'}")
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
