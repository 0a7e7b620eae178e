"""The command: parses arguments, calls one function."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from detemplate.errors import DetemplateError, UserError

if TYPE_CHECKING:
    from detemplate.engines.run import Job
    from detemplate.io.sources import Source

app = typer.Typer(
    name="detemplate",
    help="Find and remove templates (navigation, headers, footers, notices) from web pages.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
)

# Typer brings its own copy of click, under a private name, or uses the installed one.
_USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

_INTERRUPTED = 130

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
MaxBytes = Annotated[int, typer.Option(metavar="N", help="Reject pages over N bytes.")]
MaxSeconds = Annotated[float, typer.Option(metavar="S", help="Reject pages that take over S seconds.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no closing summary.")]


def _version(asked: bool) -> None:
    if not asked:
        return
    from detemplate._version import __version__
    from detemplate.algorithms import recurrence
    from detemplate.page import columns

    built = {"page scan": columns.COMPILED, "recurrence table": recurrence.COMPILED}
    missing = [name for name, compiled in built.items() if not compiled]
    kernels = "compiled" if not missing else f"{' and '.join(missing)} not compiled: slow reference in use"
    typer.echo(f"detemplate {__version__} (kernels: {kernels})")
    raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def clean(
    inputs: Inputs,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=".jsonl, .jsonl.gz, .jsonl.zst, .parquet, .warc, .warc.gz, .warc.zst, a directory "
            "(ending in /), or - for JSON Lines on stdout.",
        ),
    ] = "-",
    method: Method = "segments",
    text_format: Annotated[str, typer.Option("--format", "-f", help="text, html or markdown.")] = "text",
    stream: Annotated[
        bool, typer.Option("--stream", help="One pass: clean each page as it arrives (always so for stdin).")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Write what was removed from each page, its score and the reason."),
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="X", help="Remove what scores above X (default: the method's own)."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set an option of the method; can be repeated."),
    ] = None,
    site_by: SiteBy = "host",
    base_url: BaseUrl = None,
    input_format: InputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
    max_page_seconds: MaxSeconds = 20.0,
    rejects: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the pages that were lost, and why, as JSON Lines."),
    ] = None,
    summary: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the closing summary as JSON.")
    ] = None,
    show: Annotated[
        int, typer.Option(metavar="N", help="Tell the N texts that were removed most often.")
    ] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an output directory that is not empty.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Clean pages: remove what their sites' templates repeat.

    Two passes by default (learn all pages of a site, then clean them); one with --stream.

    \b
    Examples:
      detemplate clean crawl.warc.gz -o cleaned.jsonl
      cat pages.jsonl | detemplate clean - --stream -o -
      detemplate clean site/ --base-url https://example.org/ --format markdown -o cleaned/
      detemplate clean pages.parquet --method sandwich --format html -o cleaned.parquet
      detemplate clean crawl.warc.gz --set min_df=3 --explain --show 20 -o cleaned.jsonl.zst
    """
    import json
    from contextlib import ExitStack

    from detemplate.engines.run import Job, run
    from detemplate.io.atomic import AtomicFile
    from detemplate.io.sinks import open_sink
    from detemplate.report.progress import terminal_progress

    job = Job(
        method=method,
        options=_settings(settings or []),
        site_by=site_by,
        threshold=threshold,
        text_format=text_format,
        stream=stream,
        explain=explain,
        show=show,
        max_page_bytes=max_page_bytes,
        max_page_seconds=max_page_seconds,
    )
    source = _source(inputs, base_url, input_format, job)
    with ExitStack() as stack:
        told = AtomicFile(summary) if summary is not None else None
        if told is not None:
            stack.callback(told.discard)
        sink = open_sink(output, format=text_format, overwrite=overwrite, command=" ".join(sys.argv))
        done = run(source, sink, job, rejects=rejects, progress=terminal_progress(quiet=quiet))
        if told is not None:
            told.file.write(json.dumps(done.as_dict(), indent=2).encode() + b"\n")
            told.commit()
    if not quiet:
        for line in done.lines():
            typer.echo(line, err=True)


def _source(inputs: list[str], base_url: str | None, input_format: str | None, job: Job) -> Source:
    from detemplate.io.sources import open_sources

    return open_sources(inputs, base_url=base_url, kind=input_format, max_page_bytes=job.max_page_bytes)


def _settings(given: list[str]) -> dict[str, str]:
    """Read NAME=VALUE settings."""
    settings = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise UserError(f"--set {item!r} is no setting: write it like --set min_df=3")
        settings[name.strip()] = value.strip()
    return settings


@app.command()
def methods(
    as_json: Annotated[bool, typer.Option("--json", help="Write the list as JSON.")] = False,
) -> None:
    """List the methods: how they work, where they are from, what they can do, their options.

    \b
    Example:
      detemplate methods
    """
    import json

    from detemplate.detectors.registry import DEFAULT_METHOD, DETECTORS, describe

    described = [describe(kind) for kind in DETECTORS.values()]
    if as_json:
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    for entry in described:
        default = " (default)" if entry["name"] == DEFAULT_METHOD else ""
        typer.echo(f"{entry['name']}{default}: {entry['summary']}")
        typer.echo(f"  paper: {entry['paper']}")
        able = ", ".join(
            f"{what}: {'yes' if entry[what] else 'no'}" for what in ("stream", "merge", "ordered")
        )
        typer.echo(f"  {able}, needs: {entry['needs']}")
        for option in entry["options"]:
            typer.echo(f"  --set {option['name']}={option['default']}  {option['help']}")
        typer.echo("")


@app.command()
def inspect(
    inputs: Inputs,
    top: Annotated[int, typer.Option(metavar="N", help="Show the N largest sites.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Write everything as JSON.")] = False,
    site_by: SiteBy = "host",
    base_url: BaseUrl = None,
    input_format: InputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
    max_page_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
) -> None:
    """Show what is in an input: sites, pages, and what would be skipped and why.

    \b
    Example:
      detemplate inspect crawl.warc.gz
    """
    import json

    from detemplate.engines.inspect import inspect as look
    from detemplate.engines.run import Job
    from detemplate.report.progress import terminal_progress

    job = Job(site_by=site_by, max_page_bytes=max_page_bytes, max_page_seconds=max_page_seconds)
    source = _source(inputs, base_url, input_format, job)
    found = look(source, job, terminal_progress(quiet=quiet))
    if as_json:
        typer.echo(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
        return
    sites = "1 site" if len(found.sites) == 1 else f"{len(found.sites):,} sites"
    size = f"{found.bytes / 1e6:,.1f} MB parsed, {found.segments:,} text segments"
    typer.echo(f"{found.pages:,} pages of {sites}, {size}")
    for site, count in found.sites.most_common(top):
        typer.echo(f"{count:>9,}  {site or '(no host)'}")
    if len(found.sites) > top:
        rest = found.sites.most_common()[top:]
        typer.echo(f"{sum(count for _, count in rest):>9,}  on {len(rest):,} more sites")
    if found.skipped:
        typer.echo(f"skipped {sum(found.skipped.values()):,}")
    for reason, count in found.skipped.most_common():
        details = [
            (n, detail) for (why, detail), n in found.details.most_common() if why == reason and detail
        ]
        shown = "; ".join(f"{n:,} × {detail}" for n, detail in details[:5])
        typer.echo(
            f"{count:>9,}  {reason}" + (f" ({shown}{'; …' if len(details) > 5 else ''})" if shown else "")
        )


experiment = typer.Typer(
    help="Repeat the papers' experiments on labelled sites.", rich_markup_mode=None, no_args_is_help=True
)
app.add_typer(experiment, name="experiment")


@experiment.callback()
def _experiment() -> None:
    pass


@experiment.command()
def incremental(
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder with the labelled sets (default: $DETEMPLATE_DATA)."),
    ] = None,
    sites: Annotated[
        str, typer.Option(metavar="NAMES", help="Sites, separated by commas (default: all).")
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the tables and charts go.")
    ] = "experiment-incremental",
    recall: Annotated[
        float, typer.Option(metavar="X", help="The recall of the template at which methods are compared.")
    ] = 0.8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few settings, the first pages of each site only.")
    ] = False,
) -> None:
    """Compare incremental detection with detection in batches: storage, precision and delay at equal recall.

    \b
    Example:
      detemplate experiment incremental --sites django,postgresql --out results/
    """
    from pathlib import Path

    from detemplate.evaluation.incremental_experiment import run_incremental

    written = run_incremental(
        Path(out),
        data=None if data is None else Path(data),
        names=[name.strip() for name in sites.split(",") if name.strip()],
        recall=recall,
        quick=quick,
    )
    for path in written:
        typer.echo(str(path))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; give its exit code (the console script's entry point).

    Errors that the user can mend are one line on standard error and exit code 2.
    """
    from detemplate.io.sinks import OutputClosed

    def fail(message: str, code: int) -> int:
        print("detemplate: " + " ".join(message.split()), file=sys.stderr)
        return code

    try:
        result: Any = app(args=arguments, standalone_mode=False)
    except _USAGE as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
            print(error.format_message(), file=sys.stderr)
            return 2
        return fail(f"{error.format_message()} (see 'detemplate --help')", 2)
    except OutputClosed:
        return 0
    except DetemplateError as error:
        return fail(str(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        result = _INTERRUPTED
    if result == _INTERRUPTED:  # also what Typer makes of an interrupt
        return fail("interrupted; no output was written", _INTERRUPTED)
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    sys.exit(main())
