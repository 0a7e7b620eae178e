"""``detemplate explain``, ``report`` and ``compare``: what people look at in a browser, or side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import (
    HtmlOutput,
    Inputs,
    Judging,
    KnownStore,
    Quiet,
    Reading,
    Workers,
    check_complete,
    check_html,
    settings_of,
    workers_of,
)
from detemplate.errors import Incomplete, UserError, counted
from detemplate.report.terminal import say


def _is_in(page: str, folder: str) -> bool:
    """Return whether a page is a file below a folder."""
    path, home = Path(page), Path(folder)
    return path.is_file() and home.is_dir() and home.resolve() in path.resolve().parents


def explain(
    page: Annotated[str, Argument("A file with the page, or - for stdin.", "PAGE")],
    output: HtmlOutput,
    site: Annotated[
        list[str] | None,
        Option("Pages of its site, which are learned; can be repeated.", "INPUT", panel="Input"),
    ] = None,
    url: Annotated[
        str | None,
        Option(
            "Which page of PAGE, if it has several; of a file of HTML: where the page is from.",
            "URL",
            panel="Input",
            default="the first",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        Option(
            "A method to show; repeat it to compare several.",
            "-m --method NAME",
            panel="Method",
            default="auto, and one to compare with",
        ),
    ] = None,
    store: KnownStore = None,
    quiet: Quiet = False,
    *,
    judging: Annotated[Judging, Without("method")],
    reading: Annotated[Reading, Without("limit", "sample", "max_bad", "max_page_memory")],
) -> None:
    """Show a page with its templates tinted, and why: one file to open in a browser.

    Needs pip install 'detemplate[report]'. --set holds for the first method, --keep and --drop for all.

    \b
    Examples:
      detemplate explain one-page.html -o why.html
      detemplate explain site/5.html --site site/ -o why.html
      detemplate explain crawl.warc.gz --url https://example.org/page --site crawl.warc.gz -o why.html
      detemplate explain crawl.warc.gz --store templates.db -o why.html
      detemplate explain page.html --site site/ -m auto -m sandwich -m sitelevel --drop .share -o why.html
    """
    from detemplate.files.atomic import AtomicFile
    from detemplate.report.explaining import explained_page, find_page, judge_page, way_of
    from detemplate.report.terminal import terminal_progress

    check_html(output)
    if store is not None and method is not None and site is None:
        raise UserError("--store names the method: leave --method out, or name pages to learn with --site")
    way = way_of(store, judging.site_by)
    folder = next((each for each in site or () if _is_in(page, each)), None)
    found = find_page(
        reading.source([folder or page], outputs=(output,)),
        url=url,
        file=page if folder else None,
        site_by=way,
        max_page_bytes=reading.max_page_bytes,
        seconds=reading.max_page_seconds,
    )
    shown = method or (["auto", "segments"] if site else ["auto", "pagelevel"])
    judged = judge_page(
        found,
        shown,
        site=reading.source(site, outputs=(output,)) if site else None,
        store=store,
        options=settings_of(judging.settings or []),
        site_by=way,
        threshold=judging.threshold,
        rules={"keep": judging.keep or (), "drop": judging.drop or ()},
        max_page_bytes=reading.max_page_bytes,
        seconds=reading.max_page_seconds,
        progress=terminal_progress(quiet=quiet),
    )
    with AtomicFile(output) as written:
        written.write(explained_page(found, judged).encode())
    if not quiet:
        first = judged[0]
        number = f"{int(first.verdict.template.sum()):,} of {counted(len(first.verdict), 'text')}"
        peers = f", as a page of {found.site}" if site or store else ""
        say(f"{number} are template by {first.method}{peers}; open {output} in a browser", err=True)
        for line in first.idle:
            say(line, err=True)


def report(
    inputs: Inputs,
    output: HtmlOutput,
    title: Annotated[
        str | None, Option("Title of the report.", "WORDS", panel="Output", default="the sites")
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
    *,
    reading: Reading,
    judging: Judging,
) -> None:
    """Show sites at a glance: their templates, how much of each page they are, and what is out of line.

    INPUT is pages, which are read twice, or one store, which keeps counts of pages. One file to open in a
    browser. Needs pip install 'detemplate[report]'.

    \b
    Examples:
      detemplate report crawl.warc.gz -o report.html
      detemplate report site/ --base-url https://example.org/ -o report.html
      detemplate report templates.db -o report.html
    """
    from detemplate.files.atomic import AtomicFile
    from detemplate.report.reporting import is_store_file, report_pages, report_store
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.job import Job

    check_html(output)
    summary = None
    with AtomicFile(output) as written:
        if len(inputs) == 1 and is_store_file(inputs[0]):
            text, sites = report_store(inputs[0], title=title)
            told = f"{counted(sites, 'site')} of the store"
        else:
            limits = reading.limits(memory=True)
            job = Job(**judging.given(), **limits, workers=workers_of(workers))
            source = reading.source(inputs, outputs=(output,))
            text, summary = report_pages(source, job, title=title, progress=terminal_progress(quiet=quiet))
            told = f"{counted(summary.pages, 'page')} of {counted(summary.sites, 'site')}"
        written.write(text.encode())
    if not quiet:
        say(f"{told}; open {output} in a browser", err=True)
    if summary is not None:
        check_complete(summary.skipped)
        if summary.rejected and not summary.pages:
            raise Incomplete(f"no page is left: all {summary.rejected:,} were rejected")


def compare(
    inputs: Inputs,
    method: Annotated[
        list[str], Option("A method; name two or more, each with -m.", "-m --method NAME", panel="Method")
    ],
    gold: Annotated[
        str | None,
        Option(
            "Main content of pages, as JSON Lines with text, and url or id: score the methods by it.",
            "FILE",
            panel="Input",
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            ".html: what each method keeps, beside each other; .jsonl: all pages, a line each.",
            "-o --output FILE",
            panel="Output",
        ),
    ] = None,
    top: Annotated[int, Option("Show the N first sites, pages and texts.", "N", panel="Output", min=0)] = 10,
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_memory")],
    judging: Annotated[Judging, Without("method", "threshold")],
) -> None:
    """Compare methods: where they agree, on which texts they differ, and who is nearer to the gold.

    Pages are read twice. --set holds for the first method, --keep and --drop for all. HTML needs
    pip install 'detemplate[report]'.

    \b
    Examples:
      detemplate compare crawl.warc.gz -m auto -m segments
      detemplate compare pages.jsonl -m auto -m pagelevel --gold gold.jsonl -o compared.html
      detemplate compare site/ -m segments -m sandwich --set min_df=3 -o compared.jsonl
    """
    import json
    from contextlib import ExitStack

    from detemplate.files.atomic import AtomicFile
    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.report.comparing import ComparedPage, compared_html, read_gold
    from detemplate.report.comparing import compare as run
    from detemplate.report.terminal import terminal_progress

    shown = output is not None and output.lower().endswith((".html", ".htm"))
    if output is not None and shown:
        check_html(output)
    elif output is not None and not output.endswith(".jsonl"):
        raise UserError(f"cannot write {output}: its name must end in .html or .jsonl")
    if gold is not None:
        refuse_outputs([gold], [output])
    source = reading.source(inputs, outputs=(output,))
    known = None if gold is None else read_gold(gold)
    with ExitStack() as stack:
        written = None if output is None else stack.enter_context(AtomicFile(output))

        def write(page: ComparedPage) -> None:
            if written is not None and not shown:
                written.write(json.dumps(page.as_dict(method)).encode() + b"\n")

        found = run(
            source,
            method,
            gold=known,
            seconds=reading.max_page_seconds,
            max_page_bytes=reading.max_page_bytes,
            **{"site_by": "host", **judging.given()},
            write=write,
            progress=terminal_progress(quiet=quiet),
        )
        if written is not None and shown:
            written.write(compared_html(found).encode("utf-8", "replace"))
    for line in found.lines(top):
        say(line)
    check_complete(found.skipped)
    if not found.total.pages:
        raise Incomplete("no page is left to compare")
