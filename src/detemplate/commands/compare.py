"""``detemplate compare``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import (
    Inputs,
    Judging,
    Quiet,
    Reading,
    check_complete,
    check_html,
)
from detemplate.errors import Incomplete, UserError
from detemplate.report.terminal import say


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
