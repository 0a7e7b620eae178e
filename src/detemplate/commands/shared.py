"""What commands share: options, each defined here once, how their values are read, and closing summaries."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from detemplate.commands.command import Argument, Option
from detemplate.commands.merged import Merged, Size
from detemplate.errors import Incomplete, NoPages, UserError, counted
from detemplate.output.options import Images, Links, Tables
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from detemplate.io.sources.base import Source
    from detemplate.run.summary import Summary

_INPUT: Final = "Input"
_OUTPUT: Final = "Output"
_METHOD: Final = "Method"
_RUN: Final = "Run"

Inputs = Annotated[
    list[str],
    Argument(
        "Files of pages (WARC, WACZ, JSON, Parquet, Arrow, CSV, SQLite, ZIP, tar, MHTML, HTML), "
        "directories, patterns, @FILE for a list of inputs, or - for stdin.",
        "INPUT…",
    ),
]
Output = Annotated[
    str,
    Option(
        ".jsonl, .csv, .tsv or .warc (each also .gz or .zst), .parquet, .arrow, a directory (ending"
        " in /), or .txt, .md or .html for one page.",
        "-o --output FILE",
        panel=_OUTPUT,
        default="-, JSON Lines on stdout",
    ),
]
HtmlOutput = Annotated[str, Option("The file to write: .html.", "-o --output FILE", panel=_OUTPUT)]
"""The one file of a report, for a browser."""
Overwrite = Annotated[bool, Option("Replace an output directory that is not empty.", panel=_OUTPUT)]
Show = Annotated[
    int, Option("List the N texts that were removed most often.", "N", panel=_RUN, default="none")
]
AsJson = Annotated[bool, Option("Write everything as JSON.", "--json", panel=_OUTPUT)]
CrawlPath = Annotated[str, Argument("The directory that 'detemplate graph tables' made.", "CRAWL")]
MinedOn = Annotated[
    str,
    Option(
        "text: the pages' visible text; html: their unparsed markup, whose rest may not be well formed.",
        "WHAT",
    ),
]
"""What expressions are mined on, and applied to."""
Store = Annotated[str, Argument("What 'detemplate learn' or 'clean --store' made.", "STORE")]
GrownStore = Annotated[
    str | None,
    Option(
        "Start from the sites in FILE, if it exists, and save what this run learns there.",
        "FILE",
        panel=_METHOD,
    ),
]
"""The store of a run that learns."""
KnownStore = Annotated[
    str | None,
    Option(
        "Judge the page by what FILE says of its site ('detemplate learn' makes it).", "FILE", panel=_METHOD
    ),
]
"""A store that is only read."""
_SITE_BY: Final = Option("One site is one host, domain or directory.", "WHAT", panel=_METHOD, default="host")
SiteBy = Annotated[str, _SITE_BY]
Workers = Annotated[
    int | None,
    Option(
        "Work on pages in N processes. 0: in this process alone, where a page's time is only "
        "checked between steps, and its memory is not limited.",
        "N",
        panel=_RUN,
        default="one a processor",
    ),
]
Checkpoint = Annotated[
    str | None,
    Option(
        "Save progress in DIR; if the run is killed, the same command resumes from there.", "DIR", panel=_RUN
    ),
]
Quiet = Annotated[bool, Option("No progress bar, no closing summary.", "-q --quiet", panel=_RUN)]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a page may take."""

    panel: ClassVar = _INPUT

    max_page_bytes: Annotated[
        int, Option("Reject pages over SIZE.", "SIZE", type=Size(), default="32MiB")
    ] = 32 << 20
    max_page_seconds: Annotated[float, Option("Reject pages that take over S seconds.", "S")] = 20.0
    max_page_memory: Annotated[
        int,
        Option(
            "Reject pages that take over SIZE of memory in a worker.", "SIZE", type=Size(), default="2GiB"
        ),
    ] = 2 << 30

    merged: ClassVar[tuple[Merged, ...]] = (
        Merged(
            "--max-page",
            "NAME=VALUE",
            "Reject pages over these limits",
            {
                "bytes": ("bytes=32MiB", "max_page_bytes"),
                "seconds": ("seconds=20", "max_page_seconds"),
                "memory": ("memory=2GiB, in a worker", "max_page_memory"),
            },
        ),
    )

    def limits(self, *, memory: bool = False) -> dict[str, Any]:
        """Return the limits by their names, as a job takes them."""
        names = ("max_page_bytes", "max_page_seconds", *(["max_page_memory"] if memory else []))
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Reading(Limits):
    """How a command reads its inputs, and what a page may take."""

    base_url: Annotated[
        str | None, Option("The URL of a directory of HTML files.", "URL", default="file: URLs")
    ] = None
    input_format: Annotated[
        str | None,
        Option(
            "warc, wacz, jsonl, parquet, arrow, csv, sqlite, zip, tar, mhtml, html, or text for "
            "commands that read plain text.",
            "KIND",
            default="by name and content",
        ),
    ] = None
    url_column: Annotated[str | None, Option("Key or column of the URL.", "NAME", default="guessed")] = None
    html_column: Annotated[str | None, Option("Key or column of the HTML.", "NAME", default="guessed")] = None
    id_column: Annotated[str | None, Option("Key or column that names records without a URL.", "NAME")] = None
    limit: Annotated[int | None, Option("Read only the first N pages.", "N")] = None
    sample: Annotated[
        str | None, Option("Read only this share of the pages (0.1, 10%), chosen by their URLs.", "X")
    ] = None
    versions: Annotated[
        str,
        Option(
            "Of pages with one URL, read the first, the last (inputs are read once more), or keep all.",
            "WHICH",
        ),
    ] = "first"
    max_bad: Annotated[str, Option("Fail if more of the records than this are bad.", "PERCENT")] = "50"
    merged: ClassVar[tuple[Merged, ...]] = (
        *Limits.merged,
        Merged(
            "--column",
            "NAME=VALUE",
            "Keys or columns of the input, where they are not guessed",
            {
                "url": ("url=NAME has the URL", "url_column"),
                "html": ("html=NAME has the HTML", "html_column"),
                "id": ("id=NAME names records without a URL", "id_column"),
            },
        ),
    )

    def source(self, inputs: list[str], *, text: bool = False, outputs: Sequence[str | None] = ()) -> Source:
        """Open the inputs that a command was given.

        ``text``: plain text may be among them; ``outputs``: what the command will write.
        """
        from detemplate.io.sources.base import SelectedSource
        from detemplate.io.sources.fields import FieldNames
        from detemplate.io.sources.open import open_sources

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
        """Return the values by the names of the options, without limits in time and memory."""
        names = [each.name for each in fields(self)]
        return {
            "--" + name.replace("_", "-"): getattr(self, name)
            for name in names
            if name not in {"max_page_seconds", "max_page_memory"}
        }


@dataclass(frozen=True, slots=True)
class Judging:
    """How a command finds templates."""

    panel: ClassVar = _METHOD
    merged: ClassVar[tuple[Merged, ...]] = ()

    method: Annotated[
        str | None,
        Option("How to find templates: see 'detemplate methods'.", "-m --method NAME", default="auto"),
    ] = None
    settings: Annotated[
        list[str] | None, Option("Set an option of the method; can be repeated.", "--set NAME=VALUE")
    ] = None
    site_by: Annotated[str | None, _SITE_BY] = None
    threshold: Annotated[
        float | None, Option("Remove what scores above X.", "X", default="the method's own")
    ] = None
    keep: Annotated[
        list[str] | None,
        Option(
            "Keep what the selector matches, whatever the scores say; HOST##CSS: on one host; @FILE: a "
            "file of these. Can be repeated.",
            "CSS",
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        Option("Remove what the selector matches, as for --keep. Of both, the inner element decides.", "CSS"),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given, by the names of a job's fields."""
        found = {name: value for name, value in asdict(self).items() if value is not None}
        found["options"] = settings_of(found.pop("settings", []))
        return found | {name: tuple(found[name]) for name in ("keep", "drop") if name in found}


@dataclass(frozen=True, slots=True)
class Writing:
    """What is written of a cleaned page, and how."""

    panel: ClassVar = _OUTPUT

    formats: Annotated[
        list[str] | None,
        Option(
            "text (txt), markdown (md) or html; several, joined by commas, for several columns.",
            "-f --format FORMAT",
            default="by the output's name, else text",
        ),
    ] = None
    explain: Annotated[bool, Option("Write what was removed from each page, its score and the reason.")] = (
        False
    )
    metadata: Annotated[
        str, Option("basic: write the page's title, author, days, language and more; none: do not.", "WHICH")
    ] = "basic"
    links: Annotated[
        Links | None,
        Option(
            "Addresses of links: none, inline behind their texts, or by reference at the end.",
            default="none in text, inline in Markdown",
        ),
    ] = None
    images: Annotated[
        Images | None,
        Option(
            "Images: none, their descriptions (alt), or inline with their addresses.",
            default="none in text, inline in Markdown",
        ),
    ] = None
    tables: Annotated[
        Tables | None,
        Option(
            "Tables of data: none, cells between tabs (tsv), or between bars (markdown).",
            default="tsv in text, markdown in Markdown",
        ),
    ] = None
    keep_scripts: Annotated[bool, Option("Leave scripts, style sheets and event handlers in HTML.")] = False
    sanitize: Annotated[bool, Option("Write HTML as a fragment that is harmless in other pages.")] = False

    merged: ClassVar[tuple[Merged, ...]] = (
        Merged(
            "--render",
            "NAME=VALUE",
            "How pages are written",
            {
                "links": ("links=none, inline or reference", "links"),
                "images": ("images=none, alt or inline", "images"),
                "tables": ("tables=none, tsv or markdown", "tables"),
                "html": (
                    "html=scripts (they stay) or sanitized (harmless in other pages)",
                    {"scripts": "keep_scripts", "sanitized": "sanitize"},
                ),
            },
        ),
    )

    def how(self) -> dict[str, Any]:
        """Return all but the formats, by their names."""
        found = asdict(self)
        del found["formats"]
        return found


@dataclass(frozen=True, slots=True)
class Logging:
    """The files in which a run says how it went."""

    panel: ClassVar = _RUN

    summary: Annotated[str | None, Option("Write the closing summary as JSON.", "FILE")] = None
    rejects: Annotated[
        str | None, Option("Write the pages that were lost, and why, as JSON Lines.", "FILE")
    ] = None
    every_skip: Annotated[
        bool, Option("List in --rejects all that was skipped: also duplicates, redirects, other media types.")
    ] = False
    progress: Annotated[
        str | None, Option("Report in FILE how the run goes: a JSON line every 30 seconds.", "FILE")
    ] = None
    metrics: Annotated[
        int | None, Option("Report the same to Prometheus, on 127.0.0.1:PORT/metrics.", "PORT")
    ] = None

    merged: ClassVar[tuple[Merged, ...]] = (
        Merged(
            "--log",
            "NAME=FILE",
            "Write as JSON, each with its own --log",
            {
                "summary": ("summary=FILE, the counts at the end", "summary"),
                "rejects": ("rejects=FILE, the pages that were lost, and why", "rejects"),
                "skips": ("skips=FILE, also what is no page", ("rejects", "every_skip")),
                "progress": ("progress=FILE, a line every 30 seconds", "progress"),
                "metrics": ("metrics=PORT reports to Prometheus", "metrics"),
            },
            plain="progress",
            commas=False,
        ),
    )

    @property
    def files(self) -> tuple[str | None, ...]:
        """The files."""
        return self.summary, self.rejects, self.progress


def _number(value: str, option: str, unit: float) -> float:
    """Read a share: a percentage if it ends in ``%``, else a number of ``unit``."""
    percent = value.strip().endswith("%")
    try:
        return float(value.strip().removesuffix("%")) * (0.01 if percent else unit)
    except ValueError:
        raise UserError(f"{option} {value!r} is no number: write it like {option} 10%") from None


def check_html(output: str) -> None:
    """Raise UserError if a report cannot be made, or its name is of another kind."""
    from detemplate.report.htmlfile import check_report

    check_report()
    if not output.lower().endswith((".html", ".htm")):
        raise UserError(f"cannot write {output}: its name must end in .html")


def identity_of(inputs: list[str], output: str, reading: Reading) -> dict[str, object]:
    """Return what must be equal when a run resumes: its inputs, how they are read, and its output."""
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
    """Yield a function that reports a run's summary, in a file and on standard error.

    ``none``: what to do where no page was read; such a summary raises NoPages.
    """
    import json

    from detemplate.files.atomic import AtomicFile

    written = AtomicFile(file) if file is not None else None

    def report(summary: Summary) -> None:
        if written is not None:
            written.file.write(json.dumps(summary.as_dict(), indent=2).encode() + b"\n")
            written.close()
        show_summary(summary.lines(), summary.skipped, quiet=quiet)
        if summary.rejected and not summary.pages:
            raise NoPages(f"no page is left: all {summary.rejected:,} were rejected")
        if not summary.pages:
            raise NoPages(f"no page was read: {none}")

    try:
        yield report
    finally:
        if written is not None:
            written.abort()


def show_summary(lines: Iterable[str], skipped: Mapping[str, int], *, quiet: bool) -> None:
    """Print a run's counts in words on standard error; raises Incomplete if an input broke."""
    if not quiet:
        for line in lines:
            say(line, err=True)
    check_complete(skipped)


def check_complete(skipped: Mapping[str, int]) -> None:
    """Raise :class:`~detemplate.errors.Incomplete` if an input broke, by a run's skips by reason."""
    from detemplate.io.sources.base import WHOLE_INPUT

    broken = sum(skipped.get(reason, 0) for reason in WHOLE_INPUT)
    if broken:
        raise Incomplete(
            f"{counted(broken, 'input')} ended early or could not be read: what they lack is not in the "
            "output ('detemplate inspect' tells why)"
        )
