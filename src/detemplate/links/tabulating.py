"""Writing a source's pages, pagelets and links as tables, in one pass."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES, SelectedSource
from detemplate.page.fingerprints import SKETCH, WIDTH
from detemplate.page.pagelets import LINKS
from detemplate.relations.build import TableWriter, build
from detemplate.run.limits import DEFAULT_MAX_PAGE_SECONDS, Rejects
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader, page_parser

if TYPE_CHECKING:
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page
    from detemplate.relations.build import TableSummary
    from detemplate.run.progress import Progress


def tabulate(
    source: Source,
    output: str,
    *,
    k: int = LINKS,
    width: int = WIDTH,
    sketch: int = SKETCH,
    site_by: str = "host",
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES,
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS,
    overwrite: bool = False,
    rejects: str | None = None,
    progress: Progress | None = None,
) -> TableSummary:
    """Write the tables of a source.

    ``output``: a directory (ending in ``/``) for Parquet files.
    ``k``, ``width``, ``sketch``: as for :func:`~detemplate.relations.extract.extract`.
    ``site_by``, ``max_page_bytes``, ``max_page_seconds``: as for :class:`~detemplate.run.job.Job`.
    ``overwrite``: replace an output directory that is not empty.
    ``rejects``: file for the pages that were lost, as JSON Lines.
    ``progress``: shows how far the run has come.
    Raises UserError: a setting is out of range, all versions of pages are wanted, or the output cannot be
        written.
    """
    if isinstance(source, SelectedSource) and source.versions == "keep":
        raise UserError("tables hold one version of each page: choose --versions first or last")
    sites: set[str] = set()
    with ExitStack() as stack:
        log = stack.enter_context(Rejects(rejects))
        writer = stack.enter_context(TableWriter(output, overwrite=overwrite))
        meter = stack.enter_context(Meter(progress, source))
        reader = Reader(
            source,
            page_parser(site_by),
            max_page_bytes=max_page_bytes,
            max_page_seconds=max_page_seconds,
            meter=meter,
        )
        meter.begin("tabulating")

        def count(pages: int, page: Page) -> None:
            sites.add(page.site)
            meter.advance(pages, len(sites))

        return build(
            reader,
            writer,
            k=k,
            width=width,
            sketch=sketch,
            on_skip=log.write,
            on_page=count,
        )
