"""``detemplate extract``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import Judging, KnownStore, Quiet, Writing
from detemplate.errors import NoPages, PageError, UserError
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from detemplate.io.record import Record

_SEVERAL: Final = 2


def extract(
    page: Annotated[
        str, Argument("A file with one page (HTML, MHTML; also .gz, .zst), or - for stdin.", "PAGE")
    ],
    url: Annotated[
        str | None,
        Option(
            "Where the page is from: links become absolute, and a store knows its site by it.",
            "URL",
            panel="Input",
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        Option(
            "text (txt), markdown (md), html or json; json,markdown,html for an object with both.",
            "-f --format FORMAT",
            panel="Output",
            default="text",
        ),
    ] = None,
    output: Annotated[
        str, Option("Write into FILE instead.", "-o --output FILE", panel="Output", default="stdout")
    ] = "-",
    metadata: Annotated[
        Literal["basic", "none"] | None,
        Option(
            "Title, author, days, language and more: in JSON, or as YAML before text and Markdown.",
            panel="Output",
            default="basic in JSON, else none",
        ),
    ] = None,
    store: KnownStore = None,
    comments: Annotated[
        Literal["judge", "drop"] | None,
        Option("Readers' comments: judged like any other text, or dropped.", panel="Method", default="judge"),
    ] = None,
    quiet: Quiet = False,
    *,
    writing: Annotated[Writing, Without("formats", "metadata")],
    judging: Annotated[Judging, Without("site_by")],
) -> None:
    """Clean one page to standard output: as text, Markdown, HTML or JSON.

    \b
    Examples:
      detemplate extract page.html
      cat page.html | detemplate extract - -f markdown --url https://example.org/page
      detemplate extract page.html -f json --comments drop
      detemplate extract page.html --url https://example.org/page --store templates.db --drop .share
    """
    from detemplate.frames.extract import extracted
    from detemplate.io.sinks.out import Out
    from detemplate.io.sources.kinds import refuse_outputs

    record = _only_page(page, url)
    given = {**writing.how(), **judging.given(), "metadata": metadata}
    if comments is not None:
        given["options"]["comments"] = comments
    try:
        written, unknown, idle = extracted(record, ",".join(formats or ["text"]), store=store, **given)
    except PageError as error:
        raise NoPages(f"{page} holds no page: {error.found}") from error
    refuse_outputs([page], [output])
    with Out(output) as out:
        out.write(written.rstrip("\n").encode("utf-8", "replace") + b"\n")
    for note in [] if quiet else [unknown, *idle]:
        if note is not None:
            say(note, err=True)


def _only_page(name: str, url: str | None) -> Record:
    """Read the page of an input; of several pages, that with the URL.

    Raises UserError for several pages without a URL that tells which, and NoPages where there is none.
    """
    from detemplate.io.record import Skip
    from detemplate.io.sources.open import open_sources

    if Path(name).is_dir():
        raise UserError(f"{name} is a directory, and extract cleans one page: use 'detemplate clean {name}'")
    # What its name or its first bytes do not tell is HTML: fragments, files without a suffix.
    pages: list[Record] = []
    lost: Skip | None = None
    for item in open_sources([name], otherwise="html"):
        if isinstance(item, Skip):
            lost = lost or item
        elif url is not None and item.url == url:
            return item
        elif len(pages) < _SEVERAL:
            pages.append(item)
            if url is None and len(pages) == _SEVERAL:
                break
    if len(pages) == _SEVERAL:
        which = "say which with --url" if url is None else f"none of them is {url}"
        raise UserError(f"{name} holds several pages: {which}; 'detemplate clean' cleans them all")
    if not pages:
        why = f": {PageError(lost.reason, lost.detail).found}" if lost is not None else ""
        raise NoPages(f"{name} holds no page{why}")
    [page] = pages
    page.url = url or page.url
    return page
