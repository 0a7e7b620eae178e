"""What commands share: the options that several have, and how their values are read."""

from __future__ import annotations

import functools
import inspect
import os
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

from detemplate.errors import Incomplete, UserError
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from detemplate.engines.summary import Summary
    from detemplate.io.sources.base import Source

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT…",
        help="Files of pages (WARC, WACZ, JSON, Parquet, Arrow, CSV, SQLite, ZIP, tar, MHTML, HTML), "
        "directories, patterns, @FILE for a list of inputs, or - for stdin.",
    ),
]
Method = Annotated[
    str, typer.Option("--method", "-m", help="How to find templates: see 'detemplate methods'.")
]
MethodOrStore = Annotated[
    str | None,
    typer.Option(
        "--method", "-m", show_default="auto", help="How to find templates: see 'detemplate methods'."
    ),
]
"""The method of a run with a store, which may name it."""
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set an option of the method; can be repeated."),
]
SiteByOrStore = Annotated[
    str | None, typer.Option(show_default="host", help="What is one site: host, domain or directory.")
]
"""What is one site in a run with a store, which may say it."""
Store = Annotated[
    str, typer.Argument(metavar="STORE", help="What 'detemplate learn' or 'clean --store' made.")
]
SiteBy = Annotated[str, typer.Option(help="What is one site: host, domain or directory.")]
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
MaxSeconds = Annotated[float, typer.Option(metavar="S", help="Reject pages that take over S seconds.")]
MaxMemory = Annotated[
    int,
    typer.Option(metavar="N", help="Reject pages that take over N bytes of memory in a worker."),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default="the processors",
        help="Work on pages in N processes. 0: in this process alone, where a page's time is only checked "
        "between steps, and its memory is not limited.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no closing summary.")]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a command reads its inputs: the options of every command that reads pages.

    A command takes it as its parameter ``reading`` and is marked by :func:`reads_pages`.
    """

    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The URL of a directory of HTML files; file: URLs without it."),
    ] = None
    """URL of a directory of HTML files."""
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="warc, wacz, jsonl, parquet, arrow, csv, sqlite, zip, tar, mhtml, html, or text for "
            "commands that read plain text: whatever the file names say.",
        ),
    ] = None
    """Kind of all inputs."""
    url_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Key or column of the URL (default: guessed).")
    ] = None
    """Name of the field of the URL."""
    html_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Key or column of the HTML (default: guessed).")
    ] = None
    """Name of the field of the page."""
    id_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Key or column that names records without a URL (default: none)."),
    ] = None
    """Name of the field that names records without a URL."""
    limit: Annotated[int | None, typer.Option(metavar="N", help="Read only the first N pages.")] = None
    """Number of pages that are read."""
    sample: Annotated[
        str | None,
        typer.Option(metavar="X", help="Read only this share of the pages (0.1, 10%), chosen by their URLs."),
    ] = None
    """Share of the pages that are read."""
    versions: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="Of pages with one URL, read the first, the last (inputs are read once more), or keep all.",
        ),
    ] = "first"
    """Which of the pages with one URL are read."""
    max_bad: Annotated[
        str, typer.Option(metavar="PERCENT", help="Fail if more of the records than this are bad.")
    ] = "50"
    """Percentage of bad records that is accepted."""
    max_page_bytes: Annotated[int, typer.Option(metavar="N", help="Reject pages over N bytes.")] = 32 << 20
    """Largest page in bytes."""

    def source(self, inputs: list[str], *, text: bool = False, outputs: Sequence[str | None] = ()) -> Source:
        """Open the inputs that a command was given.

        ``text``: plain text may be among them; ``outputs``: what the command will write.
        """
        from detemplate.io.sources.fields import FieldNames
        from detemplate.io.sources.open import open_sources
        from detemplate.io.sources.selection import SelectedSource

        source = open_sources(
            inputs,
            base_url=self.base_url,
            kind=self.input_format,
            max_page_bytes=self.max_page_bytes,
            names=FieldNames(self.url_column, self.html_column, self.id_column),
            text=text,
            outputs=outputs,
        )
        return SelectedSource(
            source,
            limit=self.limit,
            sample=1.0 if self.sample is None else _number(self.sample, "--sample", 1.0),
            max_bad=self.bad_share,
            versions=self.versions,
        )

    @property
    def bad_share(self) -> float:
        """Share of bad records that is accepted."""
        return _number(self.max_bad, "--max-bad", 0.01)

    def options(self) -> dict[str, object]:
        """Give the values by the names of the options."""
        return {"--" + each.name.replace("_", "-"): getattr(self, each.name) for each in fields(self)}


def _number(value: str, option: str, unit: float) -> float:
    """Read a share: a percentage if it ends in ``%``, else a number of ``unit``."""
    percent = value.strip().endswith("%")
    try:
        return float(value.strip().removesuffix("%")) * (0.01 if percent else unit)
    except ValueError:
        raise UserError(f"{option} {value!r} is no number: write it like {option} 10%") from None


AS_USUAL: Final = Reading()
"""The default values of a command's parameter ``reading``."""


def reads_pages(*, without: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of :class:`Reading`, in the place of its parameter ``reading``.

    Parameters
    ----------
    without
        Names of fields for which it gets no option.

    Returns
    -------
    callable
        A decorator. Typer reads the options off the signature of what it returns.
    """
    hints = get_type_hints(Reading, include_extras=True)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    options = [
        inspect.Parameter(each.name, kind, default=each.default, annotation=hints[each.name])
        for each in fields(Reading)
        if each.name not in without
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += options if parameter.name == "reading" else [parameter]

        @functools.wraps(command)
        def wrapped(**given: object) -> None:
            chosen: Any = {each.name: given.pop(each.name) for each in options}
            command(**given, reading=Reading(**chosen))

        wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
        return wrapped

    return decorate


def identity_of(inputs: list[str], output: str, reading: Reading) -> dict[str, object]:
    """Return what must be equal when a run goes on: its inputs, how they are read, and its output."""
    files: list[object] = []
    for name in inputs:
        path = Path(name)
        status = path.stat() if path.is_file() else None
        files.append([name, status.st_size, status.st_mtime_ns] if status is not None else [name])
    return {"inputs": files, "output": os.path.realpath(output), "reading": reading.options()}


def workers_of(given: int | None) -> int:
    """Return the number of workers: as given, else one for each processor that this process may use."""
    if given is None and not hasattr(os, "fork"):
        return 0
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if given < 0:
        raise UserError(f"the number of workers must not be negative: {given} (--workers)")
    return given


def settings_of(given: list[str], option: str = "--set", example: str = "min_df=3") -> dict[str, str]:
    """Read the NAME=VALUE settings of an option; a message shows the example."""
    settings = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise UserError(f"{option} {item!r} is no setting: write it like {option} {example}")
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
                say(line, err=True)
        check_complete(summary.skipped)
        if summary.rejected and not summary.pages:
            raise Incomplete(f"no page is left: all {summary.rejected:,} were rejected")

    try:
        yield tell
    finally:
        if told is not None:
            told.discard()


def check_complete(skipped: Mapping[str, int]) -> None:
    """Raise :class:`~detemplate.errors.Incomplete` if an input broke, by a run's skips by reason."""
    from detemplate.io.sources.selection import WHOLE_INPUT

    broken = sum(skipped.get(reason, 0) for reason in WHOLE_INPUT)
    if broken:
        inputs = "1 input" if broken == 1 else f"{broken:,} inputs"
        raise Incomplete(
            f"{inputs} ended early or could not be read: what they lack is not in the output "
            "('detemplate inspect' tells why)"
        )
