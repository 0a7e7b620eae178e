"""What commands share: the options that several have, and how their values are read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from detemplate.engines.summary import Summary
    from detemplate.io.sources.base import Source

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT…",
        help="WARC, JSON Lines, Parquet or HTML files, directories, patterns, or - for stdin.",
    ),
]
Method = Annotated[
    str, typer.Option("--method", "-m", help="How to find templates: see 'detemplate methods'.")
]
SiteBy = Annotated[str, typer.Option(help="What is one site: host, domain or directory.")]
BaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The URL of a directory of HTML files; file: URLs without it."),
]
InputFormat = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="warc, jsonl, parquet or html, whatever the file names say."),
]
AnyInputFormat = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="warc, jsonl, parquet, html or text, whatever the file names say."),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=".jsonl, .csv, .tsv or .warc (each also .gz or .zst), .parquet, .arrow, a directory (ending in "
        "/), .txt, .md or .html for one page, or - for JSON Lines on stdout.",
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an output directory that is not empty.")
]
RejectsFile = Annotated[
    str | None,
    typer.Option("--rejects", metavar="FILE", help="Write the pages that were lost, and why, as JSON Lines."),
]
SummaryFile = Annotated[
    str | None, typer.Option("--summary", metavar="FILE", help="Write the closing summary as JSON.")
]
Show = Annotated[
    int, typer.Option("--show", metavar="N", help="Tell the N texts that were removed most often.")
]
MaxBytes = Annotated[int, typer.Option(metavar="N", help="Reject pages over N bytes.")]
MaxSeconds = Annotated[float, typer.Option(metavar="S", help="Reject pages that take over S seconds.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no closing summary.")]


def source_of(
    inputs: list[str],
    base_url: str | None,
    input_format: str | None,
    max_page_bytes: int,
    *,
    text: bool = False,
) -> Source:
    """Open the inputs that a command was given; ``text``: plain text may be among them."""
    from detemplate.io.sources.open import open_sources

    return open_sources(
        inputs, base_url=base_url, kind=input_format, max_page_bytes=max_page_bytes, text=text
    )


def settings_of(given: list[str]) -> dict[str, str]:
    """Read NAME=VALUE settings."""
    settings = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise UserError(f"--set {item!r} is no setting: write it like --set min_df=3")
        settings[name.strip()] = value.strip()
    return settings


@contextmanager
def closing_summary(file: str | None, *, quiet: bool) -> Iterator[Callable[[Summary], None]]:
    """Give what tells a run's summary: into a file, whole or not at all, and on standard error."""
    import json

    from detemplate.files.atomic import AtomicFile

    told = AtomicFile(file) if file is not None else None

    def tell(summary: Summary) -> None:
        if told is not None:
            told.file.write(json.dumps(summary.as_dict(), indent=2).encode() + b"\n")
            told.commit()
        if not quiet:
            for line in summary.lines():
                typer.echo(line, err=True)

    try:
        yield tell
    finally:
        if told is not None:
            told.discard()
