"""``detemplate inspect`` and ``detemplate methods``: what an input holds, and how it can be cleaned."""

from __future__ import annotations

from typing import Annotated

import click

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import AsJson, Inputs, Quiet, Reading, SiteBy
from detemplate.errors import counted
from detemplate.report.terminal import say, say_json


def inspect(
    inputs: Inputs,
    top: Annotated[int, Option("Show the N largest sites.", "N", panel="Output")] = 20,
    as_json: AsJson = False,
    site_by: SiteBy = "host",
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_bad", "max_page_memory")],
) -> None:
    """Show what is in an input: sites, pages, and what would be skipped and why.

    \b
    Example:
      detemplate inspect crawl.warc.gz
    """
    from detemplate.report.inspect import inspect as look
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.job import Job

    job = Job(site_by=site_by, **reading.limits())
    source = reading.source(inputs)
    found = look(source, job, terminal_progress(quiet=quiet))
    if as_json:
        say_json(found.as_dict())
        return
    size = f"{found.bytes / 1e6:,.1f} MB parsed, {counted(found.segments, 'text segment')}"
    say(f"{counted(found.pages, 'page')} of {counted(len(found.sites), 'site')}, {size}")
    for site, count in found.sites.most_common(top):
        say(f"{count:>9,}  {site or '(no host)'}")
    if len(found.sites) > top:
        rest = found.sites.most_common()[top:]
        say(f"{sum(count for _, count in rest):>9,}  on {counted(len(rest), 'more site')}")
    if found.skipped:
        say(f"skipped {sum(found.skipped.values()):,}")
    for reason, count in found.skipped.most_common():
        details = [
            (n, detail) for (why, detail), n in found.details.most_common() if why == reason and detail
        ]
        shown = "; ".join(f"{n:,} × {detail}" for n, detail in details[:5])
        say(f"{count:>9,}  {reason}" + (f" ({shown}{'; …' if len(details) > 5 else ''})" if shown else ""))


def methods(
    as_json: AsJson = False,
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
        click.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    for entry in described:
        default = " (default)" if entry["name"] == DEFAULT_METHOD else ""
        click.echo(f"{entry['name']}{default}: {entry['summary']}")
        click.echo(f"  paper: {entry['paper']}")
        able = ", ".join(
            f"{what}: {'yes' if entry[what] else 'no'}" for what in ("stream", "merge", "ordered")
        )
        click.echo(f"  {able}, needs: {entry['needs']}")
        for option in entry["options"]:
            click.echo(f"  --set {option['name']}={option['default']}  {option['help']}")
        click.echo("")
