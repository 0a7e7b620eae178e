"""``detemplate crawl``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.cleaningoptions import EverySkip, Log
from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import (
    MaxSeconds,
    MethodOrStore,
    Quiet,
    RejectsFile,
    Settings,
    SiteByOrStore,
    SummaryFile,
    closing_summary,
    settings_of,
)
from detemplate.errors import Incomplete, MissingExtra, UserError


def crawl(
    urls: Annotated[
        list[str],
        Argument(metavar="URL…", help="Where to begin, or @FILE for a list of URLs, one a line."),
    ],
    output: Annotated[
        str, Option("--output", "-o", metavar="FILE", help="The WARC file: .warc.gz or .warc.")
    ],
    clean: Annotated[
        str | None,
        Option(
            metavar="FILE", help="Write each page cleaned, as it arrives: a file or directory as for 'clean'."
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        Option(
            "--format",
            "-f",
            metavar="FORMAT",
            show_default="by the name of --clean, else text",
            help="What --clean writes: text (txt), markdown (md) or html; several, joined by commas.",
        ),
    ] = None,
    max_pages: Annotated[int | None, Option(metavar="N", help="End after N pages.")] = None,
    depth: Annotated[int, Option(metavar="D", help="Follow at most D links in a row.")] = 16,
    delay: Annotated[
        float, Option(metavar="S", help="Seconds between two requests to one domain, at least.")
    ] = 1.0,
    scope: Annotated[
        str,
        Option(
            metavar="SITE",
            help="Stay on the host, domain or directory of the given URLs; any: go everywhere.",
        ),
    ] = "host",
    sitemaps: Annotated[
        bool, Option("--sitemaps", help="Read sitemaps: those of robots.txt, else /sitemap.xml.")
    ] = False,
    focus: Annotated[
        str | None,
        Option(
            metavar="WORDS", help="Fetch what is about WORDS first; @FILE: what is like the texts in FILE."
        ),
    ] = None,
    template_penalty: Annotated[
        float | None,
        Option(
            metavar="X",
            show_default="1 with --focus, else 0",
            help="Fetch links in templates later, as if they were X levels deeper (with --focus: X less "
            "relevant).",
        ),
    ] = None,
    whole_pages: Annotated[
        bool,
        Option(
            "--whole-pages", help="With --focus: use no knowledge of templates, take all text for content."
        ),
    ] = False,
    distill: Annotated[
        bool,
        Option(
            "--distill",
            help="With --focus: now and then rank what was fetched by its links (HITS over pagelets), and "
            "fetch first what good hubs link to.",
        ),
    ] = False,
    method: MethodOrStore = None,
    settings: Settings = None,
    site_by: SiteByOrStore = None,
    store: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Go on with what FILE says of the sites, if it exists; write what is learnt into it.",
        ),
    ] = None,
    contact: Annotated[
        str | None,
        Option(metavar="WHO", help="Your address or page: it is told to the servers with each request."),
    ] = None,
    user_agent: Annotated[
        str | None,
        Option(metavar="NAME", show_default="detemplate/VERSION", help="Ask under this name."),
    ] = None,
    ignore_robots: Annotated[
        bool, Option("--ignore-robots", help="Do not ask for robots.txt: for servers of your own.")
    ] = False,
    allow_private: Annotated[
        bool, Option("--allow-private", help="Fetch from this machine and from private networks, too.")
    ] = False,
    proxy: Annotated[str | None, Option(metavar="URL", help="Ask through this HTTP proxy.")] = None,
    retries: Annotated[
        int, Option(metavar="N", help="Try again N times where a server fails, waiting ever longer.")
    ] = 5,
    max_alike: Annotated[
        int,
        Option(metavar="N", help="Fetch at most N URLs of one directory and shape: calendars have no end."),
    ] = 5_000,
    max_page_bytes: Annotated[int, Option(metavar="N", help="Reject pages over N bytes.")] = 32 << 20,
    max_page_seconds: MaxSeconds = 20.0,
    max_fetch_seconds: Annotated[
        float, Option(metavar="S", help="Give up answers that take over S seconds.")
    ] = 60.0,
    checkpoint: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Keep the crawl in DIR until it is done; if it is killed, the same command goes on there.",
        ),
    ] = None,
    log: Log = None,
    rejects: RejectsFile = None,
    every_skip: EverySkip = False,
    summary: SummaryFile = None,
    quiet: Quiet = False,
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
    from detemplate.crawl.options import CrawlOptions

    try:
        from detemplate.crawl.run import crawl as run_crawl
        from detemplate.crawl.run import start_urls
    except ImportError:
        raise MissingExtra("crawling", "crawl") from None
    from detemplate.files.atomic import is_stream
    from detemplate.io.sinks.open import open_sink, own_format
    from detemplate.io.sinks.out import STDOUT, is_stdout
    from detemplate.io.sources.inputnames import LIST, listed, refuse_outputs
    from detemplate.output.options import Rendering
    from detemplate.report.progress import terminal_progress
    from detemplate.run.claim import was_closing
    from detemplate.run.job import Job

    topic = None if focus is None else Topic(focus)
    _refuse_without_focus(focus, template_penalty, whole_pages=whole_pages, distill=distill)
    if clean is None and formats:
        raise UserError("--format is for cleaned pages: name their file with --clean")
    if template_penalty is None:
        template_penalty = 1.0 if topic is not None and not whole_pages else 0.0
    agent = {} if user_agent is None else {"user_agent": user_agent}
    options = CrawlOptions(
        max_pages=max_pages,
        depth=depth,
        delay=delay,
        scope=scope,
        robots=not ignore_robots,
        sitemaps=sitemaps,
        max_alike=max_alike,
        max_page_bytes=max_page_bytes,
        max_fetch_seconds=max_fetch_seconds,
        retries=retries,
        allow_private=allow_private,
        contact=contact,
        proxy=proxy,
        penalty=template_penalty,
        distill=distill,
        **agent,
    )
    streams = clean is None or is_stdout(clean) or is_stream(clean)
    if clean is not None and streams and checkpoint is not None:
        raise UserError("a crawl with --checkpoint needs a file or a directory for --clean: name it")
    rendering = Rendering(format=formats or own_format(clean or STDOUT))
    starts = start_urls(url for name in urls for url in listed(name))
    lists = [name.removeprefix(LIST) for name in urls if name.startswith(LIST)]
    refuse_outputs(lists, (output, clean, rejects, summary, store, log))
    job = Job(
        method=method,
        options=settings_of(settings or []),
        site_by=site_by,
        store=store,
        rendering=rendering,
        stream=True,
        every_skip=every_skip,
        max_page_bytes=max_page_bytes,
        max_page_seconds=max_page_seconds,
        checkpoint=checkpoint,
        log=log,
        output="" if clean is None or streams else clean,
        identity={"output": output, "clean": clean, "whole_pages": whole_pages},
    )
    progress = terminal_progress(quiet=quiet)
    with closing_summary(summary, quiet=quiet, none="--rejects FILE --every-skip tells why") as tell:
        sink = None
        if clean is not None:
            overwrite = was_closing(checkpoint)
            sink = open_sink(clean, format=rendering.format, overwrite=overwrite)
        done = run_crawl(
            starts,
            output,
            options,
            job,
            sink=sink,
            topic=topic,
            judging=bool(template_penalty) or (topic is not None and not whole_pages),
            rejects=rejects,
            progress=progress,
            lines=progress is None and not quiet,
        )
        try:
            tell(done)
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
