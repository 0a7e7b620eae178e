"""``detemplate export``, ``detemplate merge`` and ``detemplate forget``: what is done with whole stores."""

from __future__ import annotations

import sys
from typing import Annotated

from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import Quiet, Store
from detemplate.report.terminal import say


def export(
    store: Store,
    site: Annotated[
        str | None, Argument(metavar="[SITE]", help="The only site to write: its name, or a URL.")
    ] = None,
    output: Annotated[str, Option("--output", "-o", metavar="FILE", help="JSON Lines; - for stdout.")] = "-",
    quiet: Quiet = False,
) -> None:
    """Write the sites of a store and their templates as JSON Lines, one line a site.

    \b
    Examples:
      detemplate export templates.db -o templates.jsonl
      detemplate export templates.db example.org -o -
    """
    from contextlib import closing

    from detemplate.files.atomic import AtomicFile, writing
    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.sites.storefile import StoreFile
    from detemplate.sites.storejobs import export as write

    refuse_outputs([store], [output])
    with closing(StoreFile(store)) as file:
        if output == "-":
            with writing("standard output"):
                write(file, sys.stdout.buffer, site)
                sys.stdout.buffer.flush()
            return
        whole = AtomicFile(output)
        try:
            with writing(output):
                count = write(file, whole.file, site)
            whole.commit()
        except BaseException:
            whole.discard()
            raise
    if not quiet:
        say(f"{count:,} {'site' if count == 1 else 'sites'} written", err=True)


def merge(
    stores: Annotated[
        list[str], Argument(metavar="STORE STORE…", help="Stores, in the order of their pages.")
    ],
    output: Annotated[str, Option("--output", "-o", metavar="FILE", help="The new store.")],
    quiet: Quiet = False,
) -> None:
    """Merge stores into a new one, as if their pages had been learnt one store after the other.

    Sites that several stores have are merged by the method; 'detemplate methods' says which methods can.

    \b
    Example:
      detemplate merge monday.db tuesday.db -o week.db
    """
    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.sites.storejobs import merge as join

    refuse_outputs(stores, [output])
    count = join(stores, output)
    if not quiet:
        say(f"{count:,} {'site' if count == 1 else 'sites'} in {output}", err=True)


def forget(
    store: Store,
    sites: Annotated[list[str], Argument(metavar="SITE…", help="The sites to remove: their names, or URLs.")],
    quiet: Quiet = False,
) -> None:
    """Remove sites from a store: all that was learnt of them. Their room in the file is used again.

    \b
    Example:
      detemplate forget templates.db example.org www.example.com
    """
    from detemplate.sites.storejobs import forget as remove

    left = remove(store, sites)
    if not quiet:
        say(f"{left:,} {'site' if left == 1 else 'sites'} left in {store}", err=True)
