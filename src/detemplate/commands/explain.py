"""``detemplate explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import (
    HtmlOutput,
    Judging,
    KnownStore,
    Quiet,
    Reading,
    check_html,
    settings_of,
)
from detemplate.errors import UserError, counted
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
