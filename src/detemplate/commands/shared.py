"""What commands share: the options that several have, and how their values are read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Protocol

from detemplate.commands.command import Argument, Option
from detemplate.commands.merged import Merged, Size
from detemplate.errors import Incomplete, NoPages, UserError, counted
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from detemplate.io.sources.base import Source
    from detemplate.run.summary import Summary

Inputs = Annotated[
    list[str],
    Argument(
        metavar="INPUT…",
        help="Files of pages (WARC, WACZ, JSON, Parquet, Arrow, CSV, SQLite, ZIP, tar, MHTML, HTML), "
        "directories, patterns, @FILE for a list of inputs, or - for stdin.",
    ),
]
Method = Annotated[str, Option("--method", "-m", help="How to find templates: see 'detemplate methods'.")]
MethodOrStore = Annotated[
    str | None,
    Option("--method", "-m", show_default="auto", help="How to find templates: see 'detemplate methods'."),
]
"""The method of a run with a store, which may name it."""
Settings = Annotated[
    list[str] | None,
    Option("--set", metavar="NAME=VALUE", help="Set an option of the method; can be repeated."),
]
SiteByOrStore = Annotated[
    str | None, Option(show_default="host", help="What is one site: host, domain or directory.")
]
"""What is one site in a run with a store, which may say it."""
HtmlOutput = Annotated[str, Option("--output", "-o", metavar="FILE", help="The file: .html.")]
"""The one file of a report, for a browser."""
Store = Annotated[str, Argument(metavar="STORE", help="What 'detemplate learn' or 'clean --store' made.")]
SiteBy = Annotated[str, Option(help="What is one site: host, domain or directory.")]
Output = Annotated[
    str,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        help=".jsonl, .csv, .tsv or .warc (each also .gz or .zst), .parquet, .arrow, a directory (ending in "
        "/), .txt, .md or .html for one page, or - for JSON Lines on stdout.",
    ),
]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace an output directory that is not empty.")]
RejectsFile = Annotated[
    str | None,
    Option("--rejects", metavar="FILE", help="Write the pages that were lost, and why, as JSON Lines."),
]
SummaryFile = Annotated[
    str | None, Option("--summary", metavar="FILE", help="Write the closing summary as JSON.")
]
Show = Annotated[int, Option("--show", metavar="N", help="Tell the N texts that were removed most often.")]
MaxSeconds = Annotated[float, Option(metavar="S", help="Reject pages that take over S seconds.")]
MaxMemory = Annotated[
    int,
    Option(
        metavar="SIZE",
        type=Size(),
        show_default="2 GiB",
        help="Reject pages that take over SIZE of memory in a worker.",
    ),
]
MAX_PAGE: Final = Merged(
    "--max-page",
    {"bytes": "max_page_bytes", "seconds": "max_page_seconds", "memory": "max_page_memory"},
    metavar="NAME=VALUE",
    help="Reject pages that are larger, or need more time, or more memory in a worker: bytes=32MiB, "
    "seconds=20, memory=2GiB (these are the defaults).",
)
"""The limits of a page in one."""
COLUMN: Final = Merged(
    "--column",
    {"url": "url_column", "html": "html_column", "id": "id_column"},
    metavar="NAME=VALUE",
    help="Key or column of the URL (url=NAME) and of the HTML (html=NAME), where they are not guessed; "
    "id=NAME names records without a URL.",
)
"""The names of fields in one."""
Workers = Annotated[
    int | None,
    Option(
        metavar="N",
        show_default="the processors",
        help="Work on pages in N processes. 0: in this process alone, where a page's time is only checked "
        "between steps, and its memory is not limited.",
    ),
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="No progress bar, no closing summary.")]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a command reads its inputs: the options of every command that reads pages.

    It is the annotation of a command's parameter ``reading``.
    """

    base_url: Annotated[
        str | None,
        Option(metavar="URL", help="The URL of a directory of HTML files; file: URLs without it."),
    ] = None
    """URL of a directory of HTML files."""
    input_format: Annotated[
        str | None,
        Option(
            metavar="KIND",
            help="warc, wacz, jsonl, parquet, arrow, csv, sqlite, zip, tar, mhtml, html, or text for "
            "commands that read plain text: whatever the file names say.",
        ),
    ] = None
    """Kind of all inputs."""
    url_column: Annotated[
        str | None, Option(metavar="NAME", help="Key or column of the URL (default: guessed).")
    ] = None
    """Name of the field of the URL."""
    html_column: Annotated[
        str | None, Option(metavar="NAME", help="Key or column of the HTML (default: guessed).")
    ] = None
    """Name of the field of the page."""
    id_column: Annotated[
        str | None,
        Option(metavar="NAME", help="Key or column that names records without a URL (default: none)."),
    ] = None
    """Name of the field that names records without a URL."""
    limit: Annotated[int | None, Option(metavar="N", help="Read only the first N pages.")] = None
    """Number of pages that are read."""
    sample: Annotated[
        str | None,
        Option(metavar="X", help="Read only this share of the pages (0.1, 10%), chosen by their URLs."),
    ] = None
    """Share of the pages that are read."""
    versions: Annotated[
        str,
        Option(
            metavar="WHICH",
            help="Of pages with one URL, read the first, the last (inputs are read once more), or keep all.",
        ),
    ] = "first"
    """Which of the pages with one URL are read."""
    max_bad: Annotated[
        str, Option(metavar="PERCENT", help="Fail if more of the records than this are bad.")
    ] = "50"
    """Percentage of bad records that is accepted."""
    max_page_bytes: Annotated[
        int, Option(metavar="SIZE", type=Size(), show_default="32 MiB", help="Reject pages over SIZE.")
    ] = 32 << 20
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


def check_html(output: str) -> None:
    """Raise UserError if a report cannot be made, or its name is of another kind."""
    from detemplate.report.htmlfile import check_report

    check_report()
    if not output.lower().endswith((".html", ".htm")):
        raise UserError(f"cannot write {output}: its name must end in .html")


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
def closing_summary(
    file: str | None, *, quiet: bool, none: str = "'detemplate inspect' shows what the input has"
) -> Iterator[Callable[[Summary], None]]:
    """Give what tells a run's summary: into a file, whole or not at all, and on standard error.

    ``none``: what to do where no page was read; telling such a summary raises NoPages.
    """
    import json

    from detemplate.files.atomic import AtomicFile

    told = AtomicFile(file) if file is not None else None

    def tell(summary: Summary) -> None:
        if told is not None:
            told.file.write(json.dumps(summary.as_dict(), indent=2).encode() + b"\n")
            told.commit()
        show_summary(summary, quiet=quiet)
        if summary.rejected and not summary.pages:
            raise NoPages(f"no page is left: all {summary.rejected:,} were rejected")
        if not summary.pages:
            raise NoPages(f"no page was read: {none}")

    try:
        yield tell
    finally:
        if told is not None:
            told.discard()


class Told(Protocol):
    """What a run counts."""

    @property
    def skipped(self) -> Mapping[str, int]:
        """Return the counts of what was skipped, by reason."""

    def lines(self) -> Iterable[str]:
        """Return the counts in words."""


def show_summary(summary: Told, *, quiet: bool) -> None:
    """Print a run's counts on standard error; raises Incomplete if an input broke."""
    if not quiet:
        for line in summary.lines():
            say(line, err=True)
    check_complete(summary.skipped)


def check_complete(skipped: Mapping[str, int]) -> None:
    """Raise :class:`~detemplate.errors.Incomplete` if an input broke, by a run's skips by reason."""
    from detemplate.io.sources.selection import WHOLE_INPUT

    broken = sum(skipped.get(reason, 0) for reason in WHOLE_INPUT)
    if broken:
        raise Incomplete(
            f"{counted(broken, 'input')} ended early or could not be read: what they lack is not in the "
            "output ('detemplate inspect' tells why)"
        )
