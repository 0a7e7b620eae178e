"""``detemplate templates``."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.commands.shared import Quiet  # noqa: TC001  # Typer reads it

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from detemplate.files.atomic import AtomicFile
    from detemplate.relations.duck import DuckEngine

_SHOWN = 20
_TEXT = 60


def templates(
    crawl: Annotated[
        str,
        typer.Argument(metavar="CRAWL", help="What 'detemplate tables' made: a .duckdb file or a directory."),
    ],
    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "-a",
            help="local: pagelets that recur, for a few pages of a larger web; global: only where the "
            "pages also link to each other, for a large part of it.",
        ),
    ] = "global",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=".json, .jsonl, .csv or .parquet: one row a template."
        ),
    ] = None,
    states: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the templates' shingles, for 'clean --method pagelets --set templates=FILE'.",
        ),
    ] = None,
    save: Annotated[
        bool,
        typer.Option(
            "--save",
            help="Put the tables templates and template_pagelets into the crawl, for other commands.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Only the N templates on most pages (default: 20 on screen, all in a file).",
        ),
    ] = None,
    min_pages: Annotated[
        int, typer.Option(metavar="N", min=2, help="Leave out templates on fewer than N pages.")
    ] = 2,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="What DuckDB may use; beyond it, it works on disk.")
    ] = "4GB",
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads (default: one a core).")
    ] = None,
    temp: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where intermediate tables go (default: the system's place)."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Find templates in the tables of a crawl: pagelets that recur on pages that link to each other.

    \b
    Examples:
      detemplate templates crawl.duckdb
      detemplate templates crawl.duckdb --algorithm local -o templates.json
      detemplate templates crawl/ --save --states known.json
    """
    from pathlib import Path

    from detemplate.errors import UserError
    from detemplate.files.atomic import AtomicFile
    from detemplate.relations.detect import ALGORITHMS, NEEDED
    from detemplate.relations.duck import DuckEngine
    from detemplate.relations.engine import source_crawl
    from detemplate.relations.report import REPORTED, TemplateFileWriter, template_rows

    if algorithm not in ALGORITHMS:
        raise UserError(f"unknown algorithm {algorithm!r}: choose {' or '.join(ALGORITHMS)}")
    path = Path(crawl)
    needed = {name: {**columns, **REPORTED.get(name, {})} for name, columns in NEEDED.items()}
    with ExitStack() as stack:
        # Outputs that cannot be written are refused before the work, not after it.
        listing = None if output is None else TemplateFileWriter(output)
        if listing is not None:
            stack.callback(listing.discard)
        known = None if states is None else AtomicFile(states)
        if known is not None:
            stack.callback(known.discard)
        engine = stack.enter_context(DuckEngine(memory=memory, threads=threads, directory=temp))
        tell = stack.enter_context(_telling(quiet=quiet))
        source_crawl(engine, path, needed)
        found = ALGORITHMS[algorithm](engine, min_pages=min_pages, told=tell)
        tell("report")
        if listing is not None:
            listing.write(template_rows(engine, top=top))
        if known is not None:
            _write_states(engine, path, known, algorithm)
        shown = list(template_rows(engine, top=top or _SHOWN)) if output is None else []
        if save:
            tell("saving")
            engine.store(path, ["templates", "template_pagelets"])
    for row in shown:
        text = " ".join(row.text.split())
        cut = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
        hosts = "host " if row.hosts == 1 else "hosts"
        typer.echo(f"{row.pages:>9,} pages {row.hosts:>6,} {hosts}  {cut or '(no text)'}")
        typer.echo(f"{'':>31}{row.examples[0]}")
    if not quiet:
        typer.echo(
            f"{found.templates:,} templates ({algorithm}): {found.pagelets:,} pagelets "
            f"on {found.pages:,} pages",
            err=True,
        )


def _write_states(engine: DuckEngine, crawl: Path, file: AtomicFile, algorithm: str) -> None:
    import numpy as np

    from detemplate.detectors.pagelets.templatefile import TemplateFile, write_template_file
    from detemplate.errors import UserError
    from detemplate.files.atomic import writing
    from detemplate.page.fingerprints import SKETCH, WIDTH
    from detemplate.page.pagelets import LINKS
    from detemplate.relations.engine import has_table

    settings = {"k": LINKS, "width": WIDTH, "sketch": SKETCH}
    if has_table(engine, crawl, "crawl_info"):
        told = dict(engine.rows("SELECT key, value FROM crawl_info"))
        for name in settings.keys() & told.keys():
            if not told[name].isdecimal():
                raise UserError(
                    f"table crawl_info of {crawl} is broken: {name} is {told[name]!r}, not a number"
                )
            settings[name] = int(told[name])
    shingles = engine.rows("SELECT DISTINCT pagelet_shingle FROM templates")
    numbers = np.fromiter((shingle for (shingle,) in shingles), np.int64, len(shingles))
    with writing(file.output):
        write_template_file(file.file, TemplateFile(algorithm, shingles=numbers, **settings))
    file.commit()


@contextmanager
def _telling(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show the present step on standard error, where that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with console.status("tables") as status:
        yield status.update
