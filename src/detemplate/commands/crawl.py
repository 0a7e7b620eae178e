"""``detemplate crawl``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from detemplate.commands.command import Argument, Fields, Option, Without
from detemplate.commands.merged import Merged
from detemplate.commands.shared import (
    Checkpoint,
    GrownStore,
    Judging,
    Limits,
    Logging,
    Quiet,
    Writing,
    closing_summary,
)
from detemplate.crawl.options import CrawlOptions
from detemplate.errors import Incomplete, MissingExtra, UserError


def crawl(
    urls: Annotated[list[str], Argument("Where to begin, or @FILE for a list of URLs, one a line.", "URL…")],
    output: Annotated[str, Option("The WARC file: .warc.gz or .warc.", "-o --output FILE", panel="Output")],
    clean: Annotated[
        str | None,
        Option(
            "Write each page cleaned, as it arrives; as -o of 'clean'.",
            "FILE",
            panel="Output",
        ),
    ] = None,
    focus: Annotated[
        str | None,
        Option(
            "Fetch what is about WORDS first; @FILE: what is like the texts in FILE.", "WORDS", panel="Crawl"
        ),
    ] = None,
    template_penalty: Annotated[
        float | None,
        Option(
            "Fetch links in templates as if they were X levels deeper, or with --focus X less relevant.",
            "X",
            panel="Crawl",
            default="1 with --focus, else 0",
        ),
    ] = None,
    whole_pages: Annotated[
        bool,
        Option("With --focus: use no knowledge of templates, take all text for content.", panel="Crawl"),
    ] = False,
    ignore_robots: Annotated[
        bool, Option("Do not ask for robots.txt: for servers of your own.", panel="Crawl")
    ] = False,
    store: GrownStore = None,
    checkpoint: Checkpoint = None,
    quiet: Quiet = False,
    *,
    fetching: Annotated[
        CrawlOptions,
        Fields(
            "Crawl",
            Merged(
                "--fetch",
                "NAME=VALUE",
                "How pages are fetched",
                {
                    "retries": ("retries=5, where a server fails", "retries"),
                    "seconds": ("seconds=60, for an answer", "max_fetch_seconds"),
                    "alike": ("alike=5000 URLs of one directory and shape", "max_alike"),
                    "agent": ("agent=NAME, in place of detemplate/VERSION", "user_agent"),
                    "proxy": ("proxy=URL", "proxy"),
                },
            ),
            max_pages=Option("End after N pages.", "N"),
            depth=Option("Follow at most D links in a row.", "D"),
            delay=Option("Minimum seconds between two requests to one domain.", "S"),
            scope=Option(
                "Stay on the host, domain or directory of the given URLs; any: go everywhere.", "SITE"
            ),
            sitemaps=Option("Read sitemaps: those of robots.txt, else /sitemap.xml."),
            distill=Option(
                "With --focus: sometimes rank what was fetched by its links (HITS over pagelets), and then "
                "fetch first what good hubs link to."
            ),
            contact=Option("Your address or page: it is sent to the servers with each request.", "WHO"),
            user_agent=Option("Ask under this name.", "NAME"),
            allow_private=Option("Fetch from this machine and from private networks, too."),
            proxy=Option("Ask through this HTTP proxy.", "URL"),
            retries=Option("Try again N times where a server fails, waiting ever longer.", "N"),
            max_alike=Option("Fetch at most N URLs of one directory and shape: calendars have no end.", "N"),
            max_fetch_seconds=Option("Give up answers that take over S seconds.", "S"),
        ),
    ],
    limits: Annotated[Limits, Without("max_page_memory")],
    writing: Writing,
    judging: Judging,
    logging: Annotated[Logging, Without("metrics")],
) -> None:
    """Crawl sites into a WARC file; clean their pages as they arrive.

    Breadth-first, on the given sites, politely: one request at a time to a domain, robots.txt obeyed.
    Needs pip install 'detemplate[crawl]'.

    \b
    Examples:
      detemplate crawl https://example.org/ --contact me@example.com -o crawl.warc.gz
      detemplate crawl example.org --max-pages 1000 --clean cleaned.jsonl -o crawl.warc.gz
      detemplate crawl @urls.txt --checkpoint progress/ --store templates.db -o crawl.warc.gz
      detemplate crawl example.org --focus "suffix array" --max-pages 500 -o crawl.warc.gz
    """
    from detemplate.crawl.focus import Topic

    try:
        from detemplate.crawl.run import crawl as run_crawl
        from detemplate.crawl.run import start_urls
    except ImportError:
        raise MissingExtra("crawling", "crawl") from None
    from detemplate.files.atomic import is_stream
    from detemplate.io.sinks.open import open_sink, own_format
    from detemplate.io.sinks.out import STDOUT, is_stdout
    from detemplate.io.sources.kinds import LIST, listed, refuse_outputs
    from detemplate.output.options import Rendering
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.checkpoint import was_closing
    from detemplate.run.job import Job

    topic = None if focus is None else Topic(focus)
    _refuse_without_focus(focus, template_penalty, whole_pages=whole_pages, distill=fetching.distill)
    if clean is None and writing != Writing():
        raise UserError(
            "--format, --explain, --metadata and --render are for cleaned pages: add --clean FILE"
        )
    if template_penalty is None:
        template_penalty = 1.0 if topic is not None and not whole_pages else 0.0
    options = replace(
        fetching, robots=not ignore_robots, penalty=template_penalty, max_page_bytes=limits.max_page_bytes
    )
    streams = clean is None or is_stdout(clean) or is_stream(clean)
    if clean is not None and streams and checkpoint is not None:
        raise UserError("a crawl with --checkpoint needs a file or a directory for --clean: name it")
    rendering = Rendering(format=writing.formats or own_format(clean or STDOUT), **writing.how())
    starts = start_urls(url for name in urls for url in listed(name))
    lists = [name.removeprefix(LIST) for name in urls if name.startswith(LIST)]
    refuse_outputs(lists, (output, clean, store, checkpoint, *logging.files))
    job = Job(
        **judging.given(),
        **limits.limits(),
        store=store,
        rendering=rendering,
        stream=True,
        every_skip=logging.every_skip,
        checkpoint=checkpoint,
        log=logging.progress,
        output="" if clean is None or streams else clean,
        identity={"output": output, "clean": clean, "whole_pages": whole_pages},
    )
    progress = terminal_progress(quiet=quiet)
    none = "--log skips=FILE tells why"
    with closing_summary(logging.summary, quiet=quiet, none=none) as report:
        sink = None
        if clean is not None:
            sink = open_sink(
                clean,
                format=rendering.format,
                explain=rendering.explain,
                overwrite=was_closing(checkpoint),
            )
        done = run_crawl(
            starts,
            output,
            options,
            job,
            sink=sink,
            topic=topic,
            judging=bool(template_penalty) or (topic is not None and not whole_pages),
            rejects=logging.rejects,
            progress=progress,
            lines=progress is None and not quiet,
        )
        try:
            report(done)
        except Incomplete:  # because of what the given URLs lack
            if not done.starts_lost:
                raise
    if done.starts_lost:
        lost = len(done.starts_lost)
        which = "the given URL" if len(starts) == 1 else f"{lost:,} of {len(starts):,} given URLs"
        first = ": " if len(starts) == 1 else ", the first one "
        raise Incomplete(f"{which} gave no page{first}{done.starts_lost[0]}")


def _refuse_without_focus(
    focus: str | None, template_penalty: float | None, *, whole_pages: bool, distill: bool
) -> None:
    """Refuse options that are for focused crawls, and those that contradict each other."""
    if whole_pages and (focus is None or template_penalty):
        raise UserError("--whole-pages is for --focus without --template-penalty: leave one of them out")
    if distill and focus is None:
        raise UserError("--distill is for focused crawls: add --focus")
