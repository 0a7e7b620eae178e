"""``detemplate explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import (
    AS_USUAL,
    HtmlOutput,
    MaxSeconds,
    Quiet,
    Reading,
    Settings,
    SiteByOrStore,
    check_html,
    settings_of,
)
from detemplate.errors import UserError, counted
from detemplate.report.terminal import say


def _is_in(page: str, folder: str) -> bool:
    """Tell whether a page is a file in a folder, or in one of its folders."""
    path, home = Path(page), Path(folder)
    return path.is_file() and home.is_dir() and home.resolve() in path.resolve().parents


def explain(
    page: Annotated[str, Argument(metavar="PAGE", help="A file with the page, or - for stdin.")],
    output: HtmlOutput,
    site: Annotated[
        list[str] | None,
        Option("--site", metavar="INPUT", help="Pages of its site, which are learnt; can be repeated."),
    ] = None,
    store: Annotated[
        str | None, Option("--store", metavar="FILE", help="Judge by what FILE says of its site.")
    ] = None,
    url: Annotated[
        str | None,
        Option(
            metavar="URL",
            show_default="the first",
            help="Which page of PAGE, if it has several; of a file of HTML: where the page is from.",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        Option(
            "--method",
            "-m",
            metavar="NAME",
            show_default="auto, and one to compare with",
            help="A method to show; repeat it to compare several.",
        ),
    ] = None,
    threshold: Annotated[
        float | None, Option(metavar="X", help="Where the slider begins (default: the method's own).")
    ] = None,
    settings: Settings = None,
    site_by: SiteByOrStore = None,
    max_page_seconds: MaxSeconds = 20.0,
    reading: Annotated[Reading, Without("limit", "sample", "max_bad")] = AS_USUAL,
    quiet: Quiet = False,
) -> None:
    """Show a page with its templates tinted, and why: one file to open in a browser.

    Needs pip install 'detemplate[report]'. --set holds for the first method.

    \b
    Examples:
      detemplate explain one-page.html -o why.html
      detemplate explain site/5.html --site site/ -o why.html
      detemplate explain crawl.warc.gz --url https://example.org/page --site crawl.warc.gz -o why.html
      detemplate explain crawl.warc.gz --store templates.db -o why.html
      detemplate explain page.html --site site/ -m auto -m sandwich -m sitelevel -o why.html
    """
    from detemplate.files.atomic import AtomicFile
    from detemplate.report.explainedpage import explained_page
    from detemplate.report.explaining import find_page, judge_page, way_of
    from detemplate.report.progress import terminal_progress

    check_html(output)
    if store is not None and method is not None and site is None:
        raise UserError("--store names the method: leave --method out, or name pages to learn with --site")
    way = way_of(store, site_by)
    folder = next((each for each in site or () if _is_in(page, each)), None)
    found = find_page(
        reading.source([folder or page], outputs=(output,)),
        url=url,
        file=page if folder else None,
        site_by=way,
        max_page_bytes=reading.max_page_bytes,
        seconds=max_page_seconds,
    )
    shown = method or (["auto", "segments"] if site else ["auto", "pagelevel"])
    judged = judge_page(
        found,
        shown,
        site=reading.source(site, outputs=(output,)) if site else None,
        store=store,
        options=settings_of(settings or []),
        site_by=way,
        threshold=threshold,
        max_page_bytes=reading.max_page_bytes,
        seconds=max_page_seconds,
        progress=terminal_progress(quiet=quiet),
    )
    written = AtomicFile(output)
    try:
        written.file.write(explained_page(found, judged).encode())
        written.commit()
    finally:
        written.discard()
    if not quiet:
        first = judged[0]
        say(
            f"{int(first.verdict.template.sum()):,} of {counted(len(first.verdict), 'text')} are template by "
            f"{first.method}; open {output} in a browser",
            err=True,
        )
