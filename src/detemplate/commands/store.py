"""``detemplate store …``: what stores know of sites is shown, exported, merged and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import AsJson, Quiet, Store
from detemplate.errors import UserError, counted
from detemplate.report.terminal import say, say_json

if TYPE_CHECKING:
    from detemplate.sites.storefile import StoreFile


def show(
    store: Store,
    site: Annotated[str | None, Argument("A site, or the URL of one of its pages.", "[SITE]")] = None,
    top: Annotated[int, Option("Show the N largest sites, or N templates.", "N", panel="Output", min=1)] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the sites of a store; of one site, its templates and when they came and went.

    \b
    Examples:
      detemplate store show templates.db
      detemplate store show templates.db example.org --top 50
      detemplate store show templates.db example.org --json
    """
    from contextlib import closing

    from detemplate.sites.storefile import StoreFile
    from detemplate.sites.storejobs import described, site_in

    if as_json and site is None:
        raise UserError("--json is for one site; 'detemplate store export' writes all of them as JSON Lines")
    with closing(StoreFile(store)) as file:
        if site is None:
            _list(file, top)
            return
        found = described(file, site_in(file, site))
    if as_json:
        say_json(found)
    else:
        _tell(found, top)


def export(
    store: Store,
    site: Annotated[str | None, Argument("The only site to write: its name, or a URL.", "[SITE]")] = None,
    output: Annotated[str, Option("JSON Lines.", "-o --output FILE", panel="Output", default="stdout")] = "-",
    quiet: Quiet = False,
) -> None:
    """Write the sites of a store and their templates as JSON Lines, one line a site.

    \b
    Examples:
      detemplate store export templates.db -o templates.jsonl
      detemplate store export templates.db example.org -o -
    """
    from contextlib import closing

    from detemplate.io.sinks.out import Out, is_stdout
    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.sites.storefile import StoreFile
    from detemplate.sites.storejobs import export as write

    refuse_outputs([store], [output])
    with closing(StoreFile(store)) as file, Out(output) as out:
        count = write(file, out.write, site)
    if not (quiet or is_stdout(output)):
        say(f"{counted(count, 'site')} written", err=True)


def merge(
    stores: Annotated[list[str], Argument("Stores, in the order of their pages.", "STORE STORE…")],
    output: Annotated[str, Option("The new store.", "-o --output FILE", panel="Output")],
    quiet: Quiet = False,
) -> None:
    """Merge stores into a new one, as if their pages had been learned one store after the other.

    Sites that several stores have are merged by the method; 'detemplate methods' says which methods can.

    \b
    Example:
      detemplate store merge monday.db tuesday.db -o week.db
    """
    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.sites.storejobs import merge as join

    refuse_outputs(stores, [output])
    count = join(stores, output)
    if not quiet:
        say(f"{counted(count, 'site')} in {output}", err=True)


def forget(
    store: Store,
    sites: Annotated[list[str], Argument("The sites to remove: their names, or URLs.", "SITE…")],
    quiet: Quiet = False,
) -> None:
    """Remove sites from a store: all that was learned of them. Their room in the file is used again.

    \b
    Example:
      detemplate store forget templates.db example.org www.example.com
    """
    from detemplate.sites.storejobs import forget as remove

    left = remove(store, sites)
    if not quiet:
        say(f"{counted(left, 'site')} left in {store}", err=True)


def _list(file: StoreFile, top: int) -> None:
    """Print the sites with most pages."""
    from heapq import nsmallest

    from detemplate.sites.naming import site_name

    pages = size = 0

    def rows() -> Any:  # noqa: ANN401
        nonlocal pages, size
        for row in file.rows():
            pages, size = pages + row.pages, size + row.size
            yield row

    shown = nsmallest(top, rows(), key=lambda row: (-row.pages, site_name(row.name)))
    say(
        f"{counted(pages, 'page')} of {counted(file.sites, 'site')} learned by "
        f"{file.settings.method}, {_bytes(size)}"
    )
    for row in shown:
        name = _line(site_name(row.name)) or "(no host)"
        say(f"{_pages(row.pages)} {_bytes(row.size):>9}  {row.first[:10]} – {row.last[:10]}  {name}")
    if file.sites > top:
        rest = pages - sum(row.pages for row in shown)
        say(f"{_pages(rest)} on {counted(file.sites - top, 'more site')}")


def _tell(found: dict[str, Any], top: int) -> None:
    """Print what is known of a site."""
    say(
        f"{_line(found['site']) or '(no host)'}: {counted(found['pages'], 'page')} learned by "
        f"{found['method']}, {_bytes(found['bytes'])}, {_days(found)}"
    )
    if not found["seen"]:
        say("no history: none of its pages was cleaned or scored by a run with this store")
        return
    looked = f"{found['seen']:,} of {counted(found['pages'], 'page')}"
    if found["template_share"] is None:
        say(f"no share of template is known yet: {looked} looked at; 'clean --store' looks at each page")
    else:
        say(f"{found['template_share']:.1%} of the text is template ({looked} looked at):")
        for point in found["points"]:
            say(f"{_pages(point['pages'])} {point['template_share']:>7.1%}  {_days(point)}")
    for redesign in found["redesigns"]:
        gone = "; ".join(_line(text) for text in redesign["gone"])
        say(
            f"redesigned {redesign['date'][:10]}: of a page's templates {redesign['known_before']:.0%} were "
            f"known before, {redesign['known_after']:.0%} after; gone: {gone or 'none that was frequent'}"
        )
    for template in found["templates"][:top]:
        since = f"since {template['first'][:10]}, last {template['last'][:10]}"
        say(f"{_pages(template['pages'])}  {since}  {_line(template['text'])}")


def _pages(count: int) -> str:
    """Write a number of pages as the beginning of a line."""
    return f"{count:>9,} {'page ' if count == 1 else 'pages'}"


def _days(times: dict[str, Any]) -> str:
    first, last = times["first"][:10], times["last"][:10]
    return first if first == last else f"{first} – {last}"


def _bytes(count: int) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count //= 1000
    return f"{count:,} {unit}"


def _line(text: str) -> str:
    """Put a text on one line."""
    return " ".join(text.split())
